package lint

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
)

// checkFrontMatter reports required fields that are missing and no compile has
// reported, and filed answers that lack theirs.
func (r *run) checkFrontMatter() {
	k := &r.pack.Meta
	for _, f := range []struct{ name, value string }{{"name", k.Name}, {"description", k.Description}, {"type", k.Type}, {"status", string(k.Status)}} {
		if strings.TrimSpace(f.value) != "" || r.reported(f.name) {
			continue
		}
		line, column := k.Place(f.name)
		r.raise(idFrontMatter, pack.EntryName, max(1, line), max(1, column), fmt.Sprintf("required field %q is missing or empty", f.name), "add it")
	}
	for _, p := range r.pages {
		if len(p.answer) == 0 {
			continue
		}
		r.list = append(r.list, diag.Diagnostic{
			ID: idFrontMatter, Severity: diag.Warning, Path: p.path, Line: 1, Column: 1,
			Message: "a filed answer needs " + strings.Join(p.answer, ", ") + " in its front matter", Hint: "add what is missing, or file it elsewhere",
		})
	}
}

// reported reports whether the compile named a field as missing already.
func (r *run) reported(field string) bool {
	return slices.ContainsFunc(r.in.Diagnostics, func(d diag.Diagnostic) bool {
		return d.ID == "metadata-invalid" && d.Path == pack.EntryName && strings.Contains(d.Message, `"`+field+`"`)
	})
}

// leastDescription is the shortest description that says enough, in characters
// (agent-knowledge section 15).
const leastDescription = 40

// checkGuide looks at the description, the limits of a persona and the context
// map.
func (r *run) checkGuide() {
	k := &r.pack.Meta
	line, column := k.Place("description")
	switch n := utf8.RuneCountInString(k.Description); {
	case n == 0:
	case n < leastDescription:
		r.raise(idDescriptionWeak, pack.EntryName, line, column, fmt.Sprintf("the description has %d characters; %d are the least that help", n, leastDescription),
			"say what is inside and when to use it")
	case !hintsAtUse(k.Description):
		r.raise(idDescriptionWeak, pack.EntryName, line, column, "the description does not say when to use the pack", `add a sentence that begins "Use it to" or "Use when"`)
	}
	if k.EffectiveMode() == pack.ModePersona && !r.guide.limits && !slices.ContainsFunc(r.pages, func(p *page) bool { return p.limits }) {
		line, column := k.Place("runtime.mode")
		r.raise(idPersonaLimits, pack.EntryName, line, column, "the persona has no section on boundaries or taboos", "add a section headed Boundaries or Taboos")
	}
	guide := markdown.Parse(pack.EntryName, r.pack.EntryText)
	r.list = append(r.list, misspeltHeadings(guide)...)
	for _, e := range guide.ContextMap() {
		listed := r.pack.AsListed(e.Paths)
		for i, written := range e.Paths {
			target, fragment, _ := strings.Cut(listed[i], "#")
			ref := reference{kind: mapEntry, written: written, label: e.Label, target: strings.TrimSuffix(target, "/"), fragment: fragment}
			r.guide.refer(guide, ref, e.Offset)
		}
	}
}

// guideHeadings are the headings of KNOWLEDGE.md that have a meaning of their own.
var guideHeadings = []string{"context map", "documents", "boundaries", "runtime boundaries", "taboos", "compliance"}

// misspeltHeadings reports headings of the guide that were most likely meant to be one of
// those: what is below a misspelt one is text like any other.
func misspeltHeadings(guide *markdown.Document) (list []diag.Diagnostic) {
	for _, h := range guide.Headings {
		title := strings.ToLower(strings.TrimSpace(h.Text))
		if h.Boundary || slices.Contains(guideHeadings, title) {
			continue
		}
		if near := nearest.Within(title, guideHeadings, min(2, len(title)/4)); near != "" {
			line, column := guide.Position(h.Start)
			list = append(list, diag.Diagnostic{
				ID: "unknown-field", Severity: diag.Warning, Path: pack.EntryName, Line: line, Column: column,
				Message: fmt.Sprintf("the heading %q has no meaning of its own", quoted(h.Text)), Hint: fmt.Sprintf("did you mean %q?", strings.ToUpper(near[:1])+near[1:]),
			})
		}
	}
	return list
}

