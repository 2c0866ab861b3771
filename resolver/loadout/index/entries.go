package index

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
)

// errGone is a part of the index that has gone from the store while it was needed.
var errGone = errors.New("a part of the index is no longer in the store: build again")

// collect drafts the entries of one pack, and what is wrong with its
// metadata.loadout.
func (b *Builder) collect(r *compiler.Result) (*part, error) {
	tokenizer := b.tokenizer(r.Pack)
	declared, places, faults := packDeclarations(r.Pack, tokenizer)
	name := r.Pack.Meta.Name
	doubtful := r.Doubtful()
	p := &part{making: &making{ids: map[string]uint32{}}}
	known := map[string]bool{name: true}
	questions := context.PackQuestions(r.Pack, r.SourceMap.Claims)
	add := func(d draft, id string, n *note) {
		known[id] = true
		d.doubt = string(cmp.Or(schema.Worse(doubtful[d.path], r.Pack.Meta.Status), r.Pack.Meta.Status))
		d.declared = merged(declared[id], n.declared)
		p.add(&d, n)
	}
	add(draft{path: entryFile, source: entryFile, title: name}, name, packNote(r.Pack, tokenizer))
	for _, v := range r.Index.Views {
		id := strings.TrimSuffix(path.Base(v.Path), ".md")
		add(draft{splitID: id, path: v.Path, source: v.Path, title: id + " " + name}, id, viewNote(r, v, tokenizer))
	}
	var notes unitNotes
	units := make(map[string]*compiler.UnitInfo, len(r.Units))
	for i := range r.Units {
		units[r.Units[i].Path] = &r.Units[i]
	}
	unit := ""
	for _, s := range r.Index.Splits {
		if s.Document != unit {
			p.endDocument(unit, b.store)
			unit = s.Document
			var facts []byte
			if u := units[unit]; u != nil {
				facts, _, _ = r.Part(u, contributorName)
			}
			if !notes.read(facts) {
				return nil, errGone
			}
			faults = append(faults, notes.faults()...)
		}
		n := notes.of(s.ID)
		if n == nil { // a page with a secret, which nobody is shown
			n = fileNote(s.Path, s.Title, payload(r.Pack, s.Path), s.TokenEstimate, tokenizer)
		}
		n.declared = n.declared.answering(questionsOf(questions, &s), []string{s.Title}, tokenizer)
		add(draft{splitID: s.ID, path: s.Path, source: s.Document, title: s.Title}, s.ID, n)
	}
	p.endPiece(b.store)
	budget := nearest.Budget(mostCompared)
	ids := slices.Sorted(maps.Keys(known))
	for id, node := range places {
		if !known[id] {
			faults = append(faults, diag.Diagnostic{
				ID: idUnknown, Severity: diag.Warning, Path: entryFile, Line: node.Line, Column: node.Column,
				Message: fmt.Sprintf("metadata.loadout names %q, which is not a split or view of this pack", id),
				Hint:    hintNearest(&budget, id, ids, "use an id from compiled/index.json"),
			})
		}
	}
	for i := range faults {
		faults[i].Pack = name
	}
	diag.Sort(faults)
	p.faults = faults
	return p, nil
}

// mostCompared bounds what the search for names like misspelt ones may cost in one pack.
const mostCompared = 20_000_000

