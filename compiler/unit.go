package compiler

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unique"
	"weak"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// Unit is one Markdown file of documents/ or wiki/ while its parsed tree is in
// memory, with the splits cut from it. A visitor must not keep it.
type Unit struct {
	Pack   *pack.Pack
	Doc    *markdown.Document
	SHA256 string      // of the file's bytes on disk
	Title  string      // first H1, otherwise file stem
	Splits []SplitText // what this unit gave, in order; empty for inputs only
}

// SplitText is a split with its text (markers appended, agent-knowledge section
// 6.6). It is seen before paths of the whole pack are compared: a split that
// turns out to be a path-collision is shown to a visitor and not written.
type SplitText struct {
	schema.Split        // Order is not yet known: 0
	Start, End   int    // the slice of Doc.Text it was cut from, blank lines at both ends left out
	Text         string // the file's bytes: the headings above the slice, and the slice
}

// file is a Markdown file of documents/ or wiki/ during a compile.
type file struct {
	path string
	size int64 // bytes on disk
	role role
	read bool // before all others

	linkedTo bool // by wiki/index.md

	// The result of the action of the unit.
	info      UnitInfo
	limits    bool // states boundaries or taboos
	walked    bool // gives source-map entries
	lines     int  // lines of the file, for anchors that point here
	lead      string
	routing   string       // the sum of what its front matter declares; "": nothing
	sections  []section    // until the pack is joined
	citations []citation   // every usable anchor, headings included
	aside                  // none when it is in the store
	asideSum  store.Digest // of it in the store
	diags     []diag.Diagnostic
	key       store.Digest                // of its record in the store; unknown when it does not exist
	texts     []byte                      // of its splits, when they are not in the store
	suppress  []lint.Suppression          // what comments in it switch off
	secrets   []foundSecret               // likely ones, to keep them out of messages
	masks     *strings.Replacer           // cuts them short; made when it is asked for
	splits    []schema.Split              // of it in the index, once that is made
	reported  map[string]bool             // findings that are raised once
	ids       weak.Pointer[reference.IDs] // of the places in it, made when a link asks
	hints     int                         // given so far, see links.go
	lost      []lostLink
}

// section is what is kept of a section.
type section struct {
	id, title  string
	at         place        // where it starts
	split      schema.Split // Path is "" when the section has no split
	size       int          // of the split in bytes
	shared     bool         // is in the split of the section before; of split, only Path is known
	bare       bool         // no content block, or only a placeholder
	withheld   bool         `keep:"-"` // of a file with a secret: no split, no entry of the source map
	anchors    []string
	statements []statement
	coverage   string `keep:"-"` // of the chapter (section 9), known at the join
}

// place is a 1-based line and column (in bytes) of a file; zero is the file as a
// whole.
type place struct{ line, column int }

// placeOf returns the place of an offset.
func placeOf(doc *markdown.Document, offset int) place {
	line, column := doc.Position(offset)
	return place{line, column}
}

// citation is a usable anchor as it is in a file.
type citation struct {
	anchor
	written string
	at      place
}

// analyse does the action of one unit, or takes its result from the store.
func (m *material) analyse(ctx context.Context, f *file) error {
	if f.read {
		return nil
	}
	at, _ := m.pack.Stat(f.path)
	if f.size > maxRead {
		return m.skipLarge(f, at)
	}
	sum := m.cache.known(at)
	if sum.Known() && m.recall(f, sum) {
		return nil
	}
	data, err := m.pack.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	if read := store.Sum(data); read != sum {
		m.cache.learn(f.path, read)
		if m.recall(f, read) {
			return nil
		}
		sum = read
	}
	return m.readUnit(ctx, f, data, sum)
}

