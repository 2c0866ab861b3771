package compiler

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
)

// resolution says what an anchor points at.
type resolution uint8

const (
	resolved resolution = iota
	noFile              // the file does not exist: source-missing
	noPlace             // the file exists, the place in it does not: anchor-unresolved
	leftOut             // the archive that the pack comes from leaves the file out: no finding
)

// fragmentForms are the fragments of section 7.1 that are not heading slugs.
var fragmentForms = sync.OnceValue(func() (f struct{ lines, page, time *regexp.Regexp }) {
	f.lines = regexp.MustCompile(`^L([0-9]+)(?:-L([0-9]+))?$`)
	f.page = regexp.MustCompile(`^page=(.*)$`)
	f.time = regexp.MustCompile(`^t=(.*)$`)
	return f
})

// anchor is a usable anchor: a pack path, and a fragment without "#".
type anchor struct{ path, fragment string }

// String returns the anchor string of section 7.1.
func (a anchor) String() string {
	if a.fragment == "" {
		return a.path
	}
	return a.path + "#" + a.fragment
}

// parseAnchor reads an anchor string.
func parseAnchor(s string) anchor {
	path, fragment, _ := strings.Cut(s, "#")
	return anchor{path, fragment}
}

// isSlug reports whether a fragment can only name a heading.
func isSlug(fragment string) bool {
	f := fragmentForms()
	return fragment != "" && !f.lines.MatchString(fragment) && !f.page.MatchString(fragment) && !f.time.MatchString(fragment)
}

// resolve looks an anchor up (agent-knowledge section 7.1).
func (m *material) resolve(a anchor) resolution {
	in, ok := m.inputs[a.path]
	switch {
	case !ok && m.pack.LeftOut(a.path):
		return leftOut
	case !ok:
		return noFile
	case a.fragment == "":
		return resolved
	}
	f, fragment := fragmentForms(), a.fragment
	found := false
	if part := f.lines.FindStringSubmatch(fragment); part != nil {
		found = hasLines(in.lines, part[1], part[2])
	} else if part := f.page.FindStringSubmatch(fragment); part != nil {
		found = isPositive(part[1])
	} else if part := f.time.FindStringSubmatch(fragment); part != nil {
		found = isClock(part[1])
	} else {
		found = in.ids[markdown.Slug(fragment)]
	}
	if !found {
		return noPlace
	}
	return resolved
}

// hasLines reports whether a file of that many lines has the line, or the range
// with the smaller number first.
func hasLines(lines int, from, to string) bool {
	first, err := strconv.Atoi(from)
	if err != nil || first < 1 {
		return false
	}
	last := first
	if to != "" {
		if last, err = strconv.Atoi(to); err != nil {
			return false
		}
	}
	return first <= last && last <= lines
}

func isPositive(number string) bool {
	digits := strings.Trim(number, "0123456789") == ""
	return digits && strings.Trim(number, "0") != ""
}

