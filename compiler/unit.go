package compiler

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// Unit is one Markdown file of documents/ or wiki/ while its parsed tree is in
// memory, with the splits cut from it. A visitor must not keep it.
type Unit struct {
	Pack   *pack.Pack
	Doc    *markdown.Document
	SHA256 string      // of the file's bytes on disk
	Title  string      // first H1, else file stem
	Splits []SplitText // what this unit gave, in order; empty for inputs only
}

// SplitText is a split with its text (markers appended, agent-knowledge section
// 6.6). It is seen before paths of the whole pack are compared: a split that
// turns out to be a path-collision is shown to a visitor and not written.
type SplitText struct {
	schema.Split        // Order is not yet known: 0
	Start, End   int    // the slice of Doc.Text it was cut from, blank lines at both ends left out
	Text         string // the file's bytes
}

// file is a Markdown file of documents/ or wiki/ on its way through a compile.
type file struct {
	path  string
	size  int64 // bytes on disk
	role  role
	order int    // place in compile order, 0-based; files that are no primary source come last
	base  string // folded path of its splits, see collide.go
	read  bool   // analysed before all others
	wait  bool   // its splits are staged later
	hold  bool   // its splits may collide with those of another file

	info      UnitInfo
	ids       map[string]bool // of headings, made when a link asks
	changed   map[string]bool // sources reported as changed
	hints     int             // given so far, see links.go
	limits    bool            // speaks of boundaries or taboos
	walked    bool            // gives source-map entries
	lines     int             // lines of the file, for anchors that point here
	lead      string
	sections  []section
	citations []citation // every usable anchor, headings included
	refs      []reference
	diags     []diag.Diagnostic
	held      []SplitText // splits that wait for the decision on their paths
	written   []writtenLink
	before    int               // findings before those on links
	after     int               // the same with them
	blob      string            // for the cache, see unitcache.go
	hits      []secret.Hit      // likely secrets, dropped with the tree
	secrets   []foundSecret     // the same, to keep them out of messages
	masks     *strings.Replacer // cuts them short; made when it is asked for
}

// section is what is kept of a section.
type section struct {
	id, title  string
	at         place        // where it starts
	split      schema.Split // Path is "" when the section has no split
	bare       bool         // no content block, or only a placeholder
	anchors    []string
	statements []statement
	coverage   string // of the chapter (section 9), known at the join
	withheld   bool   // holds a secret: no split, no entry of the source map
}

// place is a 1-based line and column (in bytes) of a file; zero is the file as a
// whole.
type place struct{ line, column int }

// placeOf returns the place of an offset.
func placeOf(doc *markdown.Document, offset int) place {
	line, column := doc.Position(offset)
	return place{line, column}
}

// citation is a usable anchor as it stands in a file.
type citation struct {
	anchor
	written string
	at      place
}

// analyse reads and parses one file, cuts it, shows it to the visitor and stages
// its splits. Only what the join needs stays: strings of the parser, which are
// small copies and no slices of the body.
func (c *compilation) analyse(f *file) error {
	if c.restore(f) {
		return nil
	}
	if f.size > maxRead {
		return c.skipLarge(f)
	}
	data, err := c.pack.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	f.info = UnitInfo{Path: f.path, Title: stemOf(f.path), SHA256: hexSum(data), Size: int64(len(data))}
	f.lines = countLines(data)
	doc, ok := c.parse(f.path, data)
	if !ok {
		if f.isPrimary(c) {
			f.report(gateEncodingInvalid, "The file is not UTF-8, or holds a NUL byte.")
		}
		return nil
	}
	f.describe(doc)
	f.scan(doc)
	if f.path == wikiIndex {
		c.linked = pageOrder(doc, c.isPage)
	}
	f.written = linksOf(doc)
	f.before = len(f.diags)
	f.refs = c.links.check(f)
	f.after = len(f.diags)
	if f.isPrimary(c) {
		f.takeFaults(doc)
	}
	splits := c.sections(f, doc)
	f.hits = nil
	c.remember(f)
	if c.opt.Visit != nil && len(f.secrets) == 0 && !c.visited[f.path] {
		u := &Unit{Pack: c.pack, Doc: doc, SHA256: f.info.SHA256, Title: f.info.Title, Splits: splits}
		if err := c.opt.Visit(u); err != nil {
			return fmt.Errorf("visit %s: %w", f.path, err)
		}
	}
	if f.hold || f.wait {
		f.held = splits
		return nil
	}
	return c.stage(f, splits)
}