// readUnit is the action of a unit: it parses a file, cuts it and reads its claims. The
// record depends on nothing but the bytes, the path, the contract and whether claims are asked
// for a source, so it is kept.
// Only what the join needs stays in memory: strings of the parser, which are small
// copies and no slices of the body. A large file takes seconds: the context is asked
// between the steps.
func (m *material) readUnit(ctx context.Context, f *file, data []byte, sum store.Digest) error {
	f.info = UnitInfo{Path: f.path, Title: stemOf(f.path), SHA256: sum.String(), Size: int64(len(data))}
	f.lines = countLines(data)
	doc, ok := parse(f.path, data)
	if !ok {
		if m.isPrimary(f.path) {
			f.reportUndecodable(data)
		}
		return nil
	}
	if doc.Unclosed() {
		f.info.Status = doc.Status
		f.diags = append(f.diags, doc.Diagnostics...)
		return nil
	}
	f.describe(doc)
	f.routing = declaredRouting(doc)
	f.suppress, _ = lint.Suppressions(f.path, doc.Text)
	f.scan(doc)
	f.links = linksOf(doc)
	if m.isPrimary(f.path) {
		f.takeFaults(doc, m.pack.IsMapped(f.path))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	splits := m.cut(f, doc)
	f.measure()
	if err := ctx.Err(); err != nil {
		return err
	}
	u := &Unit{Pack: m.pack, Doc: doc, SHA256: f.info.SHA256, Title: f.info.Title, Splits: splits}
	if len(f.secrets) > 0 { // no trace of a secret stays anywhere
		f.texts = textsOf(splits)
		return nil
	}
	if err := m.remember(f, sum, u); err != nil {
		return err
	}
	if m.opt.Visit != nil {
		if err := m.opt.Visit(u); err != nil {
			return fmt.Errorf("visit %s: %w", f.path, err)
		}
	}
	return nil
}

// parse reads a file as Markdown; ok is false when it is not text.
func parse(name string, data []byte) (doc *markdown.Document, ok bool) {
	text, ok := frontmatter.Decode(data)
	if !ok {
		return nil, false
	}
	return markdown.Parse(name, text), true
}

// textsOf are the texts of splits, one after another.
func textsOf(splits []SplitText) []byte {
	size := 0
	for i := range splits {
		size += len(splits[i].Text)
	}
	texts := make([]byte, 0, size)
	for i := range splits {
		texts = append(texts, splits[i].Text...)
	}
	return texts
}

// measure notes the sizes of the splits, collisions with other files included.
func (f *file) measure() {
	f.info.Sizes = make([]SplitSize, 0, len(f.sections))
	for i := range f.sections {
		if s := &f.sections[i]; s.split.Path != "" && !s.shared {
			f.info.Sizes = append(f.info.Sizes, SplitSize{s.split.Path, s.size})
		}
	}
}

// remember keeps the record of a unit, and what contributors make of it.
func (m *material) remember(f *file, sum store.Digest, u *Unit) error {
	s := m.cache.store
	f.key = m.cache.unitKey(f, sum, m.asksForSources(f.path))
	f.info.Texts = s.SetBlob(textsOf(u.Splits))
	f.asideSum, f.aside = s.SetBlob(store.Encode(&f.aside)), aside{}
	if err := m.contribute(f, u); err != nil {
		return err
	}
	s.SetAction(f.key, store.Result{s.SetBlob(f.record()), f.info.Texts, f.asideSum})
	return nil
}

// unitKey is the key of the action of a unit with those bytes, whose claims are asked for a
// source or not.
func (n *cache) unitKey(f *file, sum store.Digest, asked bool) store.Digest {
	return n.unit.With(f.path, string(sum[:]), strconv.FormatBool(n.pack.IsMapped(f.path)), strconv.FormatBool(asked))
}

// recall takes the record of a unit with those bytes from the store; false when it
// does not exist, or a part of it.
func (m *material) recall(f *file, sum store.Digest) bool {
	s := m.cache.store
	key := m.cache.unitKey(f, sum, m.asksForSources(f.path))
	found, ok := s.Action(key)
	if !ok || len(found) != 3 || !s.Has(found[1]) || !s.Has(found[2]) {
		return false
	}
	parts, ok := m.contributed(key)
	if !ok {
		return false
	}
	blob, ok := s.Blob(found[0])
	if !ok {
		return false
	}
	g := *f
	g.info.SHA256 = sum.String()
	if !g.takeRecord(blob) {
		return false
	}
	g.key, g.info.Texts, g.asideSum, g.info.parts = key, found[1], found[2], parts
	g.measure()
	*f = g
	return true
}

// skipLarge hashes a file that is too large to be read as Markdown.
func (m *material) skipLarge(f *file, at pack.File) error {
	sum := m.cache.sum(at)
	if !sum.Known() {
		return fmt.Errorf("read %s: it cannot be read", f.path)
	}
	f.info = UnitInfo{Path: f.path, Title: stemOf(f.path), SHA256: sum.String(), Size: f.size}
	if m.isPrimary(f.path) {
		d := f.report(gateEncodingInvalid, "the file is larger than "+bytesize.Text(maxRead))
		d.Hint = "move the material to sources/, or cut the file into several"
	}
	return nil
}

// describe fills in what is known without the rest of the pack.
func (f *file) describe(doc *markdown.Document) {
	_, title := cut.Name(doc, f.info.Title)
	f.info.Title = title
	f.info.Status = doc.Status
	f.info.Targets = doc.Targets
	f.info.Comments = markdown.HiddenIn(doc).Comments(doc.Text)
	if visible, hides := markdown.VisibleOf(doc); hides {
		f.info.Visible = store.Sum(visible)
	}
	f.info.Aliases, f.info.Addresses = doc.MetaList(false, "aliases", "alias"), doc.Addresses()
	f.limits = doc.SetsLimits()
	f.info.Headings = make([]HeadingInfo, len(doc.Headings))
	for i, h := range doc.Headings {
		f.info.Headings[i] = HeadingInfo{Level: h.Level, ID: h.ID, Text: h.Text}
	}
	withdrawn := doc.Status == schema.Draft || doc.Status == schema.Archived
	f.walked = f.role != inputOnly && !withdrawn
}

// takeFaults takes over what the parser found: front matter faults always,
// faults of anchors only where anchors count. In a folder that was written for another
// system a status or key that packs do not know means nothing.
func (f *file) takeFaults(doc *markdown.Document, foreign bool) {
	for _, d := range doc.Diagnostics {
		if foreign && markdown.IsForeign(d) {
			continue
		}
		if d.ID == markdown.ForeignID || f.walked {
			f.diags = append(f.diags, d)
		}
	}
}

// hasProperties reports a file whose front matter says more than what it is called:
// a record of a vault, or a page that another system makes of its keys.
func hasProperties(doc *markdown.Document) bool {
	for _, key := range frontmatter.NewMap(doc.Path, doc.Meta, nil).Keys() {
		switch key.Value {
		case "title", "description", "status", "draft":
		default:
			return true
		}
	}
	return false
}

// cut cuts a file and reads its claims. It returns the texts of its splits.
func (k *contract) cut(f *file, doc *markdown.Document) []SplitText {
	if !f.walked {
		return nil
	}
	pieces, whole := cutByRole(f, doc)
	if len(pieces) == 0 {
		f.walked = false
		if !hasProperties(doc) {
			f.report(gateDocumentEmpty, "the file has no heading and no text")
		}
		return nil
	}
	f.reportStatus(doc)
	f.cite(doc)
	f.lead = doc.Lead()
	f.sections = make([]section, len(pieces))
	f.withhold()
	marks := k.statements(f, doc, pieces)
	if !f.role.getsSplits() {
		for i, p := range pieces {
			f.sections[i].describe(doc, p)
		}
		return nil
	}
	for i, p := range pieces {
		s := &f.sections[i]
		s.describe(doc, p)
		if p.Oversize {
			f.reportAt(s.at, gateSplitOversize, quote(p.Title)).
				Say("the section %s has about %d tokens, and a split should have at most %d", quote(p.Title), p.Tokens, cut.SoftCap)
		}
	}
	joined := k.apart.join(doc, pieces, func(i int) bool { return f.sections[i].withheld })
	return f.makeSplits(doc, pieces, joined, marks, whole)
}

// cutByRole cuts a file as its role says.
func cutByRole(f *file, doc *markdown.Document) (pieces []cut.Piece, whole bool) {
	stem := stemOf(f.path)
	switch f.role {
	case document, openDocument:
		return cut.Document(doc, stem), false
	case page:
		return cut.Page(doc, stem)
	}
	return cut.Whole(doc, stem), true
}

// describe fills in what a section is without its claims.
func (s *section) describe(doc *markdown.Document, p cut.Piece) {
	s.id, s.title = p.ID, p.Title
	s.at = placeOf(doc, p.First)
	s.bare = isBare(doc, p)
	s.anchors = anchorsIn(doc, p)
}

// anchorsIn lists the usable anchors of a slice, first occurrence order.
func anchorsIn(doc *markdown.Document, p cut.Piece) []string {
	list := []string{}
	seen := map[string]bool{}
	from, _ := slices.BinarySearchFunc(doc.Anchors, p.Start, func(a markdown.Anchor, at int) int { return a.Offset - at })
	for _, a := range doc.Anchors[from:] {
		if a.Offset >= p.End {
			break
		}
		if key := (anchor{a.Path, a.Fragment}).String(); a.Usable && !seen[key] {
			key = shared(key)
			seen[key] = true
			list = append(list, key)
		}
	}
	return list
}

// shared returns a string that is one with its equals: many claims of a pack cite one source.
func shared(text string) string { return unique.Make(text).Value() }

// isBare reports a section without content block, or with a single one that
// reads as a placeholder (section 9, chapters).
func isBare(doc *markdown.Document, p cut.Piece) bool {
	from, _ := slices.BinarySearchFunc(doc.Blocks, p.Start, func(b markdown.Block, at int) int { return b.Start - at })
	only := -1
	for i := from; i < len(doc.Blocks) && doc.Blocks[i].Start < p.End; i++ {
		if !doc.Blocks[i].Content {
			continue
		}
		if only >= 0 {
			return false
		}
		only = i
	}
	return only < 0 || isPlaceholder(doc, doc.Blocks[only])
}

// maxPlaceholder is the length in bytes above which a block is not read as a
// placeholder; the longest one is far shorter.
const maxPlaceholder = 256

func isPlaceholder(doc *markdown.Document, b markdown.Block) bool {
	if b.End-b.Start > maxPlaceholder {
		return false
	}
	text := strings.ToLower(strings.TrimSpace(doc.PlainText(b.Node)))
	if text != "" && strings.Trim(text, ".…") == "" {
		return true
	}
	text = strings.TrimSuffix(strings.TrimSuffix(text, "."), "。")
	switch text {
	case "tbd", "todo", "fixme", "n/a", "to be decided", "to be written", "coming soon", "待定", "待补充":
		return true
	}
	return false
}

// reportStatus raises the gates on the status of a file; only files that get
// splits are looked at, and those that record gaps and conflicts (section 6.10).
func (f *file) reportStatus(doc *markdown.Document) {
	at := statusPlace(doc)
	id := ""
	switch f.info.Status {
	case schema.NeedsReview:
		id = gateStatusNeedsReview
	case schema.Stale:
		id = gateSourceStale
	case schema.Disputed:
		id = gateClaimDisputed
	}
	if id != "" && f.role.getsSplits() {
		f.reportAt(at, id, "Status of this file is "+string(f.info.Status)+".").Say("the status of this file is %s", f.info.Status)
	}
	if f.isOpen() && f.role.recordsQuestions() {
		f.reportAt(at, gateQuestionOpen, quote(f.info.Title)).Say("the question %s has no answer yet", quote(f.info.Title))
	}
	if f.isOpen() && f.role == contradiction {
		f.reportAt(at, gateContradictionOpen, quote(f.info.Title)).Say("the contradiction %s is not settled", quote(f.info.Title))
	}
}

// statusPlace is where a file declares its status, or where its first heading
// is, or the file as a whole.
func statusPlace(doc *markdown.Document) place {
	if doc.Meta != nil {
		for i := 0; i+1 < len(doc.Meta.Content); i += 2 {
			if key := doc.Meta.Content[i]; key.Value == "status" {
				return place{key.Line, key.Column}
			}
		}
	}
	if len(doc.Headings) > 0 {
		return placeOf(doc, doc.Headings[0].Start)
	}
	return place{}
}

// isOpen reports a page that records an unresolved matter (section 6.4).
func (f *file) isOpen() bool { return f.walked && f.info.Status != schema.Ready }

// report adds a finding about the whole file. What it returns may be amended
// until the next one is added.
func (f *file) report(id, message string) *diag.Diagnostic {
	f.diags = append(f.diags, finding(id, f.path, message))
	return &f.diags[len(f.diags)-1]
}

// reportAt adds a finding at a place of the file.
func (f *file) reportAt(at place, id, message string) *diag.Diagnostic {
	d := f.report(id, message)
	d.Line, d.Column = at.line, at.column
	return d
}

// quote puts a user's text into a message, without escaping (section 6.10).
func quote(text string) string { return `"` + text + `"` }

// unitRecord is what an analysis made of a file, as far as it follows from the file and
// the options alone: links are kept as written, because whether they lead anywhere
// follows from the other files.
type unitRecord struct {
	info           UnitInfo
	walked, limits bool
	lines          int
	lead, routing  string
	citations      []citation
	diags          []diag.Diagnostic
	suppress       []lint.Suppression
	sections       []section
}

// record returns what is kept of a file.
func (f *file) record() []byte {
	return store.Encode(&unitRecord{f.info, f.walked, f.limits, f.lines, f.lead, f.routing, f.citations, f.diags, f.suppress, f.sections})
}

// takeRecord fills a file with its record; false when that is damaged.
func (f *file) takeRecord(blob []byte) bool {
	var r unitRecord
	if !store.Decode(blob, &r) {
		return false
	}
	for i := range r.sections {
		if name := r.sections[i].split.Path; name != "" && (!strings.HasPrefix(name, splitsDir) || packpath.Check(name) != nil) {
			return false
		}
	}
	r.info.Path, r.info.SHA256 = f.path, f.info.SHA256
	f.info, f.walked, f.limits, f.lines, f.lead, f.routing = r.info, r.walked, r.limits, r.lines, r.lead, r.routing
	f.citations, f.diags, f.suppress, f.sections = r.citations, r.diags, r.suppress, r.sections
	return true
}

// aside is what is only needed of one file at a time, and of all files together would fill
// much memory.
type aside struct {
	links []link
	items []string // one-line forms of statements for compiled/facts.md, in their order
}

// asideOf returns the links and items of a file.
func (m *material) asideOf(f *file) (aside, error) {
	if !f.asideSum.Known() {
		return f.aside, nil
	}
	var a aside
	if data, ok := m.cache.store.Blob(f.asideSum); !ok || !store.Decode(data, &a) {
		return aside{}, fmt.Errorf("the links of %s are no longer in the store: run again", f.path)
	}
	return a, nil
}
