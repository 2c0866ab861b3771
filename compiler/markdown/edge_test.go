package markdown

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heads returns "level id|text" for each heading.
func heads(d *Document) []string {
	var list []string
	for _, h := range d.Headings {
		list = append(list, strings.Repeat("#", h.Level)+" "+h.ID+"|"+h.Text)
	}
	return list
}

// pieces joins blocks with a blank line between.
func pieces(blocks ...string) string { return strings.Join(blocks, "\n\n") + "\n" }

// The rows are those of agent-knowledge section 22.5.
func TestHeadingsOfTheEdgeCases(t *testing.T) {
	for _, tt := range []struct {
		row  string
		text string
		want []string
	}{
		{"1 setext", pieces("Title\n===", "A\n-"), []string{"# title|Title", "## a|A"}},
		{"2 setext of two lines", "B\nc\n---\n", []string{"## b-c|B c"}},
		{"3 closing sequence", pieces("## A ##", "## B #c", "## C#"), []string{"## a|A", "## b-c|B #c", "## c|C#"}},
		{"4 no headings", pieces("#A", "####### A", "    ## A", "\t## A"), nil},
		{"4 indented by three, tab after", pieces("   ## A", "##\tB"), []string{"## a|A", "## b|B"}},
		{"5 not direct children", pieces("- ## A", "> ## A", "- x\n\n  ## A"), nil},
		{"6 ends a list", "- a\n## B\n", []string{"## b|B"}},
		{"7 fenced", "```\n## E\n```\n", nil},
		{"7 unclosed fence", "~~~\n\n## E\n\n## F\n", nil},
		{"7 comment", "<!--\n\n## E\n\n-->\n", nil},
		{"7 div", "<div>\n## E\n</div>\n", nil},
		{"8 after a div", pieces("<div>", "## C"), []string{"## c|C"}},
		{"9 empty", pieces("##", "## ##"), []string{"## section|", "## section-1|"}},
		{"10 markup", "## The `--force` *flag* of [x](u) <b>now</b> &amp; \\*here\\*\n",
			[]string{"## the---force-flag-of-x-now--here|The --force flag of x now & *here*"}},
		{"11 explicit id", pieces("## A {#My.Id}", "## D {#x} ##"), []string{"## myid|A", "## x|D"}},
		{"11 explicit id alone", "## {#only}\n", []string{"## only|"}},
		{"11 explicit id with underscores", "## A {#a_b_c}\n", []string{"## a_b_c|A"}},
		{"12 not explicit", pieces("## `{#q}`", "## C {#y .k}"), []string{"## q|{#q}", "## c-y-k|C {#y .k}"}},
		{"12 escaped", "## A \\{#q}\n", []string{"## a-q|A {#q}"}},
		{"12 in a link", "## A [{#q}](u)\n", []string{"## a-q|A {#q}"}},
		{"12 without white space before", "## A{#q}\n", []string{"## aq|A{#q}"}},
		{"13 anchor", "## Facts [source: sources/s.md#L1]\n", []string{"## facts|Facts"}},
		{"13 anchor after the id", "## Facts {#f} [source: sources/s.md#L1]\n", []string{"## f|Facts"}},
		{"14 repeated", pieces("## A", "### Notes", "## A", "## Notes", "## A-1"),
			[]string{"## a|A", "### notes|Notes", "## a-1|A", "## notes-1|Notes", "## a-1-1|A-1"}},
		{"16 case", pieces("## LIMITS", "## Limits"), []string{"## limits|LIMITS", "## limits-1|Limits"}},
		{"17 Chinese and wide", pieces("## 使用 边界", "## 第１章\u3000概要"),
			[]string{"## 使用-边界|使用 边界", "## 第１章-概要|第１章 概要"}},
		{"18 simple case mapping", "## ÜBER İstanbul ΣΑΣ\n", []string{"## über-istanbul-σασ|ÜBER İstanbul ΣΑΣ"}},
		{"19 NFC", pieces("## Cafe\u0301", "## Caf\u00e9"), []string{"## caf\u00e9|Cafe\u0301", "## caf\u00e9-1|Caf\u00e9"}},
		{"20 emoji", pieces("## 🚀", "## ⚠️ Limits", "## 👍🏽 Ok"), []string{"## section|🚀", "## -limits|⚠️ Limits", "## -ok|👍🏽 Ok"}},
		{"21 punctuation", pieces("## ???", "## C++ & C#", "## a.b/c:d", "## 2.1 Sizes"),
			[]string{"## section|???", "## c--c|C++ & C#", "## abcd|a.b/c:d", "## 21-sizes|2.1 Sizes"}},
		{"23 nothing", pieces("---", "---", "<!-- a -->", "[a]: b"), nil},
		{"24 title only", "# Only title\n", []string{"# only-title|Only title"}},
		{"26 H1 after H2", pieces("intro", "## A", "# T", "## B"), []string{"## a|A", "# t|T", "## b|B"}},
		{"33 front matter", "--- \nstatus: draft\n---\n# T\n", []string{"# t|T"}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			d := Parse("documents/doc.md", []byte(tt.text))
			if diff := cmp.Diff(tt.want, heads(d)); diff != "" {
				t.Errorf("headings of %q (-want +got):\n%s", tt.text, diff)
			}
			if len(d.Units) > 0 && strings.HasPrefix(tt.row, "13") {
				t.Errorf("a heading gave claim units: %+v", d.Units)
			}
		})
	}
}

