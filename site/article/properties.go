package article

import (
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
)

// maxValue is how much of a property is shown, in bytes.
const maxValue = 400

// writeProperties writes the properties of a page as a list.
func writeProperties(r *renderer) {
	if !strings.HasPrefix(r.doc.Path, "documents/") {
		return
	}
	list := r.doc.Properties()
	if len(list) == 0 {
		return
	}
	r.Raw("<dl class=properties>\n")
	for _, p := range list {
		r.Raw("<dt>")
		r.Literal([]byte(diag.Clip(p.Key, maxValue)))
		r.Raw("<dd>")
		for i, v := range p.Values {
			if i > 0 {
				r.Raw(", ")
			}
			writeProperty(r, v)
		}
		r.Raw("\n")
	}
	r.Raw("</dl>\n")
}

// writeProperty writes a value: an address and [[Page]] as links.
func writeProperty(r *renderer, v markdown.Value) {
	text := diag.Clip(v.Text, maxValue)
	if s := scheme(text); (s == "http" || s == "https") && !strings.ContainsAny(text, " \t\n") {
		writeLinkText(r, text, "", text, 0)
		return
	}
	for text != "" {
		before, rest, ok := strings.Cut(text, "[[")
		inside, after, closed := strings.Cut(rest, "]]")
		if !ok || !closed || strings.TrimSpace(inside) == "" {
			break
		}
		r.Literal([]byte(before))
		target, label, _ := strings.Cut(inside, "|")
		name, fragment, _ := strings.Cut(target, "#")
		link := markdown.WikiLink{Target: strings.TrimSpace(name), Fragment: strings.TrimSpace(fragment), Label: strings.TrimSpace(label)}
		noteWiki(r, &link)
		writeWikiText(r, &link, v.Line, v.Column)
		text = after
	}
	r.Literal([]byte(text))
}
