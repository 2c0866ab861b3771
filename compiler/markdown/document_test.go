package markdown

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/yuin/goldmark/ast"

	"github.com/packgen/packgen/compiler/packpath"
)

func TestParseAnchor(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
		err  error
	}{
		{"sources/a.md", "sources/a.md", nil},
		{" sources/a.md#L1-L3 ", "sources/a.md#L1-L3", nil},
		{"wiki/a.md#t=00:12:33#x", "wiki/a.md#t=00:12:33#x", nil},
		{"documents/a b.md#", "documents/a b.md", nil},
		{"sources", "", errNotEvidence},
		{"KNOWLEDGE.md", "", errNotEvidence},
		{"compiled/facts.md", "", errNotEvidence},
		{"sources/", "", packpath.ErrUnclean},
		{"#L1", "", packpath.ErrUnclean},
		{"https://e.org/a", "", packpath.ErrUnclean},
		{"../a", "", packpath.ErrEscape},
		{"/a", "", packpath.ErrEscape},
		{`sources\a`, "", packpath.ErrEscape},
		{"sources/a\nb", "", packpath.ErrEscape},
	} {
		a, err := parseAnchor(tt.text)
		if a.String() != tt.want && a.Usable || !errors.Is(err, tt.err) || a.Usable != (err == nil) {
			t.Errorf("ParseAnchor(%q) = %q, usable %v, %v; want %q, %v", tt.text, a.String(), a.Usable, err, tt.want, tt.err)
		}
		if !a.Usable && a.Path != "" {
			t.Errorf("ParseAnchor(%q) is unusable and has the path %q", tt.text, a.Path)
		}
	}
}

func TestPositionCountsFromOneInBytes(t *testing.T) {
	d := Parse("d.md", []byte("a\nüb\n\nc"))
	for _, tt := range []struct{ offset, line, column int }{
		{0, 1, 1}, {1, 1, 2}, {2, 2, 1}, {4, 2, 3}, {5, 2, 4}, {6, 3, 1}, {7, 4, 1}, {8, 4, 2}, {99, 4, 2}, {-1, 1, 1},
	} {
		if line, column := d.Position(tt.offset); line != tt.line || column != tt.column {
			t.Errorf("Position(%d) = %d, %d; want %d, %d", tt.offset, line, column, tt.line, tt.column)
		}
	}
	if line, column := Parse("d.md", nil).Position(0); line != 1 || column != 1 {
		t.Errorf("Position in an empty document = %d, %d", line, column)
	}
}

func TestLinksWithTheirPlaces(t *testing.T) {
	text := "---\nstatus: ready\n---\n# [A](a.md)\n\nx [b *c*](<b c.md> 't') ![alt](i\\_.png) <https://e.org/?a&b> <me@e.org>\n\n|a|\n|-|\n|[r][R]|\n\n[r]: r&amp;.md\n"
	d := Parse("d.md", []byte(text))
	want := []Link{
		{Dest: "a.md", Text: "A", Offset: strings.Index(text, "[A]")},
		{Dest: "b c.md", Text: "b c", Offset: strings.Index(text, "[b")},
		{Dest: "i_.png", Text: "alt", Offset: strings.Index(text, "![alt"), Image: true},
		{Dest: "https://e.org/?a&b", Text: "https://e.org/?a&b", Offset: strings.Index(text, "<https")},
		{Dest: "mailto:me@e.org", Text: "me@e.org", Offset: strings.Index(text, "<me")},
		{Dest: "r&.md", Text: "r", Offset: strings.Index(text, "[r][R]")},
	}
	if diff := cmp.Diff(want, d.Links); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
}

