package context

import (
	"bytes"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
)

// evidence looks the anchors of the selection up when the query asks for
// evidence and the pack has sources (agent-knowledge section 13.7). Anchors that
// lead nowhere are reported, and the note comes last.
func (p *picker) evidence(anchors []string) []Warning {
	asked := slices.ContainsFunc([]string{"source", "citation", "cite", "evidence", "引用", "来源"}, func(w string) bool { return p.words[w] })
	if !asked || !p.pack.HasDir("sources") {
		return nil
	}
	var list []Warning
	for _, a := range anchors {
		if !p.resolves(a) {
			list = append(list, Warning{diag.Warning, a, "The source anchor does not resolve."})
		}
	}
	return append(list, Warning{diag.Info, "sources/", "The query asks for evidence; check the source anchors."})
}

var lineFragment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^L([0-9]+)(?:-L([0-9]+))?$`)
})

// resolves reports whether an anchor leads to a place that exists (section 7.1).
// Pages and times of files without lines are taken at their word.
func (s *contents) resolves(anchor string) bool {
	name, fragment, _ := strings.Cut(anchor, "#")
	if !s.pack.Has(name) {
		return s.from.leftOut(s.pack, name)
	}
	if fragment == "" || strings.HasPrefix(fragment, "page=") || strings.HasPrefix(fragment, "t=") {
		return true
	}
	data, err := s.pack.ReadFile(name)
	if err != nil {
		return false
	}
	text, ok := frontmatter.Decode(data)
	if !ok {
		return false
	}
	if m := lineFragment().FindStringSubmatch(fragment); m != nil {
		lines := bytes.Count(text, []byte("\n"))
		if len(text) > 0 && text[len(text)-1] != '\n' {
			lines++
		}
		first, err := strconv.Atoi(m[1])
		last := first
		if m[2] != "" && err == nil {
			last, err = strconv.Atoi(m[2])
		}
		return err == nil && 1 <= first && first <= last && last <= lines
	}
	id := markdown.Slug(fragment)
	return slices.ContainsFunc(markdown.Parse(name, text).Headings, func(h markdown.Heading) bool { return h.ID == id })
}