// hintsAtUse reports whether a description has a word that introduces its use,
// in one of the languages known here. Of others nothing is known, and nothing
// held against them: a text without any ASCII word passes.
func hintsAtUse(description string) bool {
	ascii := 0
	for word := range strings.FieldsSeq(FoldText(description)) {
		switch word {
		case "use", "used", "uses", "useful", "using", "when", "whenever", "for", "if", "answers", "ask", "consult", "helps", "load",
			"wenn", "für", "nutzen", "verwenden", "quand", "pour", "utiliser", "cuando", "para", "usar", "quando", "per", "usare":
			return true
		}
		if word[0] < utf8.RuneSelf {
			ascii++
		}
	}
	for _, hint := range []string{"用于", "使用", "适用", "適用", "用來", "当", "時に", "ための", "場合"} {
		if strings.Contains(description, hint) {
			return true
		}
	}
	return ascii == 0
}

// checkReferences reports paths of the context map and links of hand-kept views
// that lead nowhere. Compile judges the links of the guide, of documents and of
// pages.
func (r *run) checkReferences() {
	for _, p := range slices.Concat([]*page{r.guide}, r.views) {
		if p != r.guide && r.generated[p.path] {
			continue
		}
		for _, l := range p.links {
			if l.kind == mapEntry || l.kind == markdownLink && p != r.guide {
				r.checkTarget(p, l)
			}
		}
	}
}

// checkTarget reports a link whose file or heading does not exist.
func (r *run) checkTarget(p *page, l reference) {
	switch {
	case !r.exists(l.target):
		r.raise(idRefBroken, p.path, l.line, l.column, fmt.Sprintf("the link %q "+pack.NoFile, quoted(l.written)), cmp.Or(r.meant(l), "correct the path"))
	case l.fragment != "" && l.fragment != "top":
		other := r.byPath[l.target]
		if l.target == p.path {
			other = p
		}
		if other != nil && !other.ids[l.fragment] && !other.ids[strings.ToLower(l.fragment)] {
			r.raise(idRefBroken, p.path, l.line, l.column, fmt.Sprintf("the link %q "+pack.NoHeading, quoted(l.written)), cmp.Or(nearestID(l.fragment, other.ids), "correct the part after #"))
		}
	}
}

// nearestID suggests the heading that a fragment was most likely meant to name.
func nearestID(fragment string, ids map[string]bool) string {
	list := slices.Sorted(maps.Keys(ids))
	if best := nearest.Name(fragment, list[:min(len(list), maxCompared)]); best != "" {
		return fmt.Sprintf("did you mean %q?", "#"+best)
	}
	return ""
}

// meant says which file a path that does not exist was most likely meant to be: the only page
// with the title that the entry of the context map gives it, the only file of that name, or
// one of a similar path.
func (r *run) meant(l reference) string {
	if r.hints++; r.hints > maxFindings {
		return ""
	}
	var titled, named, near []string
	label := FoldText(l.label)
	for _, p := range r.pages {
		if label != "" && FoldText(p.title) == label {
			titled = append(titled, p.path)
		}
	}
	for _, f := range r.pack.Files {
		if strings.HasPrefix(f.Path, "compiled/") || strings.HasPrefix(f.Path, "indexes/") || strings.HasPrefix(f.Path, "runs/") {
			continue
		}
		if path.Base(f.Path) == path.Base(l.target) {
			named = append(named, f.Path)
		}
		if len(near) < maxCompared {
			near = append(near, f.Path)
		}
	}
	found := nearest.Within(l.target, near, len(path.Base(l.target))/4)
	switch {
	case len(titled) == 1:
		found = titled[0]
	case len(named) == 1:
		found = named[0]
	}
	if found == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", found)
}

// maxCompared is how many paths or headings a wrong one is compared with.
const maxCompared = 1000

// exists reports whether the pack has that file or directory, or compile makes
// it.
func (r *run) exists(name string) bool {
	if r.pack.Has(name) || name == "." || r.pack.HasDir(name) || r.pack.LeftOut(name) {
		return true
	}
	_, made := r.generated[name]
	return made || name == "compiled" || name == pack.IndexPath || name == pack.SplitsDir || name == "indexes" || name == pack.SourceMapPath || name == "runs"
}

// target returns the page that a link leads to: the file as named, with ".md",
// or the index of the directory.
func (r *run) target(l reference) *page {
	if l.kind == wikiLink {
		return r.names[l.target]
	}
	for _, name := range []string{l.target, l.target + ".md", path.Join(l.target, "index.md")} {
		if p := r.byPath[name]; p != nil {
			return p
		}
	}
	return nil
}