func TestStemShortensLongIDs(t *testing.T) {
	long := strings.Repeat("境", 40)
	for _, tt := range []struct{ id, want string }{
		{"limits", "limits"},
		{strings.Repeat("a", 80), strings.Repeat("a", 80)},
		{long, strings.Repeat("境", 23) + "-33864588"},
	} {
		if got := Stem(tt.id); got != tt.want {
			t.Errorf("Stem(%q) = %q, want %q", tt.id, got, tt.want)
		}
	}
	if n := len(Stem(strings.Repeat("a", 81))); n != maxStem {
		t.Errorf("the stem of an ASCII id of 81 bytes has %d bytes, want %d", n, maxStem)
	}
}

func TestIDsGoOnAfterTheHeadings(t *testing.T) {
	d := Parse("d.md", []byte(pieces("text", "## Overview", "## Terms & conditions", "## Terms--Conditions")))
	ids := d.IDs()
	for _, tt := range []struct{ id, want string }{
		{"overview", "overview-1"},
		{"overview", "overview-2"},
		{"terms--conditions", "terms--conditions-2"}, // the two headings have the id and -1
		{"bare--one", "bare--one"},
	} {
		if got := ids.Take(tt.id); got != tt.want {
			t.Errorf("Take(%q) = %q, want %q", tt.id, got, tt.want)
		}
	}
	if got := d.IDs().Take("overview"); got != "overview-1" {
		t.Errorf("a second allocator gives %q, want overview-1", got)
	}
}

func TestContentBlocks(t *testing.T) {
	for _, tt := range []struct {
		row, text string
		want      bool
	}{
		{"27 paragraph", "intro", true},
		{"30 comment", "<!-- a -->", false},
		{"30 two comments", "<!-- a --> <!-- b -->", false},
		{"30 comment over lines", "<!-- b\n\nc -->", false},
		{"30 unclosed comment", "<!-- a", false},
		{"30 empty comments", "<!--> <!--->", false},
		{"30 comment and text", "<!-- a --> b", true},
		{"30 thematic break", "---", false},
		{"30 link definition", "[a]: b", false},
		{"30 link definition with title", "[a]: b\n  'c'", false},
		{"30 heading", "### E", false},
		{"html", "<div></div>", true},
		{"code", "    code", true},
		{"fence", "```\n```", true},
		{"list", "- ", true},
		{"quote", "> ", true},
		{"table", "|a|\n|-|", true},
	} {
		t.Run(tt.row, func(t *testing.T) {
			d := Parse("d.md", []byte("# T\n\n"+tt.text+"\n"))
			got := slices.ContainsFunc(d.Blocks, func(b Block) bool { return b.Content })
			if got != tt.want {
				t.Errorf("content of %q = %v, want %v", tt.text, got, tt.want)
			}
		})
	}
	t.Run("23 empty file and front matter only", func(t *testing.T) {
		for _, text := range []string{"", "\n \n", "---\n---\n", "---\nstatus: ready\n---"} {
			if d := Parse("d.md", []byte(text)); len(d.Blocks)+len(d.Headings) > 0 {
				t.Errorf("%q gave blocks %+v", text, d.Blocks)
			}
		}
	})
}

func TestFrontMatterRows(t *testing.T) {
	for _, tt := range []struct {
		row, text    string
		body, status string
		ids          []string
	}{
		{"33 blanks after the marker", "--- \t\nstatus: draft\n---\nb\n", "b\n", "draft", nil},
		{"34 four dashes", "----\na: b\n---\n", "----\na: b\n---\n", "", nil},
		{"34 one dash", "-\na: b\n---\n", "-\na: b\n---\n", "", nil},
		{"34 unclosed", "---\na: b\n", "", "", []string{"metadata-invalid"}},
		{"34 closed by dots", "---\na: b\n...\n", "", "", []string{"metadata-invalid"}},
		{"34 a rule", "---\n\na: b\n", "---\n\na: b\n", "", nil},
		{"35 not a map", "---\ntext\n---\nb\n", "b\n", "", []string{"metadata-foreign"}},
		{"35 unknown status", "---\nstatus: disputd\n---\nb\n", "b\n", "", []string{"metadata-foreign"}},
		{"35 not YAML", "---\na: [\n---\nb\n", "b\n", "", []string{"metadata-foreign"}},
		{"indented marker in a block scalar", "---\na: |\n  x\n  ---\n  y\n---\nb\n", "b\n", "", nil},
		{"closed at the end of the file", "---\nstatus: stale\n---", "", "stale", nil},
		{"empty block", "---\n---\nb\n", "b\n", "", nil},
		{"status of another type", "---\nstatus: [a]\n---\nb\n", "b\n", "", []string{"metadata-foreign"}},
	} {
		t.Run(tt.row, func(t *testing.T) {
			d := Parse("d.md", []byte(tt.text))
			if got := tt.text[d.Body:]; got != tt.body {
				t.Errorf("body = %q, want %q", got, tt.body)
			}
			if string(d.Status) != tt.status {
				t.Errorf("status = %q, want %q", d.Status, tt.status)
			}
			if diff := cmp.Diff(tt.ids, diagIDs(d)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			for _, b := range d.Blocks {
				if b.Start < d.Body {
					t.Errorf("block %+v starts before the body at %d", b, d.Body)
				}
			}
		})
	}
}

func diagIDs(d *Document) []string {
	var ids []string
	for _, x := range d.Diagnostics {
		ids = append(ids, x.ID)
	}
	return ids
}

// What begins like an include and ends at once includes nothing, and harms nothing.
func TestTheShortestIncludesAreNone(t *testing.T) {
	for _, line := range []string{"<!-->", "<!--->", "<!---->", "{{#}}", "{{#}", "--8<-- ", "<<< ", "{%%}", "{{<>}}", "```{}", "```{include}"} {
		doc := Parse("documents/a.md", []byte("# A\n\n"+line+"\n\nText.\n"))
		if got := Include([]byte(line)); got != "" || doc == nil {
			t.Errorf("%s includes %q", line, got)
		}
	}
}
