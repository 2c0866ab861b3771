package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes a unit on one line: kind, "!" when important, text, then its
// usable anchors and its marker.
func show(u Unit) string {
	var b strings.Builder
	b.WriteString([...]string{"item", "para", "row", "record"}[u.Kind])
	if u.Important {
		b.WriteByte('!')
	}
	b.WriteString(" " + u.Text)
	for _, a := range u.Anchors {
		if a.Usable {
			b.WriteString(" <" + a.String() + ">")
		}
	}
	if u.Marker != "" {
		b.WriteString(" {" + string(u.Marker) + "}")
	}
	return b.String()
}

func shownUnits(d *Document) []string {
	var list []string
	for _, u := range d.Units {
		list = append(list, show(u))
	}
	return list
}

const s1 = "[source: sources/s.md#L1]"

// The rows are those of agent-knowledge section 22.5.
func TestUnitsOfTheEdgeCases(t *testing.T) {
	for _, tt := range []struct {
		row   string
		text  string
		want  []string
		diags []string
	}{
		{"44 item over lines", "- A claim that\n  runs on.  \n", []string{"item! A claim that runs on."}, nil},
		{"45 covered and introducing", "- Finishes: " + s1 + "\n  - steel\n- Lead:\n  - x\n",
			[]string{"item Finishes: <sources/s.md#L1>", "item steel", "item Lead:", "item! x"}, nil},
		{"45 a colon without a list", "- Lead:\n", []string{"item! Lead:"}, nil},
		{"45 an unusable anchor covers nothing", "- A [source: x]\n  - b\n",
			[]string{"item! A", "item! b"}, []string{"anchor-unresolved"}},
		{"46 three paragraphs", "- a " + s1 + "\n\n  b\n\n  c " + s1 + "\n",
			[]string{"item! a <sources/s.md#L1>", "para b", "para c <sources/s.md#L1>"}, nil},
		{"47 tasks", "- [ ] open\n- [x] done " + s1 + "\n- [x](u) link and text\n",
			[]string{"item open", "item done <sources/s.md#L1>", "item! x link and text"}, nil},
		{"48 table", "| n | v | s |\n|---|---|---|\n| Capacity | 1.0 | " + s1 + " |\n| Weight | 2 | |\n",
			[]string{"row Capacity | 1.0 <sources/s.md#L1>", "row Weight | 2"}, nil},
		{"49 quote", "> p " + s1 + "\n>\n> - a " + s1 + "\n> - b\n",
			[]string{"para p <sources/s.md#L1>", "item a <sources/s.md#L1>", "item b"}, nil},
		{"50 no anchors", "- a `" + s1 + "`\n- b <!-- " + s1 + " -->\n- c \\" + s1 + "\n- d [source : sources/s.md]\n- e [ source: sources/s.md]\n- f ![source: sources/s.md]\n",
			[]string{"item! a " + s1, "item! b", "item! c " + s1, "item! d [source : sources/s.md]", "item! e [ source: sources/s.md]", "item! f ![source: sources/s.md]"}, nil},
		{"51 emphasis and full stop", "- **Bold " + s1 + "** rest\n- 1 l " + s1 + ".\n",
			[]string{"item! Bold rest <sources/s.md#L1>", "item! 1 l. <sources/s.md#L1>"}, nil},
		{"52 links", "- A [text " + s1 + "](u) b\n- " + s1 + "(u)\n- [Only](u)\n- **[Only](u)** <https://e.org>\n- [a](b), [c](d)\n",
			[]string{"item! A text b <sources/s.md#L1>", "item source: sources/s.md#L1", "item Only", "item Only https://e.org", "item! a, c"}, nil},
		{"53 several parts", "- a [source: sources/a; sources/b]\n- b [source: sources/a][source: sources/b]\n- c [source: sources/a; sources/a]\n- d [source: sources/a;\n  sources/b\n  ]\n- e [SOURCE:sources/a;;]\n",
			[]string{
				"item! a <sources/a> <sources/b>", "item! b <sources/a> <sources/b>", "item! c <sources/a> <sources/a>",
				"item! d <sources/a> <sources/b>", "item! e <sources/a>",
			}, nil},
		{"55 markers", "- a [status: confirmed]\n- b [status: missing] [status: stale]\n- c [status: foo]\n- d [Status: Missing]\n- e [status: missing](u)\n- f [status: foo](u)\n",
			[]string{"item! a {confirmed}", "item! b {missing}", "item! c [status: foo]", "item! d {missing}", "item! e status: missing", "item! f status: foo"},
			[]string{"anchor-unresolved"}},
		{"56 unusable anchors", "- a [source:]\n- b [source: https://e.org/a]\n- c [source: KNOWLEDGE.md]\n- d [source: ../x.md]\n",
			[]string{"item! a", "item! b", "item! c", "item! d"},
			[]string{"anchor-unresolved", "anchor-unresolved", "path-escape"}},
		{"57 empty fragment", "- a [source: sources/s.md#]\n", []string{"item! a <sources/s.md>"}, nil},
		{"59 nothing to claim", "- " + s1 + "\n- # H\n- ```\n  code\n  ```\n-     code\n",
			[]string{"item  <sources/s.md#L1>"}, nil},
		{"60 a footnote is a unit of its own", "Text[^1].\n\n[^1]: Note with words. " + s1 + "\n",
			[]string{"para Text.", "para Note with words. <sources/s.md#L1>"}, nil},
		{"marker in a paragraph and a row", "p [status: stale]\n\n|a|\n|-|\n|b [status: disputed]|\n",
			[]string{"para p {stale}", "row b {disputed}"}, nil},
		{"anchors in a quote over lines", "> - a [source:\n>   sources/a]\n", []string{"item a <sources/a>"}, nil},
		{"bare address and strikethrough", "- ~~a~~ https://e.org\n", []string{"item! a https://e.org"}, nil},
	} {
		t.Run(tt.row, func(t *testing.T) {
			d := Parse("documents/doc.md", []byte(tt.text))
			if diff := cmp.Diff(tt.want, shownUnits(d)); diff != "" {
				t.Errorf("units of %q (-want +got):\n%s", tt.text, diff)
			}
			if diff := cmp.Diff(tt.diags, diagIDs(d)); diff != "" {
				t.Errorf("diagnostics of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestMarkerGoesAfterTheLastCharacterOfTheItem(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"- A claim that\n  runs on.  \n- b\n", "- A claim that\n  runs on.|  \n- b|\n"},
		{"- a\n\n  b\n", "- a|\n\n  b\n"},
		{"- a\n  - b \t\n", "- a|\n  - b| \t\n"},
		{"1. a `c`", "1. a `c`|"},
		{"> - a\n>   b\n", "> - a\n>   b|\n"},
	} {
		d := Parse("d.md", []byte(tt.text))
		got := tt.text
		for i := len(d.Units) - 1; i >= 0; i-- {
			if u := d.Units[i]; u.Kind == ListItem {
				got = got[:u.End] + "|" + got[u.End:]
			}
		}
		if got != tt.want {
			t.Errorf("ends of items: got %q, want %q", got, tt.want)
		}
	}
}

func TestLineOfAnItemIsAsWrittenOnOneLine(t *testing.T) {
	d := Parse("d.md", []byte("- [x] A *b*\n    c &amp; d\n  [source:\n  sources/a]\n\n  more\n"))
	want := "[x] A *b* c &amp; d [source: sources/a]"
	if got := d.Units[0].Line; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

func TestUnitsUnderABoundaryHeading(t *testing.T) {
	text := pieces("- before", "# Do not", "- one", "## Care", "- two", "# Use", "- three", "## Limits", "### Deep", "- four", "> ## Taboo", "## Next", "- five", "#### 边界", "- six", "### Free", "- seven")
	d := Parse("d.md", []byte(text))
	want := map[string]bool{"before": false, "one": true, "two": true, "three": false, "four": true, "five": false, "six": true, "seven": false}
	for _, u := range d.Units {
		if u.Boundary != want[u.Text] {
			t.Errorf("unit %q: boundary = %v, want %v", u.Text, u.Boundary, want[u.Text])
		}
		if u.Important == u.Boundary {
			t.Errorf("unit %q: important = %v under boundary = %v", u.Text, u.Important, u.Boundary)
		}
	}
	if diff := cmp.Diff([]string{"one", "two", "four", "six"}, d.BoundaryItems()); diff != "" {
		t.Errorf("BoundaryItems (-want +got):\n%s", diff)
	}
}

func TestClaimRecords(t *testing.T) {
	for _, tt := range []struct {
		name, text, want, line string
		diags                  []string
	}{
		{"all keys", "- claim: The *star* ranges\n  past the cape: often.\n  status: disputed\n  source: sources/s.md#L5\n  updated: 2026-01-02\n",
			"record! The star ranges past the cape: often. <sources/s.md#L5> {disputed}",
			"The star ranges past the cape: often. [source: sources/s.md#L5]", nil},
		{"quotes", "- claim: \"A: b\"\n  source: 'sources/s.md'\n", "record! A: b <sources/s.md>", "A: b [source: sources/s.md]", nil},
		{"claim only", "- claim: A\n", "record! A", "A", nil},
		{"another first key", "- status: stale\n  claim: A\n", "item! status: stale claim: A", "status: stale claim: A", nil},
		{"unknown status and unusable source", "- claim: A\n  status: odd\n  source: /etc/passwd\n", "record! A", "A", []string{"anchor-unresolved", "path-escape"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Parse("wiki/sources/s.md", []byte(tt.text))
			if got := show(d.Units[0]); got != tt.want {
				t.Errorf("unit = %q, want %q", got, tt.want)
			}
			if got := d.Units[0].Line; got != tt.line {
				t.Errorf("line = %q, want %q", got, tt.line)
			}
			if diff := cmp.Diff(tt.diags, diagIDs(d)); diff != "" {
				t.Errorf("diagnostics (-want +got):\n%s", diff)
			}
			if len(d.Units[0].Anchors) != len(d.Anchors) {
				t.Errorf("the document has %d anchors, the record %d", len(d.Anchors), len(d.Units[0].Anchors))
			}
		})
	}
}

func TestDiagnosticsHaveTheMessagesAndPlacesOfTheSpec(t *testing.T) {
	text := "---\nstatus: ready\n---\n\né [source: ../x.md#L1;  http://e ] and [status: Foo Bar]\n"
	var got []string
	for _, x := range Parse("documents/d.md", []byte(text)).Diagnostics {
		got = append(got, fmt.Sprintf("%s: %s: %s", x.Place(), x.Severity, x.Record()))
	}
	want := []string{
		`documents/d.md:5:4: error: [path-escape] "../x.md#L1"`,
		`documents/d.md:5:4: warning: [anchor-unresolved] "http://e"`,
		`documents/d.md:5:41: warning: [anchor-unresolved] Unknown claim status "Foo Bar".`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
}
