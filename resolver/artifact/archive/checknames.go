package archive

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// RuleName is the rule of findings about files whose names no reader of archives
// takes.
const RuleName = "published-path"

// CheckNames returns a finding for each file of a pack that would keep everybody
// from pulling it: a name that some system cannot hold, or takes for another one
// of the pack. The paths are those that are published; index, which may be nil,
// tells which document a split was cut from, so that one fault is reported once.
func CheckNames(name string, paths []string, index *schema.Index) []diag.Diagnostic {
	n := nameCheck{pack: name, documents: map[string]string{}, bad: map[string]bool{}}
	if r := checkPart(name, name); r != nil {
		n.add("KNOWLEDGE.md", "rename the pack", r)
	}
	if index != nil {
		for _, s := range index.Splits {
			n.documents[s.Path] = s.Document
		}
	}
	limits := Limits{}.withDefaults()
	limits.Files = len(paths) * (limits.Depth + 1) // how many there are is not asked here
	limits.PathBytes -= len(name) + 1
	limits.Depth--
	known := newNames(limits)
	var splits []*Refusal
	for _, path := range paths {
		r := known.add(path, false)
		switch {
		case r == nil:
		case n.documents[path] != "":
			r.Path = path
			splits = append(splits, r) // once it is known which documents are at fault
		default:
			n.add(path, "rename the file", r)
		}
	}
	for _, r := range splits {
		if document := n.documents[r.Path]; !n.bad[document] {
			n.find(document, "rename the heading that the split begins with", &Refusal{Message: "of the split " + shown(r.Path) + ", " + r.Message})
		}
	}
	return n.found
}

// nameCheck is one CheckNames on its way.
type nameCheck struct {
	pack      string
	documents map[string]string // by the path of a split
	bad       map[string]bool   // files with a finding
	found     []diag.Diagnostic
}

func (n *nameCheck) add(path, hint string, r *Refusal) {
	n.bad[path] = true
	n.find(path, hint, r)
}

func (n *nameCheck) find(path, hint string, r *Refusal) {
	n.found = append(n.found, diag.Diagnostic{
		ID: RuleName, Severity: diag.Error, Pack: n.pack, Path: path, Hint: hint,
		Message: "Nobody could pull the pack: " + r.Message + ".",
	})
}