func TestContextMap(t *testing.T) {
	text := pieces("# P", "- Before: `a.md`", "## Context MAP",
		"- Specs and care: `documents/a.md`\n- Use `wiki/` or `wiki/b.md#limits` **always**\n  - nested `c.md`\n- none\n- bad `../x` and `good.md`\n- only bad `/x`",
		"### Deeper", "- `d.md`", "## Other", "- `e.md`", "# Documents", "- `f.md`")
	var got []MapEntry
	for _, e := range Parse("KNOWLEDGE.md", []byte(text)).ContextMap() {
		if e.Offset <= 0 {
			t.Errorf("entry %+v has no offset", e)
		}
		e.Offset = 0
		got = append(got, e)
	}
	want := []MapEntry{
		{Label: "Specs and care:", Paths: []string{"documents/a.md"}},
		{Label: "Use or always", Paths: []string{"wiki/", "wiki/b.md#limits"}},
		{Label: "nested", Paths: []string{"c.md"}},
		{Label: "bad and", Paths: []string{"good.md"}},
		{Label: "", Paths: []string{"d.md"}},
		{Label: "", Paths: []string{"f.md"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("context map (-want +got):\n%s", diff)
	}
}

func TestLeadIsTheFirstLineOfTheFirstParagraph(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"# T\n\n- item\n\nBands *of* species. [source: sources/a]\nMore.\n", "Bands *of* species."},
		{"a [source: sources/a;\nsources/b] c\n", "a"},
		{"a [status: stale] b [source: sources/a], c  \nd\n", "a b, c"},
		{"# T\n\n> quoted\n", ""},
		{"", ""},
	} {
		if got := Parse("d.md", []byte(tt.text)).Lead(); got != tt.want {
			t.Errorf("Lead of %q = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestHeadingClasses(t *testing.T) {
	for _, tt := range []struct {
		class Class
		title string
		want  bool
	}{
		{ClassBoundary, "Runtime BOUNDARIES", true},
		{ClassBoundary, "Do not promise", true},
		{ClassBoundary, "品牌红线", true},
		{ClassBoundary, "Facts", false},
		{ClassVoice, "Tone of voice", true},
		{ClassValues, "Beliefs", true},
		{ClassTaboos, "Taboos", true},
		{ClassTaboos, "Limits", false},
		{ClassPersonaBoundaries, "Limits", true},
		{ClassPersonaBoundaries, "Taboos", false},
		{ClassUsage, "How to use it", true},
	} {
		if got := tt.class.Has(tt.title); got != tt.want {
			t.Errorf("class %d has %q = %v, want %v", tt.class, tt.title, got, tt.want)
		}
	}
}

func TestABoundaryTitleIsNothingElse(t *testing.T) {
	for _, title := range []string{
		"Boundaries", "Runtime BOUNDARIES", "Limits", "Known limitations", "Limits and constraints", "3. Limits of use", "Compliance",
		"Do not", "Taboos", "禁忌", "品牌红线", "任务边界",
	} {
		if !IsBoundary(title) {
			t.Errorf("%q is not a boundary title", title)
		}
	}
	for _, title := range []string{
		"Rate limiting", "Rate limits", "Limit concurrent requests", "Compliance of parsers", "Constraint solver", "Do not use eval", "Facts", "",
		"Of the use", "unlimited", "边界检测算法",
	} {
		if IsBoundary(title) {
			t.Errorf("%q is a boundary title", title)
		}
	}
}

func TestTreeHasNodesForAnchorsAndMarkers(t *testing.T) {
	text := "a [source: sources/a] [status: stale]\n"
	d := Parse("d.md", []byte(text))
	var got []string
	_ = ast.Walk(d.Root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			switch n := n.(type) {
			case *AnchorNode:
				got = append(got, n.Kind().String()+" "+text[n.Start:n.Stop])
			case *MarkerNode:
				got = append(got, n.Kind().String()+" "+text[n.Start:n.Stop])
			}
		}
		return ast.WalkContinue, nil
	})
	want := []string{"SourceAnchor [source: sources/a]", "StatusMarker [status: stale]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
}

func TestParseIsSafeForConcurrentUse(t *testing.T) {
	text := []byte("---\nstatus: ready\n---\n# T\n\n- a [source: sources/a] [status: odd]\n\n|a|\n|-|\n|`\\|`|\n")
	want := shownUnits(Parse("d.md", text))
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				d := Parse("d.md", text)
				if diff := cmp.Diff(want, shownUnits(d)); diff != "" || len(d.Diagnostics) != 1 {
					t.Errorf("a concurrent parse differs: %s %v", diff, d.Diagnostics)
					return
				}
			}
		})
	}
	wait.Wait()
}

func TestTreeIsTheSameAfterFrontMatter(t *testing.T) {
	for _, head := range []string{"---\na: b\n---\n", "---\n---\n", "---\na: |\n  ---\n---\n", "---\n1: x\n'2': 2001-13-45\n---\n"} {
		for _, body := range []string{"", "\n", "text\n", "\n\ttab code\n", "- a\n- b\n", "a\n---\n", "---\n", "# H"} {
			with, without := Parse("d.md", []byte(head+body)), Parse("d.md", []byte(body))
			if strings.HasPrefix(body, "---") {
				without = Parse("d.md", []byte("\n"+body)) // not a marker there
			}
			if diff := cmp.Diff(outlineOf(without.Root), outlineOf(with.Root)); diff != "" {
				t.Errorf("%q after %q (-alone +with):\n%s", body, head, diff)
			}
		}
	}
}

func TestParagraphBeforeATableIsNoHeading(t *testing.T) {
	d := Parse("d.md", []byte("lead\nu|v\n|-|-|\nrow\n---\n\nx\n"))
	var got []string
	for _, b := range d.Blocks {
		got = append(got, b.Node.Kind().String()+" "+string(d.Text[b.Start:b.End]))
	}
	want := []string{"Paragraph lead\n", "Table u|v\n|-|-|\nrow\n", "ThematicBreak ---\n", "Paragraph x\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}
}

func outlineOf(n ast.Node) []string {
	var list []string
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			list = append(list, n.Kind().String())
		}
		return ast.WalkContinue, nil
	})
	return list
}
