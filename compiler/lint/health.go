package lint

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// Dimension is one side of a pack's health (agent-knowledge section 16).
type Dimension struct {
	Name    string  `json:"name"`
	Score   float64 `json:"score"`   // share of what was checked that is sound, 0 to 1, four digits; 1 when there was nothing
	Checked int     `json:"checked"` // things looked at
	Failed  int     `json:"failed"`  // of them, those with a fault
}

func newDimension(name string, checked, failed int) Dimension {
	failed = min(failed, checked)
	d := Dimension{Name: name, Score: 1, Checked: checked, Failed: failed}
	if checked > 0 {
		d.Score = math.Round(float64(checked-failed)/float64(checked)*10_000) / 10_000
	}
	return d
}

// health measures the dimensions, in the order of section 16. Each counts other
// things:
//
//   - consistency: files, and those whose content conflicts with another's;
//   - completeness: documents and pages, and those that do not open with a
//     paragraph that says what they are about, or have neither source nor example;
//   - coverage: sections and entries of the context map, and those without split
//     or file, or without content;
//   - islands: documents and pages, and those without any link to or from another
//     one and without source;
//   - freshness: claims and files, and those that are stale;
//   - traceability: claims, and those without a path back to a source;
//   - security: files scanned, and those with a secret or an instruction.
func (r *run) health(list []diag.Diagnostic) []Dimension {
	pages := r.contentPages()
	bare, islands, staleFiles := 0, 0, 0
	for _, p := range pages {
		if !p.lead || !p.sourced && !p.outside && !p.example {
			bare++
		}
		if p.inbound+p.outbound == 0 && !p.sourced {
			islands++
		}
		if p.status == schema.Stale {
			staleFiles++
		}
	}
	claims, stale, lost := 0, 0, 0
	if m := r.in.SourceMap; m != nil {
		claims = len(m.Claims)
		for _, c := range m.Claims {
			if c.Status == schema.Stale {
				stale++
			}
			if c.Source.Path == "" || c.Status == schema.Missing || c.Status == schema.SourceRequired {
				lost++
			}
		}
	}
	sections, uncovered := r.coverage()
	return []Dimension{
		newDimension("consistency", len(pages)+len(r.views), conflicting(list)),
		newDimension("completeness", len(pages), bare),
		newDimension("coverage", sections, uncovered),
		newDimension("islands", len(pages), islands),
		newDimension("freshness", claims+len(pages), stale+staleFiles),
		newDimension("traceability", claims, lost),
		newDimension("security", r.scanned, r.suspicious),
	}
}

// contentPages are the documents and pages that hold facts.
func (r *run) contentPages() []*page {
	var list []*page
	for _, p := range r.pages {
		withdrawn := p.status == schema.Draft || p.status == schema.Archived
		open := p.path == "documents/open-questions.md" || strings.HasPrefix(p.path, "wiki/") && !p.isEntry()
		if !withdrawn && !open {
			list = append(list, p)
		}
	}
	return list
}

// coverage counts what a task can be answered from: sections that became splits
// and have content, entries of the context map that exist.
func (r *run) coverage() (checked, failed int) {
	if r.in.SourceMap != nil {
		for _, s := range r.in.SourceMap.DocumentSections {
			if p := r.byPath[s.Document]; p == nil || strings.HasPrefix(s.Document, "wiki/") && !p.isEntry() || s.Document == "documents/open-questions.md" {
				continue
			}
			checked++
			if len(s.CompiledInto) == 0 {
				failed++
			}
		}
	}
	if r.in.Run != nil {
		for _, c := range r.in.Run.Chapters {
			if c.Coverage == "missing" {
				failed++
			}
		}
	}
	for _, l := range r.guide.links {
		if l.kind != mapEntry {
			continue
		}
		checked++
		if !r.exists(l.target) {
			failed++
		}
	}
	return checked, failed
}

// conflicting counts the files with a finding that says two texts disagree.
func conflicting(list []diag.Diagnostic) int {
	files := map[string]bool{}
	for _, d := range list {
		switch d.ID {
		case "claim-conflict", "claim-disputed", idEntityDuplicate, idViewContradicts:
			if d.Severity == diag.Info {
				continue // two sections of one page that are headed alike
			}
			files[d.Path] = true
		}
	}
	return len(files)
}

// suggestStatus returns the status that findings call for: never better than the
// declared one (agent-knowledge sections 14.2 and 16).
func suggestStatus(declared schema.Status, list []diag.Diagnostic) schema.Status {
	if declared == schema.Archived {
		return declared
	}
	worst := declared
	for _, d := range list {
		next := schema.Status("")
		switch d.ID {
		case "claim-conflict", "claim-disputed", idViewContradicts:
			next = schema.Disputed
		case idClaimStale, "source-changed", "source-stale":
			next = schema.Stale
		case idSecret, idInjection, idRawCopy, idFrontMatter:
			next = schema.NeedsReview
		}
		if d.Severity > diag.Info {
			worst = schema.Worse(worst, next)
		}
	}
	return worst
}

// sortSuppressed orders suppressed findings by file and place.
func sortSuppressed(list []Suppressed) {
	slices.SortFunc(list, func(a, b Suppressed) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), strings.Compare(a.ID, b.ID), strings.Compare(a.Message, b.Message))
	})
}