// isClock reports the form hh:mm:ss.
func isClock(s string) bool {
	if len(s) != len("hh:mm:ss") {
		return false
	}
	for i := range len(s) {
		if i%3 == 2 {
			if s[i] != ':' {
				return false
			}
		} else if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// countLines counts the lines of a file; LF, CRLF and CR end one, and a last
// line without an end counts.
func countLines(data []byte) int {
	n := bytes.Count(data, []byte("\n"))
	for i := 0; ; i++ {
		at := bytes.IndexByte(data[i:], '\r')
		if at < 0 {
			break
		}
		i += at
		if i+1 == len(data) || data[i+1] != '\n' {
			n++
		}
	}
	if len(data) > 0 && data[len(data)-1] != '\n' && data[len(data)-1] != '\r' {
		n++
	}
	return n
}

// judgeAnchors raises the gates on the anchors of a file.
func (x *linkJudge) judgeAnchors(f *file) {
	if !f.walked {
		return
	}
	for _, a := range f.citations {
		switch x.resolve(a.anchor) {
		case noFile:
			d := f.reportAt(a.at, gateSourceMissing, quote(a.path))
			d.Say("the cited file %s does not exist", a.path)
			d.Hint = cmp.Or(f.hint(x.nearest, a.path), d.Hint)
		case noPlace:
			d := f.reportAt(a.at, gateAnchorUnresolved, quote(a.written))
			why, hint := x.unresolved(f, a.anchor)
			d.Say("%s", why)
			d.Hint = cmp.Or(hint, d.Hint)
		}
	}
}

// unresolved says why an anchor to a file that exists leads to no place in it, and what
// there is.
func (x *linkJudge) unresolved(f *file, a anchor) (why, hint string) {
	forms, in := fragmentForms(), x.inputs[a.path]
	if part := forms.lines.FindStringSubmatch(a.fragment); part != nil {
		has := "has " + amount.Counted(in.lines, "line")
		if in.lines == 0 {
			has = "has no lines to cite"
		}
		if part[2] != "" {
			return fmt.Sprintf("%s %s; the anchor names lines %s to %s", a.path, has, part[1], part[2]), "name lines that the file has, the smaller number first"
		}
		return fmt.Sprintf("%s %s; the anchor names line %s", a.path, has, part[1]), "name a line that the file has"
	}
	if forms.page.MatchString(a.fragment) {
		return "the anchor " + quote(a.String()) + " names no page", "write the number of a page, such as #page=3"
	}
	if forms.time.MatchString(a.fragment) {
		return "the anchor " + quote(a.String()) + " names no time", "write it as hours, minutes and seconds, such as #t=00:12:33"
	}
	why = fmt.Sprintf("%s has no heading with the id %s", a.path, quote(a.fragment))
	if len(in.ids) == 0 {
		return why, "name a line, such as #L1: it has no headings"
	}
	if f.hints >= maxHints {
		return why, ""
	}
	ids := slices.Sorted(maps.Keys(in.ids))
	near := func(wrong string) string {
		return closest(ids[:min(len(ids), maxCandidates)], wrong, len(wrong)/3+1)
	}
	if hint = f.hint(near, markdown.Slug(a.fragment)); hint != "" {
		return why, hint
	}
	shown := ids[:min(len(ids), maxShownIDs)]
	hint = "write one of " + strings.Join(shown, ", ")
	if more := len(ids) - len(shown); more > 0 {
		hint += fmt.Sprintf(" and %d more", more)
	}
	return why, hint + "; or name a line, such as #L1"
}

// maxShownIDs is how many headings of a source a hint lists.
const maxShownIDs = 5

// bracketed is what looks like an anchor or a marker: a word and a value in brackets.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[[ \t]*([A-Za-z]{3,12})([ \t]*[:=][ \t]*|[ \t]+)([^\[\]\n]{1,200})\]`)
})

// maxBracketed is how much of a claim is searched for misspelt anchors, in bytes.
const maxBracketed = 4096

// misspelt returns what was meant as a source or a status in a claim without either, such as
// [sources: sources/a.md], and how to write it; "" where there is no such thing.
func misspelt(doc *markdown.Document, u *markdown.Unit) (written, right string) {
	text := doc.Text[u.Start:min(u.End, u.Start+maxBracketed, len(doc.Text))]
	for _, m := range bracketed().FindAllSubmatch(text, 8) {
		word, value := strings.ToLower(string(m[1])), strings.TrimSpace(string(m[3]))
		keyword := nearest.Within(word, []string{"source", "status"}, 2)
		switch {
		case word == "src" || word == "ref" || word == "cite":
			keyword = "source"
		case keyword == "":
			continue
		}
		isPath := strings.HasPrefix(value, "sources/") || strings.HasPrefix(value, "documents/") || strings.HasPrefix(value, "wiki/")
		isStatus := len(strings.Fields(value)) == 1
		if !bytes.ContainsAny(m[2], ":=") {
			isStatus = slices.Contains(schema.ClaimStatuses(), schema.Status(value))
		}
		if keyword == "source" && isPath || keyword == "status" && isStatus {
			return diag.Clip(string(m[0]), 60), fmt.Sprintf("[%s: %s]", keyword, value)
		}
	}
	return "", ""
}