// hintNearest names the word that a misspelt one was most likely meant to be, or gives the
// other hint.
func hintNearest(budget *nearest.Budget, word string, all []string, otherwise string) string {
	if near := budget.Within(word, all, (len(word)+1)/3); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

// packNote reads the guide of a pack.
func packNote(p *pack.Pack, tokenizer loadout.Tokenizer) *note {
	doc := markdown.Parse(entryFile, p.EntryText)
	t := textOf(doc, p.Guide, len(p.EntryText), p.Meta.Name, tokenizer)
	t.words.describe(p.Meta.Description)
	n := t.note()
	n.summary, n.tokens, n.lines = summarize(p.Meta.Description), token.Estimate(p.Entry), lines(p.Entry)
	return &n
}

// viewNote reads a view: a generated one from the result, one made by hand from
// the pack.
func viewNote(r *compiler.Result, v schema.View, tokenizer loadout.Tokenizer) *note {
	data := []byte(r.Views[v.Path])
	if len(data) == 0 {
		data = payload(r.Pack, v.Path)
	}
	title := v.Kind + " " + strings.ReplaceAll(r.Pack.Meta.Name, "-", " ")
	n := fileNote(v.Path, title, data, v.TokenEstimate, tokenizer)
	n.ours = true
	if v.Kind == "briefing" {
		n.summary = summarize(r.Pack.Meta.Description)
	}
	return n
}

// payload reads a compiled file of a pack. One that cannot be read (it was
// deleted meanwhile, or never written) has no words; its entry then rests on
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
func fileNote(path, title string, data []byte, tokens int, tokenizer loadout.Tokenizer) *note {
	head := data
	if len(head) > maxViewText {
		head = head[:maxViewText]
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	doc := markdown.Parse(path, head)
	t := textOf(doc, doc.Body, len(doc.Text), title, tokenizer)
	n := t.note()
	n.tokens, n.lines = tokens, lines(data)
	return &n
}

// entry turns a draft into an entry, given its derived keywords, and reports when
// nothing can lead to it.
func (d *draft) entry(derived []string, o Options) (loadout.Entry, []diag.Diagnostic) {
	own := &d.declared
	e := loadout.Entry{
		ID:        d.id,
		Path:      o.Path(d.pack, d.path),
		Keywords:  own.keywords,
		Patterns:  own.patterns,
		Priority:  cmp.Or(own.priority, loadout.PriorityDomain),
		Summary:   cmp.Or(own.summary, d.summary, cut(oneLine(d.title)), d.id),
		Triggers:  loadout.DefaultTriggers(),
		TokensEst: float64(d.tokens),
		Lines:     d.lines,
	}
	// An entry has no field for it, and its summary is shown wherever the entry is.
	if marked := loadout.MarkSummary(d.doubt, e.Summary); marked != e.Summary {
		e.Summary = cut(marked)
	}
	if own.triggers != nil {
		e.Triggers = *own.triggers
	}
	if e.Keywords == nil || len(e.Keywords) == 0 && len(own.asked) > 0 { // names alone
		e.Keywords = derived
	}
	e.Keywords, e.Patterns = own.withQuestions(e.Keywords, e.Patterns)
	switch d.pack.Meta.Status {
	case schema.Draft, schema.Disputed:
		e.Priority = loadout.PriorityManual
	}
	if len(e.Keywords) > 0 || e.Priority != loadout.PriorityDomain {
		return e, nil
	}
	e.Priority = loadout.PriorityManual
	return e, []diag.Diagnostic{{
		ID: idUnroutable, Severity: diag.Warning, Pack: d.pack.Meta.Name, Path: strings.Clone(d.source),
		Message: fmt.Sprintf("no word of %q can lead to it; it loads by name only", d.title),
		Hint: fmt.Sprintf("add keywords in Latin letters under metadata.loadout.%s in %s", cmp.Or(d.splitID, d.pack.Meta.Name), entryFile) +
			", or name the language there and set loadout.tokenizer to unicode in the configuration",
	}}
}

// merged are the declarations about an entry: KNOWLEDGE.md over the page.
func merged(declarations ...*declaration) declaration {
	var out declaration
	for _, s := range declarations {
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
		out.asked = append(slices.Clip(out.asked), s.asked...)
		out.askedWords = strings.TrimSpace(out.askedWords + " " + s.askedWords)
		out.priority = cmp.Or(out.priority, s.priority)
		out.summary = cmp.Or(out.summary, s.summary)
	}
	return out
}

// newestRun is the time in the newest compile run id of a pack: the run that was
// just recorded, otherwise the newest of the records that exist. A run that
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

// hashDigits is how many hex digits of a hash distinguish ids.
const hashDigits = 8

// names gives every draft its id (rule 2). The id of a pack is its name; whatever meets
// it, or meets another, takes a hash. Ids that do not meet are made again when they are
// needed: all of them would fill much memory.
type names struct {
	seed maphash.Seed
	seen []uint64   // hashes of ids
	meet bool       // two ids meet, or their hashes
	ids  [][]string // by pack, where some meet

	holders map[string]int
	all     []naming // for the second look, which is for ids that meet
}

// naming is an id that may have to change.
type naming struct {
	pack, splitID string
	id            *string
}

func newNames(packs int) *names {
	return &names{seed: maphash.MakeSeed(), ids: make([][]string, packs), holders: map[string]int{}}
}

// see looks at a draft.
func (n *names) see(pack, splitID string) {
	n.seen = append(n.seen, maphash.String(n.seed, EntryID(pack, splitID)))
}

// compare finds out whether ids of the drafts that were seen meet.
func (n *names) compare() {
	slices.Sort(n.seen)
	for i := 1; i < len(n.seen) && !n.meet; i++ {
		n.meet = n.seen[i] == n.seen[i-1]
	}
	n.seen = nil
}

// again looks at a draft for the second time.
func (n *names) again(at int, pack, splitID string) {
	id := EntryID(pack, splitID)
	n.ids[at] = append(n.ids[at], id)
	n.holders[id]++
	n.all = append(n.all, naming{pack: pack, splitID: strings.Clone(splitID)})
}

// id returns the id of a draft of a pack, by its place.
func (n *names) id(at, place int, pack, splitID string) string {
	if !n.meet {
		return EntryID(pack, splitID)
	}
	return n.ids[at][place]
}

// settle tells apart the ids that meet. The hash covers the split id alone; when that is
// not enough (two packs whose names differ in punctuation only) it covers the pack's name
// too.
func (n *names) settle() {
	next := n.all
	for i := range n.ids {
		for j := range n.ids[i] {
			next[0].id, next = &n.ids[i][j], next[1:]
		}
	}
	for _, hashed := range []func(x *naming) string{
		func(x *naming) string { return x.splitID },
		func(x *naming) string { return x.pack + "/" + x.splitID },
	} {
		next := map[string]int{}
		for i := range n.all {
			x := &n.all[i]
			if n.holders[*x.id] > 1 && *x.id != x.pack {
				plain, _ := kebab(fullName(x.pack, x.splitID))
				*x.id = withHash(plain, hashed(x))
			}
			next[*x.id]++
		}
		n.holders = next
	}
	n.all, n.holders = nil, nil
}

// EntryID is the id of the entry of a split or view of a pack, of the pack itself where
// splitID is "", as long as no other one meets it.
func EntryID(pack, splitID string) string {
	id, lossy := kebab(fullName(pack, splitID))
	if lossy {
		id = withHash(id, splitID)
	}
	return id
}

// fullName is what the id of an entry is made from.
func fullName(pack, splitID string) string {
	if splitID == "" {
		return pack
	}
	return pack + "-" + splitID
}

// withHash ends an id in the hash of what it stands for.
func withHash(id, of string) string {
	sum := sha256.Sum256([]byte(of))
	hash := hex.EncodeToString(sum[:])[:hashDigits]
	if id == "" {
		return hash
	}
	return id + "-" + hash
}

// kebab lower-cases a name and turns every run of characters other than a-z and
// 0-9 into one hyphen. lossy reports whether a letter or digit was lost.
func kebab(name string) (id string, lossy bool) {
	out := make([]byte, 0, len(name))
	gap := false
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r < 'a' || r > 'z' {
			if r < '0' || r > '9' {
				gap = true
				lossy = lossy || unicode.IsLetter(r) || unicode.IsNumber(r)
				continue
			}
		}
		if gap && len(out) > 0 {
			out = append(out, '-')
		}
		gap = false
		out = append(out, byte(r))
	}
	return string(out), lossy
}
