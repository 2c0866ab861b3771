package fetch

import (
	"net/http"
	"net/url"
	"strings"
)

// nextPage finds the address of the next page of a listing in the Link header
// (RFC 8288), nil when there is none.
func nextPage(header http.Header, at *url.URL) *url.URL {
	for _, value := range header.Values("Link") {
		for _, l := range parseLinks(value) {
			if !strings.EqualFold(l.rel, "next") {
				continue
			}
			if next, err := at.Parse(l.target); err == nil {
				next.Fragment, next.RawFragment = "", ""
				return next
			}
		}
	}
	return nil
}

// link is one entry of a Link header: <target>; rel="relation". An entry with
// several relations is one link for each.
type link struct{ target, rel string }

// parseLinks reads a Link header. What it cannot read ends the list.
func parseLinks(value string) []link {
	var links []link
	rest := value
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if !strings.HasPrefix(rest, "<") {
			return links
		}
		target, after, closed := strings.Cut(rest[1:], ">")
		if !closed {
			return links
		}
		var rels string
		rels, rest = parseParameters(after)
		for rel := range strings.FieldsSeq(rels) {
			links = append(links, link{target, rel})
		}
	}
}

// parseParameters reads the parameters after a target up to the comma that
// ends the entry, and returns the value of the first "rel".
func parseParameters(text string) (rels, rest string) {
	found := false
	for {
		text = strings.TrimLeft(text, " \t")
		if !strings.HasPrefix(text, ";") {
			return rels, text
		}
		text = strings.TrimLeft(text[1:], " \t")
		end := strings.IndexAny(text, "=;,")
		if end < 0 || text[end] != '=' {
			text = text[max(0, end):]
			if end < 0 {
				text = ""
			}
			continue
		}
		name := strings.TrimSpace(text[:end])
		var value string
		value, text = parseValue(strings.TrimLeft(text[end+1:], " \t"))
		if !found && strings.EqualFold(name, "rel") {
			rels, found = value, true
		}
	}
}

// parseValue reads a token or a quoted string.
func parseValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, " \t;,")
		if end < 0 {
			return text, ""
		}
		return text[:end], text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}
