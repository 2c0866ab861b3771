package archive

import (
	"errors"
	"fmt"
	"slices"

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
	var found []diag.Diagnostic
	report := func(id string, severity diag.Severity, path, message, hint string) {
		found = append(found, diag.Diagnostic{ID: id, Severity: severity, Pack: name, Path: path, Message: message, Hint: hint})
	}
	if r := checkPart(name, name); r != nil {
		report(RuleName, diag.Error, pack.EntryName, "the pack cannot be unpacked: "+r.Message, "rename the pack")
	}
	limits := Limits{}.withDefaults()
	limits.Files = len(paths) * (limits.Depth + 1) // their number is not checked here
	limits.PathBytes -= len(name) + 1
	limits.Depth--
	known := newNames(limits)
	bad := map[string]*Refusal{}
	kept := slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		if r := publishable(known, path); r != nil {
			bad[path] = r
		}
		return bad[path] != nil
	})
	documents := map[string]string{} // by the path of a split
	if index != nil && len(bad) > 0 {
		for i := range index.Splits {
			documents[index.Splits[i].Path] = index.Splits[i].Document
		}
	}
	const what = "is left out of what is published"
	for _, path := range paths {
		r, document := bad[path], documents[path]
		switch {
		case r == nil:
		case document == "":
			report(RuleLeftOut, diag.Warning, path, fmt.Sprintf("the file %s: %s", what, r.Message), r.Hint)
		case bad[document] == nil:
			report(RuleLeftOut, diag.Warning, document, fmt.Sprintf("the split %s %s: %s", shown(path), what, r.Message), "rename the heading that the split begins with")
		}
	}
	diag.Sort(found)
	return kept, found
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
