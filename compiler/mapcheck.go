package compiler

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// Contradictions says where a source map, such as one that was written by hand,
// contradicts its pack (agent-knowledge section 8.3): claim ids that are twice,
// sources, anchors, outputs and sections that do not exist, and claims that their
// document does not make. R is what a compile of the pack makes; nothing is wrong
// with the map it would write. Each contradiction is a sentence.
func Contradictions(p *pack.Pack, r *Result, m *schema.SourceMap) []string {
	x := mapCheck{
		material: &material{opened: &opened{pack: p}, inputs: map[string]*input{}}, outputs: map[string]bool{},
		sections: map[[2]string]bool{}, claims: map[[2]string]bool{}, ids: map[string]bool{}, reported: map[string]bool{},
	}
	for _, o := range r.Outputs() {
		x.outputs[o.Path] = o.Operation != "deleted"
	}
	for _, s := range r.SourceMap.DocumentSections {
		x.sections[[2]string{s.Document, s.SectionID}] = true
	}
	for _, c := range r.SourceMap.Claims {
		x.claims[[2]string{c.Document, c.Text}] = true
	}
	for i := range m.Claims {
		x.claim(&m.Claims[i])
	}
	for _, s := range m.DocumentSections {
		x.section(s.Document, s.SectionID)
		x.into(s.CompiledInto, s.Document+"#"+s.SectionID)
	}
	return x.found
}

// mapCheck is a look through a source map.
type mapCheck struct {
	*material
	outputs          map[string]bool    // what a compile writes or keeps
	sections, claims map[[2]string]bool // of a document, by id and by text
	ids              map[string]bool    // claim ids so far
	found            []string
	reported         map[string]bool // the same, to report each once
}

// maxContradictions is how many are reported of one map.
const maxContradictions = 1000

// say reports each contradiction once.
func (x *mapCheck) say(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !x.reported[text] && len(x.found) < maxContradictions {
		x.reported[text] = true
		x.found = append(x.found, text)
	}
}

func (x *mapCheck) claim(c *schema.Claim) {
	if x.ids[c.ClaimID] {
		x.say("two claims have the id %q", c.ClaimID)
	}
	x.ids[c.ClaimID] = true
	if c.Document != "" && !x.claims[[2]string{c.Document, c.Text}] {
		x.say("%s does not say %q", c.Document, c.Text)
	}
	if c.SectionID != "" {
		x.section(c.Document, c.SectionID)
	}
	x.into(c.CompiledInto, c.ClaimID)
	if c.Source.Path == "" || c.Status == schema.Missing {
		return // compile writes it so where there is no source
	}
	a := anchor{c.Source.Path, c.Source.Anchor}
	x.know(a)
	switch x.resolve(a) {
	case noFile:
		x.say("the source %s of %s is not there", a.path, c.ClaimID)
	case noPlace:
		if c.Status != schema.SourceRequired {
			x.say("the source %s of %s has no such place", a, c.ClaimID)
		}
	}
}

// know reads what resolving an anchor needs of its file.
func (x *mapCheck) know(a anchor) {
	if !x.pack.Has(a.path) || !isInput(a.path) {
		return
	}
	in := x.inputs[a.path]
	if in != nil && (in.ids != nil || !isSlug(a.fragment)) {
		return
	}
	in = &input{ids: map[string]bool{}}
	x.inputs[a.path] = in
	data, err := x.pack.ReadFile(a.path)
	if err != nil {
		return // nothing can be cited from it
	}
	in.lines = countLines(data)
	if isMarkdown(a.path) {
		if doc, ok := parse(a.path, data); ok {
			in.ids = sectionIDs(doc)
		}
	}
}

func (x *mapCheck) section(document, id string) {
	if !x.sections[[2]string{document, id}] {
		x.say("%s has no section %q", document, id)
	}
}

// into looks at the places that something was compiled into: sections of
// documents, and files.
func (x *mapCheck) into(list []string, what string) {
	for _, to := range list {
		path, fragment, _ := strings.Cut(to, "#")
		switch {
		case strings.HasPrefix(path, "compiled/"):
			if !x.outputs[path] {
				x.say("%s of %s is not there", path, what)
			}
		case !x.pack.Has(path):
			x.say("%s of %s is not there", path, what)
		case fragment != "" && !x.sections[[2]string{path, fragment}]:
			x.say("%s has no section %q", path, fragment)
		}
	}
}
