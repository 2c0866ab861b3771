package index

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
)

// drafts lists the entries of one pack in the making, and what is wrong with
// its metadata.loadout.
func (b *Builder) drafts(r *compiler.Result) ([]*draft, []diag.Diagnostic) {
	declared, places, faults := packDeclarations(r.Pack, b.tokenizer(r.Pack))
	name := r.Pack.Meta.Name
	list := []*draft{{
		pack: r.Pack, path: entryFile, source: entryFile, title: name,
		note: b.packNote(r.Pack), declared: declared[name],
	}}
	standings := r.Standings()
	known := map[string]bool{name: true}
	for _, v := range r.Index.Views {
		id := strings.TrimSuffix(path.Base(v.Path), ".md")
		known[id] = true
		list = append(list, &draft{
			pack: r.Pack, splitID: id, path: v.Path, source: v.Path, title: id + " " + name,
			note: b.viewNote(r, v), declared: declared[id],
		})
	}
	for _, s := range r.Index.Splits {
		known[s.ID] = true
		list = append(list, &draft{
			pack: r.Pack, splitID: s.ID, path: s.Path, source: s.Document, title: s.Title,
			note: b.splitNote(r, s), declared: declared[s.ID],
		})
	}
	for _, d := range list {
		d.standing = compiler.Graver(standings[d.path], r.Pack.Meta.Status)
	}
	for id, node := range places {
		if !known[id] {
			faults = append(faults, diag.Diagnostic{
				ID: idUnknown, Severity: diag.Warning, Path: entryFile, Line: node.Line, Column: node.Column,
				Message: fmt.Sprintf("metadata.loadout names %q, which is no split or view of this pack.", id),
				Hint:    "the split ids stand in compiled/index.json",
			})
		}
	}
	faults = append(faults, pageFaults(list)...)
	for i := range faults {
		faults[i].Pack = name
	}
	return list, faults
}

// pageFaults collects what is wrong with the front matter of pages, once a page.
func pageFaults(list []*draft) []diag.Diagnostic {
	var faults []diag.Diagnostic
	seen := map[string]bool{}
	for _, d := range list {
		if page := d.note.declared; page != nil && !seen[d.source] {
			seen[d.source] = true
			faults = append(faults, page.faults...)
		}
	}
	return slices.Clone(faults)
}

// packNote reads the guide of a pack.
func (b *Builder) packNote(p *pack.Pack) *note {
	doc := markdown.Parse(entryFile, p.EntryText)
	t := textOf(doc, p.Guide, len(p.EntryText), p.Meta.Name, b.tokenizer(p))
	defer t.words.release()
	t.words.describe(p.Meta.Description)
	return &note{
		profile: b.words.profile(t.words),
		summary: summarize(p.Meta.Description),
		tokens:  token.Estimate(p.Entry),
		lines:   lines(p.Entry),
	}
}

// viewNote reads a view: a generated one from the result, one made by hand from
// the pack.
func (b *Builder) viewNote(r *compiler.Result, v schema.View) *note {
	data := []byte(r.Views[v.Path])
	if len(data) == 0 {
		data = payload(r.Pack, v.Path)
	}
	title := v.Kind + " " + strings.ReplaceAll(r.Pack.Meta.Name, "-", " ")
	n := b.fileNote(r.Pack, v.Path, title, data, v.TokenEstimate)
	n.profile.ours = true
	if v.Kind == "briefing" {
		n.summary = summarize(r.Pack.Meta.Description)
	}
	return n
}

// splitNote returns what Visit noted about a split, or reads the file of a
// split that no visit saw.
func (b *Builder) splitNote(r *compiler.Result, s schema.Split) *note {
	if n := b.splits[splitKey{r.Pack.Meta.Name, s.ID}]; n != nil {
		return n
	}
	return b.fileNote(r.Pack, s.Path, s.Title, payload(r.Pack, s.Path), s.TokenEstimate)
}

// payload reads a compiled file of a pack. One that cannot be read (it went
// away meanwhile, or was never written) has no words; its entry then rests on
// its title and on the figures of the compiled index.
func payload(p *pack.Pack, path string) []byte {
	data, err := p.ReadFile(path)
	if err != nil {
		return nil
	}
	return data
}

// maxViewText is how many bytes at the head of a compiled file are read for
// words: a list of ten thousand pages needs no more than its beginning.
const maxViewText = 64 << 10

