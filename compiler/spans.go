package compiler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/baseline"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// readSpans looks into the files of which anchors cite a part: for the headings they
// have, and for the hashes of the cited parts. Further are anchor strings that nobody
// cites any more.
func (m *material) readSpans(ctx context.Context, further func(yield func(source string) bool)) error {
	parts := map[string]map[string]bool{} // fragments by path
	add := func(a anchor) {
		if m.inputs[a.path] == nil || isWhole(a.fragment) {
			return
		}
		if parts[a.path] == nil {
			parts[a.path] = map[string]bool{}
		}
		parts[a.path][a.fragment] = true
	}
	for _, f := range m.files {
		for _, a := range f.citations {
			add(a.anchor)
		}
	}
	for source := range further {
		add(parseAnchor(source))
	}
	names := sortedKeys(parts)
	return m.parallel(ctx, len(names), func(i int) error {
		data, err := m.pack.ReadFile(names[i])
		if errors.Is(err, pack.ErrTooLarge) {
			return nil // nothing can be cited from it
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", names[i], err)
		}
		m.inputs[names[i]].look(names[i], data, sortedKeys(parts[names[i]]))
		return nil
	})
}

// isWhole reports a fragment that names no part which could be looked at: none, a page,
// a moment.
func isWhole(fragment string) bool {
	f := fragmentForms()
	return fragment == "" || f.page.MatchString(fragment) || f.time.MatchString(fragment)
}

// look takes the hashes of some places of a file, and its section ids where one of
// them is a heading.
func (in *input) look(name string, data []byte, fragments []string) {
	text, ok := frontmatter.Decode(data)
	if !ok {
		text = bytes.ReplaceAll(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")), []byte("\r"), []byte("\n"))
	}
	var doc *markdown.Document
	if ok && isMarkdown(name) && slices.ContainsFunc(fragments, isSlug) {
		doc = markdown.Parse(name, text)
		if in.ids == nil {
			in.ids = sectionIDs(doc)
		}
	}
	in.spans = make(map[string]string, len(fragments))
	lines := lineStarts(text)
	for _, fragment := range fragments {
		if part, ok := partOf(text, lines, doc, fragment); ok {
			in.spans[fragment] = schema.SHA256(smooth(part))
		}
	}
}

// partOf returns the lines or the section that a fragment names; doc is nil when the file
// has no sections.
func partOf(text []byte, lines []int, doc *markdown.Document, fragment string) ([]byte, bool) {
	part, ok := linesOf(text, lines, fragmentForms().lines.FindStringSubmatch(fragment))
	if !ok && doc != nil {
		part, ok = sectionOf(doc, markdown.Slug(fragment))
	}
	return part, ok
}

// CitedText returns the lines or the section of a file that the fragment of an anchor
// names, "" when it names neither.
func CitedText(name string, data []byte, fragment string) string {
	text, ok := frontmatter.Decode(data)
	if !ok {
		return ""
	}
	var doc *markdown.Document
	if isMarkdown(name) && isSlug(fragment) {
		doc = markdown.Parse(name, text)
	}
	part, _ := partOf(text, lineStarts(text), doc, fragment)
	return string(smooth(part))
}

// SourceOf returns the source that an anchor string names.
func SourceOf(anchor string) schema.ClaimSource {
	a := parseAnchor(anchor)
	return schema.ClaimSource{Path: a.path, Anchor: a.fragment}
}

// lineStarts returns the offsets at which the lines of a text start, and its end.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, b := range text {
		if b == '\n' && i+1 < len(text) {
			starts = append(starts, i+1)
		}
	}
	return append(starts, len(text))
}

// linesOf returns the lines that a fragment names, as matched.
func linesOf(text []byte, starts []int, match []string) ([]byte, bool) {
	if match == nil || !hasLines(len(starts)-1, match[1], match[2]) {
		return nil, false
	}
	first, _ := strconv.Atoi(match[1]) // hasLines has read both
	last := first
	if match[2] != "" {
		last, _ = strconv.Atoi(match[2])
	}
	return text[starts[first-1]:starts[last]], true
}

