package archive

import (
	"errors"
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

// The rules of findings about what no reader of archives takes.
const (
	RuleName    = "published-path"     // a name of the pack: it cannot be unpacked
	RuleLeftOut = "published-left-out" // a file: the pack is published without it
)

// leftOut drops from the paths of a pack those that no reader of published packs
// takes: outside the layout of a pack, or with a name that some system cannot hold
// or that a tool obeys, or that is one with the path before it on some system. There is a
// finding for each. The index, which may be nil, says from which document a split was cut, so
// that the fault of a document is reported once.
func leftOut(name string, paths []string, index *schema.Index) ([]string, []diag.Diagnostic) {
	l := leaving{pack: name, documents: map[string]string{}, bad: map[string]bool{}}
	if r := checkPart(name, name); r != nil {
		l.found = append(l.found, diag.Diagnostic{
			ID: RuleName, Severity: diag.Error, Pack: name, Path: pack.EntryName, Hint: "rename the pack",
			Message: "the pack cannot be unpacked: " + r.Message,
		})
	}
	limits := Limits{}.withDefaults()
	limits.Files = len(paths) * (limits.Depth + 1) // their number is not checked here
	limits.PathBytes -= len(name) + 1
	limits.Depth--
	known := newNames(limits)
	kept := make([]string, 0, len(paths))
	for _, path := range paths {
		if r := publishable(known, path); r != nil {
			l.bad[path] = true
			l.refusals = append(l.refusals, r)
			continue
		}
		kept = append(kept, path)
	}
	if index != nil && len(l.bad) > 0 {
		for i := range index.Splits {
			if s := &index.Splits[i]; l.bad[s.Path] {
				l.documents[s.Path] = s.Document
			}
		}
	}
	l.report()
	return kept, l.found
}

// publishable refuses a path that no published pack may have beside those known.
func publishable(known *names, path string) *Refusal {
	switch err := packpath.CheckPublished(path); {
	case errors.Is(err, packpath.ErrLayout):
		return refuse(ruleLayout, path, "move it below one of the folders of a pack, or out of the pack", "%s", shown(err.Error()))
	case err != nil:
		return refuse(RulePath, path, "rename the file", "%s", shown(err.Error()))
	}
	if r := known.add(path, false); r != nil {
		r.Path, r.Hint = path, "rename the file"
		return r
	}
	return nil
}

// leaving is a call of leftOut in progress.
type leaving struct {
	pack      string
	documents map[string]string // by the path of a split that is left out
	bad       map[string]bool   // files that are left out
	refusals  []*Refusal
	found     []diag.Diagnostic
}

// report makes the findings, once it is known which documents are at fault.
func (l *leaving) report() {
	for _, r := range l.refusals {
		id, severity, what := RuleLeftOut, diag.Warning, "is left out of what is published"
		at, message, hint := r.Path, fmt.Sprintf("the file %s: %s", what, r.Message), r.Hint
		if document := l.documents[r.Path]; document != "" {
			if l.bad[document] {
				continue
			}
			at, hint = document, "rename the heading that the split begins with"
			message = fmt.Sprintf("the split %s %s: %s", shown(r.Path), what, r.Message)
		}
		l.found = append(l.found, diag.Diagnostic{
			ID: id, Severity: severity, Pack: l.pack, Path: at, Message: message, Hint: hint,
		})
	}
	diag.Sort(l.found)
}