// fileNote describes a compiled file by its text.
func (b *Builder) fileNote(p *pack.Pack, path, title string, data []byte, tokens int) *note {
	head := data
	if len(head) > maxViewText {
		head = head[:maxViewText]
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	doc := markdown.Parse(path, head)
	t := textOf(doc, doc.Body, len(doc.Text), title, b.tokenizer(p))
	defer t.words.release()
	return &note{
		profile: b.words.profile(t.words),
		summary: t.summary,
		tokens:  tokens,
		lines:   lines(data),
	}
}

// entry turns a draft into an entry and reports when nothing can lead to it.
func (b *Builder) entry(d *draft, shared sharing, o Options) (loadout.Entry, []diag.Diagnostic) {
	said := d.said()
	e := loadout.Entry{
		ID:        d.id,
		Path:      o.Path(d.pack, d.path),
		Keywords:  said.keywords,
		Patterns:  said.patterns,
		Priority:  cmp.Or(said.priority, loadout.PriorityDomain),
		Summary:   cmp.Or(said.summary, d.note.summary, cut(oneLine(d.title)), d.id),
		Triggers:  loadout.DefaultTriggers(),
		TokensEst: float64(d.note.tokens),
		Lines:     d.note.lines,
	}
	// An entry has no field for it, and its summary is shown wherever the entry is.
	switch d.standing {
	case "stale":
		e.Summary = cut("Stale: " + e.Summary)
	case "disputed":
		e.Summary = cut("Disputed: " + e.Summary)
	}
	if said.triggers != nil {
		e.Triggers = *said.triggers
	}
	if e.Keywords == nil {
		e.Keywords = b.words.derive(d.note.profile, shared)
	}
	switch d.pack.Meta.Status {
	case "draft", "disputed":
		e.Priority = loadout.PriorityManual
	}
	if len(e.Keywords) > 0 || e.Priority != loadout.PriorityDomain {
		return e, nil
	}
	e.Priority = loadout.PriorityManual
	return e, []diag.Diagnostic{{
		ID: idUnroutable, Severity: diag.Warning, Pack: d.pack.Meta.Name, Path: d.source,
		Message: fmt.Sprintf("No word of %q can lead to it; it loads by name only.", d.title),
		Hint: fmt.Sprintf("add keywords in Latin letters under metadata.loadout.%s in %s", cmp.Or(d.splitID, d.pack.Meta.Name), entryFile) +
			", or set loadout.tokenizer to unicode in the configuration",
	}}
}

// said merges the declarations about a draft: KNOWLEDGE.md over the page.
func (d *draft) said() declaration {
	var out declaration
	for _, s := range []*declaration{d.declared, d.note.declared} {
		if s == nil {
			continue
		}
		if out.keywords == nil {
			out.keywords, out.places = s.keywords, s.places
		}
		if out.patterns == nil {
			out.patterns = s.patterns
		}
		if out.triggers == nil {
			out.triggers = s.triggers
		}
		out.priority = cmp.Or(out.priority, s.priority)
		out.summary = cmp.Or(out.summary, s.summary)
	}
	return out
}

// isoMilliseconds is the time format of an index (loadout section 2.3).
const isoMilliseconds = "2006-01-02T15:04:05.000Z"

// assemble makes the index of entries.
func assemble(entries []loadout.Entry, at time.Time) *loadout.Index {
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	return &loadout.Index{
		Version:   loadout.Version,
		Generated: at.UTC().Format(isoMilliseconds),
		Entries:   entries,
		Budget:    loadout.ComputeBudget(entries),
	}
}

// newestRun is the time in the newest compile run id of a pack: the run that was
// just recorded, else the newest of the records that are there. A run that
// changed nothing is not recorded and does not count, so that building again
// gives the same index. The zero time when there is none.
func newestRun(r *compiler.Result) time.Time {
	switch {
	case r.RunPath != "":
		return runTime(r.Run.RunID)
	case len(r.Recorded) > 0:
		return runTime(strings.TrimSuffix(path.Base(r.Recorded[0]), ".json"))
	}
	return time.Time{}
}

// runTime is the time in the id of a compile run; the zero time for another id.
func runTime(id string) time.Time {
	name, err := schema.ParseRunName(id)
	if err != nil || name.Kind != "compile" {
		return time.Time{}
	}
	return name.Time
}
