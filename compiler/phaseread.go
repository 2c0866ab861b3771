package compiler

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
)

// material is what was read of a pack: every file by itself, and what earlier runs
// recorded of the claims.
type material struct {
	*opened
	files   []*file // Markdown files of documents/ and wiki/: compile order, then the rest
	byPath  map[string]*file
	guide   *file             // KNOWLEDGE.md, for its links
	limits  []string          // list items of the guide that are under a boundary heading
	inputs  map[string]*input // every input by path
	history *history
	ledger  *baseline.Ledger // of the claims as they are now
	sources copySources
	known   publishedClaims
	found   []diag.Diagnostic // about files that are not units
}

// readUnits does the actions of all files, in parallel.
func (c *opened) readUnits(ctx context.Context) (*material, error) {
	m := &material{opened: c, byPath: map[string]*file{}, inputs: make(map[string]*input, len(c.pack.Files))}
	m.sources.pack = c.pack
	var err error
	if m.history, err = openHistory(c.out.old); err != nil {
		return nil, err
	}
	m.readGuide()
	if err := m.readOthers(ctx); err != nil {
		return nil, err
	}
	if err := m.orderFiles(ctx); err != nil {
		return nil, err
	}
	if err := m.parallel(ctx, len(m.files), func(i int) error { return m.analyse(ctx, m.files[i]) }); err != nil {
		return nil, err
	}
	m.addUnits()
	if err := m.findCopies(ctx); err != nil {
		return nil, err
	}
	if !m.recallHistory() {
		m.history.read(m.files, m.pack)
	}
	return m, m.assess(ctx)
}

// readGuide reads the guide: its limits go into a view, and its links are judged
// like those of documents and pages.
func (m *material) readGuide() {
	doc := markdown.Parse(entryFile, m.pack.EntryText)
	m.guide = &file{path: entryFile}
	m.guide.describe(doc)
	m.guide.suppress, _ = lint.Suppressions(entryFile, doc.Text)
	m.guide.scan(doc)
	m.guide.links = linksOf(doc)
	if len(m.guide.secrets) == 0 {
		m.limits = doc.BoundaryItems()
	}
}

// orderFiles puts the Markdown files into compile order: the primary document,
// the other documents by path, the pages in page order; after them those that
// are inputs only.
func (m *material) orderFiles(ctx context.Context) error {
	for _, entry := range m.pack.Files {
		if isUnit(entry.Path) {
			f := &file{path: entry.Path, size: entry.Size, role: m.roleOf(entry.Path)}
			m.files = append(m.files, f)
			m.byPath[f.path] = f
		}
	}
	linked, err := m.linkedPages(ctx)
	if err != nil {
		return err
	}
	order := make(map[string]int, len(linked))
	for i, name := range linked {
		order[name] = i - len(linked) // before the pages that nobody links to
		m.byPath[name].linkedTo = true
	}
	slices.SortFunc(m.files, func(a, b *file) int {
		return cmp.Or(
			cmp.Compare(m.rank(a), m.rank(b)),
			cmp.Compare(order[a.path], order[b.path]),
			strings.Compare(a.path, b.path),
		)
	})
	return nil
}

// rank orders the groups of files.
func (m *material) rank(f *file) int {
	switch {
	case f.role == inputOnly:
		return 3
	case !strings.HasPrefix(f.path, "documents/"):
		return 2 // pages have an order of their own, even one that is declared primary
	case f.path == m.pack.Meta.PrimaryDocument:
		return 0
	}
	return 1
}

// linkedPages reads wiki/index.md before all other files, since the order of the
// pages depends on it, and returns the pages it links to.
func (m *material) linkedPages(ctx context.Context) ([]string, error) {
	f := m.byPath[wikiIndex]
	if !m.wiki || f == nil {
		return nil, nil
	}
	if err := m.analyse(ctx, f); err != nil {
		return nil, err
	}
	f.read = true
	a, err := m.asideOf(f)
	return pageOrder(a.links, m.isPage), err
}

// isPage reports whether a path is a wiki page that has a place in page order.
func (m *material) isPage(name string) bool {
	f := m.byPath[name]
	return f != nil && f.role != inputOnly && strings.HasPrefix(name, "wiki/")
}

// addUnits puts the units and the guide among the inputs, once all citations are known.
func (m *material) addUnits() {
	cited := map[string]bool{} // files of which anchors cite a heading
	for _, f := range m.files {
		for _, a := range f.citations {
			if isSlug(a.fragment) {
				cited[a.path] = true
			}
		}
	}
	if m.pack.Has(entryFile) {
		m.inputs[entryFile] = &input{sha256: schema.SHA256(m.pack.Entry)}
	}
	for _, f := range m.files {
		in := &input{sha256: f.info.SHA256, lines: f.lines}
		if cited[f.path] {
			in.ids = make(map[string]bool, len(f.info.Headings))
			for _, h := range f.info.Headings {
				in.ids[h.ID] = true
			}
		}
		m.inputs[f.path] = in
	}
}

