package relink

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/reference"
)

// Text is a Markdown file of which parts move to files of their own.
type Text struct {
	Path  string   // from the root of its repository
	given []string // lines as they were given
	doc   *markdown.Document
	lines []int // offset of each line in the text of doc
	links []link
	ids   *reference.IDs
	heads map[string]int // lines of headings by id

	definitions map[string]markdown.Definition
}

// link is a destination as it is written.
type link struct {
	start, end int
	dest       string // without escapes
}

// Of reads a file with the path from the root of its repository. It is nil for a text in
// which lines could not be told apart, such as one that is not UTF-8.
func Of(path, text string) *Text {
	decoded, ok := frontmatter.Decode([]byte(text))
	given := strings.Split(text, "\n")
	if !ok || strings.Count(string(decoded), "\n")+1 != len(given) {
		return nil
	}
	t := &Text{Path: path, given: given, doc: markdown.Parse(path, decoded), heads: map[string]int{}}
	at := 0
	for line := range strings.SplitSeq(string(decoded), "\n") {
		t.lines = append(t.lines, at)
		at += len(line) + 1
	}
	t.definitions = definitionsOf(t.doc)
	taken := map[int]bool{}
	for _, l := range t.doc.Links {
		if from, to := written(t.doc.Text, l, t.definitions); !l.Wiki && to > from && !taken[from] {
			taken[from] = true
			t.links = append(t.links, link{from, to, l.Dest})
		}
	}
	slices.SortFunc(t.links, func(a, b link) int { return a.start - b.start })
	var ids []string
	for _, h := range t.doc.Headings {
		ids = append(ids, h.ID)
		t.heads[h.ID] = t.lineAt(h.Start)
	}
	t.ids = reference.NewIDs(ids)
	return t
}

// lineAt is the line, from 0, that an offset is in.
func (t *Text) lineAt(offset int) int {
	i, found := slices.BinarySearch(t.lines, offset)
	if found {
		return i
	}
	return i - 1
}

// Part returns some lines, by their numbers from 0 in order, as they are written in
// another file: a link leads where it led. What the lines refer to and do not define is
// in needed: the lines of those definitions. home says in which file each line of the
// text will be.
func (t *Text) Part(to string, numbers []int, home func(line int) string) (part, needed []string) {
	has := make(map[int]bool, len(numbers))
	for _, n := range numbers {
		has[n] = true
	}
	var wanted []string
	seen := map[string]bool{}
	refer := func(text string) {
		for _, label := range labels(text) {
			if d, ok := t.definitions[label]; ok && !seen[label] && !has[t.lineAt(d.Start)] {
				seen[label] = true
				wanted = append(wanted, label)
			}
		}
	}
	for _, n := range numbers {
		end := len(t.doc.Text)
		if n+1 < len(t.lines) {
			end = t.lines[n+1] - 1
		}
		was := string(t.doc.Text[t.lines[n]:end])
		line := t.given[n]
		if is := t.render(t.lines[n], end, to, home); is != was {
			line = strings.Replace(line, was, is, 1)
		}
		part = append(part, line)
		refer(was)
	}
	for i := 0; i < len(wanted); i++ { // it grows: a footnote may refer to others
		d := t.definitions[wanted[i]]
		refer(string(t.doc.Text[d.Start:d.End]))
	}
	slices.SortFunc(wanted, func(a, b string) int { return t.definitions[a].Start - t.definitions[b].Start })
	for _, label := range wanted {
		d := t.definitions[label]
		needed = append(needed, strings.Split(t.render(d.Start, d.End, to, home), "\n")...)
	}
	return part, needed
}

// render is a stretch of the text as it is written in another file.
func (t *Text) render(start, end int, to string, home func(line int) string) string {
	i, _ := slices.BinarySearchFunc(t.links, start, func(l link, at int) int { return l.start - at })
	var b strings.Builder
	for ; i < len(t.links) && t.links[i].end <= end; i++ {
		l := t.links[i]
		if dest, ok := t.leads(l.dest, to, home); ok {
			b.Write(t.doc.Text[start:l.start])
			b.WriteString(dest)
			start = l.end
		}
	}
	b.Write(t.doc.Text[start:end])
	return b.String()
}

// leads is the destination of a link as another file writes it; ok is false when it stays
// as it is.
func (t *Text) leads(dest, to string, home func(line int) string) (string, bool) {
	before, fragment, _ := strings.Cut(dest, "#")
	name := t.Path
	switch {
	case before != "" && (Outer(dest) || strings.HasPrefix(dest, "/")):
		return "", false
	case before != "":
		name = reference.Join(t.Path, PathOf(before))
	case fragment == "":
		return "", false
	}
	moved := false
	if name == t.Path {
		id, found := t.ids.Find(fragment)
		if line, ok := t.heads[id]; found && ok {
			name = home(line)
			moved = name != t.Path
		} else if before == "" {
			return "", false
		}
		if before == "" && name == to {
			return "", false
		}
	} else if strings.HasSuffix(before, "/") {
		name = strings.TrimSuffix(name, "/") + "/"
	}
	if before != "" && !moved && path.Dir(to) == path.Dir(t.Path) {
		return "", false
	}
	return reference.Rewrite(to, dest, name), true
}

// referred finds labels in brackets.
var referred = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(\^?)((?:[^\[\]\\]|\\.)+)\]`) })

// labels lists what a text may refer to, in code too.
func labels(text string) []string {
	if !strings.Contains(text, "[") {
		return nil
	}
	var list []string
	for _, m := range referred().FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+markdown.LabelOf([]byte(m[2])))
	}
	return list
}

// path of a destination in parentheses or brackets, which a move changes.
var destinations = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\]\([^()\n]*\)|(?m)^ {0,3}\[[^\]\n]+\]:[^\n]*$|(?:href|src)="[^"\n]*"`)
})

// Same reports whether two texts differ at most in where their links lead.
func Same(a, b string) bool {
	return a == b || destinations().ReplaceAllString(a, "") == destinations().ReplaceAllString(b, "")
}
