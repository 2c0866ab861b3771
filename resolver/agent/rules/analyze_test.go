package rules

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestHeadingIDs(t *testing.T) {
	for heading, want := range map[string]string{
		"GitHub Actions Rules (Non-Negotiable)": "github-actions", "The Rules": "unnamed", "Before Publish: npm!": "publish-npm",
		"A B C D E": "b-c-d", "-x-": "x", "Ünï": "ünï",
	} {
		if got := headingID(heading); got != want {
			t.Errorf("HeadingID(%q) = %q, want %q", heading, got, want)
		}
	}
}

func headings(list []Section) string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%s %d-%d", s.Heading, s.StartLine, s.EndLine))
	}
	return strings.Join(out, "; ")
}

func TestSectionsOfAnInstructionFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"no heading", "a\nb", "(preamble) 0-2"},
		{"levels", "# T\n## A\na\n\n### B\n\n## C\n", "(preamble) 0-1; A 1-5; C 6-7"},
		{"level 3 first", "### A\n### B\n## C\n### D\n", "A 0-1; B 1-2; C 2-4"},
		{"carriage returns", "## A\r\na\r\n## B\r\n", "A 0-2; B 2-3"},
		{"code fence", "## A\n```\n## B\n```\n", "A 0-4"},
		{"white space at the end", "## A \t \na\n## B ##\n", "A 0-2; B 2-3"},
		{"nothing but marks", "## A\n## ##\n", "A 0-2"},
		{"comment", "## A\n<!-- old:\n## B\n-->\n## C\n", "A 0-4; C 4-5"},
		{"comment on one line", "## A\n<!-- x -->\n## B\n", "A 0-2; B 2-3"},
		{"a line below", "t\n\nA b \n---\na\n\nB\n===\nb\n", "(preamble) 0-2; A b 2-9"},
		{"a line below, carriage returns", "A\r\n---\r\na\r\n## B\r\n", "A 0-3; B 3-4"},
		{"a line across", "## A\na\n\n---\n\n- b\n---\n", "A 0-7"},
		{"front matter", "---\nname: a\n---\n## A\n", "(preamble) 0-3; A 3-4"},
		{"level 3 below a line", "A\n---\n### B\n## C\n", "A 0-3; C 3-4"},
	} {
		if got := headings(parseSections(c.text)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func section(heading string, lines int) string {
	return "## " + heading + "\n" + strings.Repeat("- a line of text\n", lines-1)
}

func TestClassification(t *testing.T) {
	for _, c := range []struct {
		text   string
		domain bool
	}{
		{section("Role", 40), false}, {section("Anything", 8), false}, {section("Anything", 15), true},
		{section("Style (NON-NEGOTIABLE)", 9), true}, {section("CI runners", 9), true}, {section("Style", 9), false},
		{section("Decisions", 9), false}, {section("Opposite", 9), false},
	} {
		if got := len(analyze("CLAUDE.md", c.text, options{}).Proposals) == 1; got != c.domain {
			t.Errorf("%.30q: %t", c.text, got)
		}
	}
}

func TestIdsNeverCollide(t *testing.T) {
	text := section("Release rules", 20) + section("Release contract", 20) + section("Release", 20)
	r := analyze("CLAUDE.md", text, options{Rule: func(name string) ([]byte, bool) { return []byte("mine"), path.Base(name) == "release.md" }})
	var ids []string
	for _, p := range r.Proposals {
		ids = append(ids, p.ID)
	}
	if want := []string{"release-2", "release-3", "release-4"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}

// Thousands of sections of one heading are read, planned and validated in one go:
// each id is found without trying all the others.
func TestManySectionsOfOneHeading(t *testing.T) {
	const n = 5_000
	text := strings.Repeat(section("Release", 9), n)
	asked := 0
	r := analyze("CLAUDE.md", text, options{Rule: func(string) ([]byte, bool) { asked++; return nil, false }})
	if len(r.Proposals) != n || r.Proposals[n-1].ID != fmt.Sprintf("release-%d", n) || asked > n {
		t.Fatalf("%d proposals, the last %s, asked %d times", len(r.Proposals), r.Proposals[len(r.Proposals)-1].ID, asked)
	}
	out, err := r.Compose(r.Proposals, ComposeOptions{Generated: stamp})
	if err != nil || out.Entries != n {
		t.Errorf("%d entries, %v", out.Entries, err)
	}
}

// A heading as long as a file may be has hundreds of thousands of words, none of
// which is compared with all the others.
func TestAHeadingOfManyWords(t *testing.T) {
	var heading strings.Builder
	n := 0
	for ; heading.Len() < maxFile-400; n++ {
		fmt.Fprintf(&heading, " x%x", n+0x100)
	}
	r := analyze("CLAUDE.md", "##"+heading.String()+strings.Repeat("\n- text", 20), options{})
	if len(r.Proposals) != 1 || len(r.Proposals[0].Keywords) != n {
		t.Fatalf("%d proposals", len(r.Proposals))
	}
}

func TestSignalsFile(t *testing.T) {
	s := oktest.Value(parseSignals([]byte(`{"domainSignals":["kettle"],"patterns":{"boil_water":["kettle"]}}`)))(t)
	r := analyze("CLAUDE.md", section("The kettle", 9), options{Signals: s})
	if len(r.Proposals) != 1 || !slices.Equal(r.Proposals[0].Patterns, []string{"boil_water"}) {
		t.Errorf("%+v", r.Proposals)
	}
	for _, text := range []string{"[]", "{", `{"stopWords":5}`, `{"patterns":[]}`, `{"patterns":{"a":"b"}}`,
		`{"domainSignals":["a"` + strings.Repeat(`,"a"`, maxSignals) + `]}`, `{"patterns":{"a":["a"` + strings.Repeat(`,"a"`, maxSignals) + `]}}`,
		`{"patterns":{"a":[]` + manyKeys(maxSignals) + `}}`,
	} {
		if _, err := parseSignals([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

func manyKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":[]`, i)
	}
	return b.String()
}

// Any text is analyzed without a panic.
func FuzzAnalyze(f *testing.F) {
	f.Add("# A\n## CI\n" + strings.Repeat("x\n", 20))
	f.Fuzz(func(t *testing.T, text string) {
		r := analyze("CLAUDE.md", text, options{})
		if _, err := r.Compose(r.Proposals, ComposeOptions{Generated: stamp}); err != nil {
			t.Fatal(err)
		}
	})
}