// sectionOf returns a heading with all that is below it.
func sectionOf(doc *markdown.Document, id string) ([]byte, bool) {
	i := slices.IndexFunc(doc.Headings, func(h markdown.Heading) bool { return h.ID == id })
	if i < 0 {
		return nil, false
	}
	from, level := doc.Headings[i].Start, doc.Headings[i].Level
	for _, next := range doc.Headings[i+1:] {
		if next.Level <= level {
			return doc.Text[from:next.Start], true
		}
	}
	return doc.Text[from:], true
}

// trailing is white space that no reader sees: at the ends of lines, and blank lines
// at the end.
var trailing = regexp.MustCompile(`[ \t]+(\n|$)`)

// smooth leaves out what no reader sees, so that it changes no hash: white space at
// the ends of lines, and blank lines at both ends.
func smooth(part []byte) []byte {
	return bytes.Trim(trailing.ReplaceAll(part, []byte("$1")), "\n")
}

// claimKeys lists the claims of files by text and anchor.
func claimKeys(files []*file) map[baseline.Key]baseline.Found {
	keys := map[baseline.Key]baseline.Found{}
	for _, f := range files {
		for i := range f.sections {
			if f.sections[i].withheld || !f.walked {
				continue
			}
			for _, st := range f.sections[i].statements {
				for _, a := range st.anchors {
					k := st.key(a)
					k.Source = shared(k.Source)
					found, known := keys[k]
					if !known {
						found.Words = wordsHash(st.text)
					}
					found.Confirmed = found.Confirmed || st.confirmed
					keys[k] = found
				}
			}
		}
	}
	return keys
}

// key names a statement on one of its anchors.
func (st *statement) key(a anchor) baseline.Key {
	return baseline.Key{Claim: claimHash(st.text), Source: a.String()}
}

// wordsHash names a text by its words: a claim is the same in another case, with other
// punctuation, compatible forms of its letters, letters that look like Latin ones, accents or
// invisible characters.
func wordsHash(text string) string {
	seen := strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r >= 0x300 && r <= 0x36F {
			return -1
		}
		return cmp.Or(invisible.LookAlike(r), r)
	}, norm.NFKD.String(text))
	return strings.TrimPrefix(claimHash(cmp.Or(lint.FoldText(seen), text)), claimPrefix)
}

// citedNow says what an anchor points at.
func (m *material) citedNow(source string) baseline.Cited {
	a := parseAnchor(source)
	in := m.inputs[a.path]
	switch {
	case in == nil, m.resolve(a) != resolved:
		return baseline.Cited{}
	case isWhole(a.fragment) || m.holdsSecret(a.path, in):
		return baseline.Cited{Span: in.sha256, File: in.sha256, Same: m.sameFile(a.path)}
	}
	return baseline.Cited{Span: in.spans[a.fragment], File: in.sha256}
}

// sameFile returns a function that reports whether a file is the one with a SHA-256, whatever ends its lines.
func (m *material) sameFile(name string) func(sum string) bool {
	return func(sum string) bool { return m.pack.HasSum(name, sum) }
}

// holdsSecret reports a file that holds a likely secret: the hash of a line of it could be
// guessed from, so only that of the whole gets into records.
func (m *material) holdsSecret(name string, in *input) bool {
	f := m.byPath[name]
	return f != nil && len(f.secrets) > 0 ||
		slices.ContainsFunc(in.diags, func(d diag.Diagnostic) bool { return d.ID == gateSecretSuspect })
}

// assess works out which claims are stale: from those of the files, from what they cite
// and from the ledger of the newest run (agent-knowledge section 6.9 rule 4).
func (m *material) assess(ctx context.Context) error {
	h, now := m.history, claimKeys(m.files)
	if err := m.findLost(now); err != nil {
		return err
	}
	if err := m.readSpans(ctx, h.ledger.Sources); err != nil {
		return err
	}
	m.assumeBaselines()
	m.ledger = h.ledger.Next(now, m.citedNow)
	return nil
}

// assumeBaselines puts what runs that knew no claims recorded of whole sources into the
// ledger.
func (m *material) assumeBaselines() {
	if len(m.history.base) == 0 {
		return
	}
	for _, f := range m.files {
		for k := range claimKeys([]*file{f}) {
			source := parseAnchor(k.Source).path
			base, ok := m.history.base[pair{f.path, source}]
			if in := m.inputs[source]; ok && (in == nil || in.sha256 != base && !m.pack.HasSum(source, base)) {
				m.history.ledger.Assume(k, base)
			}
		}
	}
}