// input is a file that the compile read: its hash, and what anchors that point
// at it need.
type input struct {
	sha256 string
	lines  int               // 0 for a file that is too large to be read
	ids    map[string]bool   // section ids of a Markdown file
	spans  map[string]string // SHA-256 of the cited places, by fragment
	diags  []diag.Diagnostic // what the scans found, of one that is not a unit
}

// isInput reports whether a path is an input of a compile (agent-knowledge
// section 9).
func isInput(name string) bool {
	return name == entryFile || strings.Contains(name, "/") && pack.LayerOf(name).IsInput()
}

// maxRead is the largest file in bytes that is read into memory. A larger input
// is only hashed: nothing can be cited from it.
const maxRead = pack.MaxFileSize

// The paths of a pack that compile knows by name.
const (
	entryFile     = pack.EntryName
	indexPath     = pack.IndexPath
	sourceMapPath = pack.SourceMapPath
	splitsDir     = pack.SplitsDir + "/"
	runsDir       = string(pack.Runs)
)

// isMarkdown reports the exact ending ".md": any other file is a plain input.
func isMarkdown(name string) bool { return path.Ext(name) == ".md" }

// isUnit reports whether a file is read as a unit.
func isUnit(name string) bool {
	return isMarkdown(name) && (strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/"))
}

// readOthers reads every file of the pack that is not a unit and that compile does
// not make: it hashes them and scans their texts. Files too large to be read, or
// not text, are only hashed.
func (m *material) readOthers(ctx context.Context) error {
	var list []pack.File
	for _, f := range m.pack.Files {
		if !pack.LayerOf(f.Path).IsOutput() && !isUnit(f.Path) && f.Path != entryFile {
			list = append(list, f)
		}
	}
	read := make([]input, len(list))
	err := m.parallel(ctx, len(list), func(i int) error { return m.readOther(list[i], &read[i]) })
	if err != nil {
		return err
	}
	for i, f := range list {
		m.found = append(m.found, read[i].diags...)
		if isInput(f.Path) {
			m.inputs[f.Path] = &read[i]
		}
	}
	return nil
}

// readOther hashes a file and scans its text, or takes the result from
// the store.
func (m *material) readOther(f pack.File, in *input) (err error) {
	n := m.cache
	if f.Size > maxRead {
		if in.sha256 = n.sum(f).String(); in.sha256 == "" {
			return fmt.Errorf("read %s: it cannot be read", f.Path)
		}
		return nil
	}
	if sum := n.known(f); sum.Known() && in.recall(n, f.Path, sum) {
		return nil
	}
	data, err := m.pack.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	sum := store.Sum(data)
	n.learn(f.Path, sum)
	if in.recall(n, f.Path, sum) {
		return nil
	}
	in.sha256, in.lines = sum.String(), countLines(data)
	in.diags = append(scanText(f.Path, data).Diagnostics, checkLayer(f.Path, data)...)
	if !slices.ContainsFunc(in.diags, Withheld) {
		store.Keep(n.store, n.sourceKey(f.Path, sum), keptInput{in.lines, in.diags})
	}
	return nil
}

// sourceKey is the key of the scan of a file that is not a unit.
func (n *cache) sourceKey(path string, sum store.Digest) store.Digest {
	return store.Key("source", Version, Program(), path, string(sum[:]))
}

// recall fills in what the store knows of a file with those bytes.
func (in *input) recall(n *cache, path string, sum store.Digest) bool {
	var known keptInput
	if !store.Recall(n.store, n.sourceKey(path, sum), &known) {
		return false
	}
	*in = input{sha256: sum.String(), lines: known.lines, diags: known.diags}
	return true
}

// keptInput is what the scan of a file that is not a unit found.
type keptInput struct {
	lines int
	diags []diag.Diagnostic
}

func sectionIDs(doc *markdown.Document) map[string]bool {
	ids := make(map[string]bool, len(doc.Headings))
	for _, h := range doc.Headings {
		ids[h.ID] = true
	}
	return ids
}

// isLayerFile reports the files of the optional layers whose form is known
// (agent-knowledge section 19).
func isLayerFile(name string) bool {
	dir, base, _ := strings.Cut(name, "/")
	known := map[string]string{
		"ontology": " ontology concepts relations claims evidence constraints coverage signals objectives resources" +
			" action-types decision-gates action-logs feedback ",
		"answers": " questions answer-blocks citation-targets source-surfaces structured-data monitoring-runs ",
	}
	stem, ok := strings.CutSuffix(base, ".json")
	return ok && stem != "" && strings.Contains(known[dir], " "+stem+" ")
}

// checkLayer checks that a file of an optional layer is JSON. What it says is data
// that compile does not interpret.
func checkLayer(name string, data []byte) []diag.Diagnostic {
	if !isLayerFile(name) {
		return nil
	}
	text, ok := frontmatter.Decode(data)
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	if ok && err == nil {
		return nil
	}
	d := finding(gateSchemaInvalid, name, "the file is not JSON")
	d.Hint = "correct it; tools that read this layer would skip the file"
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && ok {
		before := text[:min(int(syntax.Offset), len(text))]
		d.Line = bytes.Count(before, []byte("\n")) + 1
		d.Column = max(1, len(before)-bytes.LastIndexByte(before, '\n')-1)
		d.Message = fmt.Sprintf("the file is not JSON: %v", syntax)
	}
	return []diag.Diagnostic{d}
}

// reportUndecodable reports a file that is not text, at the byte that says so.
func (f *file) reportUndecodable(data []byte) {
	d := f.report(gateEncodingInvalid, "")
	d.Line, d.Column, d.Message = frontmatter.Undecodable(data)
}

// CostsFile reports an error that keeps one file of a pack, or a part of it, from being
// used: the file is left out, and the rest of the pack is as sound as without it. Any
// other error is about the pack as a whole.
func CostsFile(d diag.Diagnostic) bool {
	if d.Severity != diag.Error || d.Path == entryFile || pack.BlocksOutputs(d) {
		return false
	}
	switch d.ID {
	case gateSecretSuspect, gateEncodingInvalid, gateMetadataInvalid, gatePathCollision, gatePathEscape, gateSymlinkEscape,
		"symlink-loop", "symlink-output", "special-file":
		return true
	}
	return false
}

// LeavesOut reports an error that keeps a file from being shown at all, not only a part of it
// or a place that it names.
func LeavesOut(d diag.Diagnostic) bool {
	switch d.ID {
	case gatePathCollision:
		return false // of one section
	case gatePathEscape:
		return d.Line == 0 && CostsFile(d) // otherwise of an anchor
	}
	return CostsFile(d)
}

// Withheld reports an error about a likely secret: nothing of the file may be shown.
func Withheld(d diag.Diagnostic) bool {
	return d.ID == gateSecretSuspect && d.Severity == diag.Error
}

// scan looks for instructions and secrets in a unit or the guide. A file with a secret is
// withheld (agent-knowledge section 18.4).
func (f *file) scan(doc *markdown.Document) {
	found := lint.Scan(f.path, doc.Text)
	f.diags = append(f.diags, found.Diagnostics...)
	for _, h := range found.Secrets {
		f.secrets = append(f.secrets, newSecret(doc.Text, h))
	}
	if len(found.Secrets) > 0 {
		f.info.Headings = slices.DeleteFunc(f.info.Headings, func(h HeadingInfo) bool { return f.masked(h.Text) != h.Text })
		f.info.Title = stemOf(f.path)
	}
}

// foundSecret is a likely secret with what may be shown of it.
type foundSecret struct{ text, shown string }

func newSecret(text []byte, h secret.Hit) foundSecret {
	return foundSecret{string(text[h.Start:h.End]), h.Shown + "…"}
}

// withhold marks all sections of a file that holds a secret: the page is off the site,
// and a split of it would lead there.
func (f *file) withhold() {
	for i := range f.sections {
		f.sections[i].withheld = len(f.secrets) > 0
	}
}

// minMasked is the length in bytes below which a secret is not looked for in
// messages: so short a text would match by chance.
const minMasked = 6

// masked returns a text of ours about the file with its secrets cut short.
func (f *file) masked(text string) string {
	if f.masks == nil {
		var pairs []string
		for _, s := range f.secrets {
			if len(s.text) >= minMasked {
				// A multi-line secret is on one line in messages.
				pairs = append(pairs, s.text, s.shown, strings.Join(strings.Fields(s.text), " "), s.shown)
			}
		}
		f.masks = strings.NewReplacer(pairs...)
	}
	return secret.Redact(f.masks.Replace(text))
}

// mask cuts the secrets of files out of what is said about them: messages quote
// their text.
func (m *material) mask(list []diag.Diagnostic) {
	for i := range list {
		d := &list[i]
		f := m.byPath[d.Path]
		if d.Path == entryFile {
			f = m.guide
		}
		if f != nil && len(f.secrets) > 0 && d.ID != gateSecretSuspect {
			d.Message, d.Hint, d.Recorded = f.masked(d.Message), f.masked(d.Hint), f.masked(d.Recorded)
		}
	}
}

// scanText looks through a file of the pack that is not a unit, text of an older
// encoding included. Pictures and the like are not text and hold no secret that a scan
// could find.
func scanText(name string, data []byte) lint.Scanned {
	text, ok := frontmatter.Legible(data)
	if !ok {
		return lint.Scanned{}
	}
	return lint.Scan(name, text)
}

// reachesView reports whether text of a file can reach a view or split: an
// instruction there is a gate, elsewhere a warning (agent-knowledge section
// 18.3).
func (m *material) reachesView(name string) bool {
	if f := m.byPath[name]; f != nil {
		return f.walked && f.role.getsSplits()
	}
	return name == entryFile || strings.HasPrefix(name, "compiled/")
}

// gated leaves out the findings that make nothing of a run although they have the
// id of a gate: instructions in text that reaches no view.
func (m *material) gated(found []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(found), func(d diag.Diagnostic) bool {
		return d.ID == gateInjectionSuspect && d.Severity != diag.Error && !m.reachesView(d.Path)
	})
}
