package context

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/rank"
)

// ErrNoPassage is the error of a path that names no text of a pack that an agent may
// read: a Markdown file of documents/, wiki/ or compiled/, KNOWLEDGE.md, or a section
// of one of them.
var ErrNoPassage = errors.New("no such text in the pack")

// Passage is a part of one text of a pack, fenced as data.
type Passage struct {
	Path, Title  string
	Status       schema.Status // of the pack
	Offset, Next int           // bytes of the text; Next is 0 when the text ends here
	Size         int           // bytes of the whole text
	Context      string        // the wrapper, without a final line end
}

// Read returns up to limit bytes of a text of a pack from an offset on, cut between
// lines where a line end is near, otherwise between characters. The name is a path, or a
// path, "#" and the id of a section. Doubtful claims are marked, known secrets keep a
// text back, and the pack is gated, all as by [Resolve]; a refusal is a *RefusedError,
// a name without a text wraps [ErrNoPassage].
func Read(ctx context.Context, p Pack, name string, offset, limit int) (*Passage, error) {
	if p.FS == nil {
		return nil, errors.New("read: the pack has no file system")
	}
	file, section, isSection := strings.Cut(name, "#")
	if !readable(file) {
		return nil, fmt.Errorf("read %q: %w", name, ErrNoPassage)
	}
	list, err := catalog(ctx, []Pack{p})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	c := list[0]
	c.gate(&Request{})
	if c.blocked {
		return nil, &RefusedError{Pack: c.name(), Warnings: c.warnings}
	}
	s, err := openContents(&p, nil)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	u := s.passage(file)
	if isSection {
		u = s.sectionOf(file, section)
	}
	if u == nil {
		return nil, fmt.Errorf("read %q: %w", name, ErrNoPassage)
	}
	if len(knownSecrets(s.pack, u)) > 0 {
		return nil, fmt.Errorf("read %s: it looks as if it held a secret, and is withheld", name)
	}
	u = s.marked(u)
	text, next := window(u.text, offset, limit)
	a := Activated{
		Name: c.name(), Status: c.entry.Meta.Status, Grounding: c.entry.Meta.Grounding, Mode: c.entry.Meta.EffectiveMode(),
		Files: []File{{Path: u.path, Text: text, Status: s.pageStatus(u)}},
	}
	return &Passage{
		Path: u.path, Title: u.title, Status: a.Status, Offset: min(max(offset, 0), len(u.text)), Next: next, Size: len(u.text),
		Context: wrap(&a, false, Sure),
	}, nil
}

// readable reports a path that an agent may read. Sources, run records and indexes are
// no such texts.
func readable(name string) bool {
	if packpath.CheckPublished(name) != nil || path.Ext(name) != ".md" {
		return false
	}
	top, _, _ := strings.Cut(name, "/")
	return name == pack.EntryName || top == "documents" || top == "wiki" || top == "compiled"
}

// passage returns a file as a unit: a split or view as compile left it, or what takes
// its place, without hidden text; nil when there is none, or its author has not published it.
func (s *contents) passage(name string) *unit {
	if u := cmp.Or(find(s.splits, name), find(s.views, name)); u != nil {
		return u
	}
	if s.isLost(name) || strings.HasPrefix(name, compiledDir) {
		return nil
	}
	text, ok := s.text(name)
	if !ok {
		return nil
	}
	doc := markdown.Parse(name, text)
	if doc.Status == schema.Draft || doc.Unclosed() {
		return nil
	}
	u := &unit{kind: wikiPage, path: name, title: stem(name), document: name, text: string(markdown.Visible(name, text))}
	if len(doc.Headings) > 0 && doc.Headings[0].Text != "" {
		u.title = doc.Headings[0].Text
	}
	return u
}

// sectionOf returns a section of a document, cut in memory; nil when there is none.
func (s *contents) sectionOf(name, id string) *unit {
	for _, u := range s.cut(name) {
		if slices.Contains(u.sections, id) {
			return u
		}
	}
	return nil
}

// window returns up to limit bytes of a text from an offset on, and where the rest
// starts; 0 when there is no rest. It always returns something of the rest.
func window(text string, offset, limit int) (part string, next int) {
	from := min(max(offset, 0), len(text))
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	rest := text[from:]
	limit = max(limit, utf8.UTFMax)
	if len(rest) <= limit {
		return rest, 0
	}
	end := limit
	for end > 0 && !utf8.RuneStart(rest[end]) {
		end--
	}
	if end == 0 {
		end = limit // no UTF-8: bytes are as good as any other unit
	}
	if line := strings.LastIndexByte(rest[:end], '\n') + 1; line > end/2 {
		end = line
	}
	return rest[:end], from + end
}