// skipLarge hashes a file that is too large to be read as Markdown.
func (c *compilation) skipLarge(f *file) error {
	sum, err := c.pack.SHA256(f.path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	f.info = UnitInfo{Path: f.path, Title: stemOf(f.path), SHA256: sum, Size: f.size}
	if f.isPrimary(c) {
		d := f.report(gateEncodingInvalid, fmt.Sprintf("The file is larger than %d MiB.", maxRead>>20))
		d.Hint = "move the material to sources/, or cut the file into several"
	}
	return nil
}

// describe fills in what is known without the rest of the pack.
func (f *file) describe(doc *markdown.Document) {
	_, title := cut.Name(doc, f.info.Title)
	f.info.Title = title
	f.info.Status = doc.Status
	f.limits = setsLimits(doc)
	f.info.Headings = make([]HeadingInfo, len(doc.Headings))
	for i, h := range doc.Headings {
		f.info.Headings[i] = HeadingInfo{Level: h.Level, ID: h.ID, Text: h.Text}
	}
	withdrawn := doc.Status == "draft" || doc.Status == "archived"
	f.walked = f.role != inputOnly && !withdrawn
}

// takeFaults takes over what the parser found: front matter faults always,
// faults of anchors only where anchors count.
func (f *file) takeFaults(doc *markdown.Document) {
	for _, d := range doc.Diagnostics {
		if d.ID == gateMetadataInvalid || f.walked {
			f.diags = append(f.diags, d)
		}
	}
}

// sections cuts a file and reads its claims. It returns the texts of its splits.
func (c *compilation) sections(f *file, doc *markdown.Document) []SplitText {
	if !f.walked {
		return nil
	}
	pieces, whole := cutByRole(f, doc)
	if len(pieces) == 0 {
		f.walked = false
		f.report(gateDocumentEmpty, "The file has no heading and no text.")
		return nil
	}
	f.reportStatus(doc)
	f.cite(doc)
	f.lead = doc.Lead()
	f.sections = make([]section, len(pieces))
	f.withhold(pieces)
	marks := c.statements(f, doc, pieces)
	if !f.role.getsSplits() {
		for i, p := range pieces {
			f.sections[i].describe(doc, p)
		}
		return nil
	}
	splits := make([]SplitText, 0, len(pieces))
	own := make(map[string]bool, len(pieces))
	for i, p := range pieces {
		s := &f.sections[i]
		s.describe(doc, p)
		if p.Oversize {
			d := f.reportAt(s.at, gateSplitOversize, quote(p.Title))
			d.Hint = fmt.Sprintf("it has about %d tokens, more than %d: %s", p.Tokens, cut.SoftCap, d.Hint)
		}
		if s.withheld {
			continue
		}
		text := p.Text(doc, marks[i])
		s.split = newSplit(f, p, whole, text, s.anchors)
		if !c.checkSplitPath(f, s, own) {
			continue
		}
		c.findCopies(f, s.split.Path, text)
		splits = append(splits, SplitText{Split: s.split, Start: p.First, End: p.Last, Text: string(text)})
	}
	return splits
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
			seen[key] = true
			list = append(list, key)
		}
	}
	return list
}

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
	case needsReview:
		id = gateStatusNeedsReview
	case stale:
		id = gateSourceStale
	case disputed:
		id = gateClaimDisputed
	}
	if id != "" && f.role.getsSplits() {
		f.reportAt(at, id, "Status of this file is "+f.info.Status+".")
	}
	if f.isOpen() && f.role.recordsQuestions() {
		f.reportAt(at, gateQuestionOpen, quote(f.info.Title))
	}
	if f.isOpen() && f.role == contradiction {
		f.reportAt(at, gateContradictionOpen, quote(f.info.Title))
	}
}

// statusPlace is where a file declares its status, or where its first heading
// stands, or the file as a whole.
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
func (f *file) isOpen() bool { return f.walked && f.info.Status != "ready" }

// isPrimary reports whether the file is on a side that the profile declares as a
// fact source.
func (f *file) isPrimary(c *compilation) bool {
	if strings.HasPrefix(f.path, "documents/") {
		return c.documents
	}
	return c.wiki
}

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

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