// leastPart is how many tokens must be left for a part of a file to be worth taking.
const leastPart = 60

// bestPart returns what fits a number of tokens of a file that does not: those of
// its leaf sections that fit the query best, in the order of the text; where not one
// of them fits, the start of the best. It is "" when too little is left.
func (p *picker) bestPart(u *unit, room int) string {
	if room < leastPart {
		return ""
	}
	leaves := leavesOf(u)
	hits := p.scorer.Score(strings.Join(p.asked, "\n"), leaves).Ranked(nil)
	order := make([]int, len(hits))
	for i, h := range hits {
		order[i] = h.Section
	}
	if len(order) == 0 {
		order = []int{0}
	}
	var kept []int
	left := room
	for _, i := range order {
		if tokens := token.Estimate(leaves[i].Text); tokens <= left {
			left -= tokens
			kept = append(kept, i)
		}
	}
	if len(kept) == 0 {
		return cutText(leaves[order[0]].Text, room)
	}
	slices.Sort(kept)
	var b strings.Builder
	for _, i := range kept {
		b.WriteString(leaves[i].Text)
	}
	return b.String()
}

// leavesOf cuts a text at all of its headings. A heading with nothing of its own
// below it, or only tags such as an anchor, stays with the first section that it covers.
func leavesOf(u *unit) []rank.Section {
	starts := []int{0}
	decoded, ok := frontmatter.Decode([]byte(u.text))
	if ok && len(decoded) == len(u.text) {
		bare := 0 // where the run of headings without text begins
		for i, h := range markdown.Parse(u.path, decoded).Headings {
			if i == 0 || !onlyTags(u.text[bare:h.Start]) {
				starts = append(starts, h.Start)
			}
			bare = h.End
		}
	}
	starts = append(slices.Compact(starts), len(u.text))
	leaves := make([]rank.Section, len(starts)-1)
	for i := range leaves {
		text := u.text[starts[i]:starts[i+1]]
		line, _, _ := strings.Cut(text, "\n")
		leaves[i] = rank.Section{Path: u.path, Title: strings.TrimLeft(line, "# "), Text: text}
	}
	return leaves
}

// onlyTags reports a text of tags and blanks.
func onlyTags(text string) bool {
	for {
		before, tag, ok := strings.Cut(text, "<")
		if strings.TrimSpace(before) != "" {
			return false
		}
		if !ok {
			return true
		}
		if _, text, ok = strings.Cut(tag, ">"); !ok {
			return false
		}
	}
}

// evidence looks the anchors of the selection up when the query asks for
// evidence and the pack has sources (agent-knowledge section 13.7). Anchors that
// lead nowhere are reported, and the note comes last.
func (p *picker) evidence(anchors []string) []Warning {
	asked := slices.ContainsFunc([]string{"source", "citation", "cite", "evidence", "引用", "来源"}, func(w string) bool { return p.words[w] })
	if !asked || !p.pack.HasDir("sources") {
		return nil
	}
	var list []Warning
	for _, a := range anchors {
		if !p.resolves(a) {
			list = append(list, Warning{diag.Warning, a, "The source anchor does not resolve."})
		}
	}
	return append(list, Warning{diag.Info, "sources/", "The query asks for evidence; check the source anchors."})
}

var lineFragment = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^L([0-9]+)(?:-L([0-9]+))?$`)
})

// resolves reports whether an anchor leads to a place that exists (section 7.1).
// Pages and times of files without lines are taken at their word.
func (s *contents) resolves(anchor string) bool {
	name, fragment, _ := strings.Cut(anchor, "#")
	if !s.pack.Has(name) {
		return s.from.leftOut(s.pack, name)
	}
	if fragment == "" || strings.HasPrefix(fragment, "page=") || strings.HasPrefix(fragment, "t=") {
		return true
	}
	data, err := s.pack.ReadFile(name)
	if err != nil {
		return false
	}
	text, ok := frontmatter.Decode(data)
	if !ok {
		return false
	}
	if m := lineFragment().FindStringSubmatch(fragment); m != nil {
		lines := bytes.Count(text, []byte("\n"))
		if len(text) > 0 && text[len(text)-1] != '\n' {
			lines++
		}
		first, err := strconv.Atoi(m[1])
		last := first
		if m[2] != "" && err == nil {
			last, err = strconv.Atoi(m[2])
		}
		return err == nil && 1 <= first && first <= last && last <= lines
	}
	id := markdown.Slug(fragment)
	return slices.ContainsFunc(markdown.Parse(name, text).Headings, func(h markdown.Heading) bool { return h.ID == id })
}
