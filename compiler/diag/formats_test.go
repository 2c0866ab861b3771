package diag

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestCodeQualityHasAPathALineAndAFingerprintOfEach(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, CodeQuality(&b, sample, FormatOptions{}))
	var got []qualityIssue
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || len(got) != len(sample) {
		t.Fatalf("%s, %v", b.String(), err)
	}
	seen := map[string]bool{}
	for i, issue := range got {
		if issue.Location.Path == "" || issue.Location.Lines.Begin < 1 || len(issue.Fingerprint) < 16 || seen[issue.Fingerprint] || issue.Check != sample[i].ID {
			t.Errorf("%+v", issue)
		}
		seen[issue.Fingerprint] = true
	}
	want := qualityIssue{Description: got[0].Description, Check: "claim-unsourced", Fingerprint: got[0].Fingerprint, Severity: "minor", Location: qualityLocation{Path: "documents/a.md", Lines: qualityLines{Begin: 3}}}
	if got[0] != want || !strings.HasPrefix(want.Description, "No anchor.") {
		t.Errorf("got %+v, want %+v", got[0], want)
	}
	b.Reset()
	if err := CodeQuality(&b, nil, FormatOptions{}); err != nil || b.String() != "[]\n" {
		t.Errorf("no findings are %q, %v", b.String(), err)
	}
}

func TestJUnitFailsWhatTheGateFails(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fails func(Diagnostic) bool
		want  int
	}{
		{"errors where nothing is said", nil, 2},
		{"errors and warnings", func(d Diagnostic) bool { return d.Severity >= Warning }, 3},
		{"nothing", func(Diagnostic) bool { return false }, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			oktest.Check(t, JUnit(&b, sample, FormatOptions{Fails: tc.fails}))
			var got junitReport
			oktest.Check(t, xml.Unmarshal(b.Bytes(), &got))
			failed := 0
			for _, c := range got.Suites[0].Cases {
				if c.Failure != nil {
					failed++
				}
			}
			if got.Tests != len(sample) || got.Failures != tc.want || failed != tc.want {
				t.Errorf("%d of %d tests fail, %d have a failure; want %d of %d", got.Failures, got.Tests, failed, tc.want, len(sample))
			}
		})
	}
}

func TestJUnitNamesNoTwoCasesAlike(t *testing.T) {
	d := Diagnostic{ID: "a", Severity: Error, Path: "x.md", Line: 3, Message: "m"}
	var b bytes.Buffer
	oktest.Check(t, JUnit(&b, []Diagnostic{d, d, d}, FormatOptions{}))
	var got junitReport
	oktest.Check(t, xml.Unmarshal(b.Bytes(), &got))
	names := map[string]bool{}
	for _, c := range got.Suites[0].Cases {
		names[c.Class+c.Name] = true
	}
	if len(names) != 3 {
		t.Errorf("three findings have the names %v", names)
	}
}

func TestJUnitWithoutFindingsPasses(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, JUnit(&b, nil, FormatOptions{}))
	want := `<testsuites name="packgen" tests="1" failures="0">`
	if !strings.Contains(b.String(), want) || !strings.Contains(b.String(), `<testcase classname="packgen" name="no findings"></testcase>`) {
		t.Errorf("got %s", b.String())
	}
}

// hostile is a finding whose every text tries to leave its place.
var hostile = Diagnostic{
	ID: "x", Severity: Warning, Path: "a,b:c%\n.md", Line: 2, Column: 3,
	Message: "one\n::error::two | <img src=x> [a](http://b) @team `c` \u202e 100%", Hint: "*h*",
}

func TestFindingsKeepWhatTheEnvelopeHasNoFieldFor(t *testing.T) {
	got := oktest.Value(json.Marshal(Findings(sample[:1])))(t)
	want := `[{"severity":"warning","path":"documents/a.md","message":"[claim-unsourced] No anchor.","id":"claim-unsourced","line":3,"column":5,"hint":"add [source: …]"}]`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
	if got, _ := json.Marshal(Findings(nil)); string(got) != "[]" {
		t.Errorf("no findings are %s", got)
	}
}

func TestGitHubWritesTheWorstFirst(t *testing.T) {
	var b bytes.Buffer
	o := FormatOptions{Limit: 3, All: "packgen check --all", Path: func(d Diagnostic) string {
		if d.Path == "" {
			return ""
		}
		return "packs/p/" + d.Path
	}}
	oktest.Check(t, GitHub(&b, sample, o))
	want := `::error file=packs/p/b.md,line=7,title=path-collision::"x"
::error title=pack-missing::Nothing.
::warning file=packs/p/documents/a.md,line=3,col=5,title=claim-unsourced::No anchor.%0Afix: add [source: …]
::notice title=packgen::1 more finding: 1 of view-hand-made. packgen check --all prints all.
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestGitHubEscapesWhatCouldBeginACommand(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, GitHub(&b, []Diagnostic{hostile}, FormatOptions{}))
	out := b.String()
	if strings.Count(out, "\n") != 1 || !strings.HasPrefix(out, "::warning file=a%2Cb%3Ac%25%0A.md,line=2,col=3,title=x::one") || strings.Contains(out, "\u202e") {
		t.Errorf("got %q", out)
	}
}

func TestMarkdownCountsAndListsTheWorstFirst(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, Markdown(&b, sample, FormatOptions{Limit: 3, All: "packgen check --all"}))
	want := "### packgen\n\n2 errors, 1 warning, 1 remark.\n\n| | Rule | Place | Finding |\n| --- | --- | --- | --- |\n" +
		"| error | path-collision | b.md&#58;7 | \"x\" |\n" +
		"| error | pack-missing |  | Nothing. |\n" +
		"| warning | claim-unsourced | documents/a.md&#58;3&#58;5 | No anchor.<br>fix&#58; add \\[source&#58; …\\] |\n" +
		"\n1 further finding: 1 of view-hand-made. `packgen check --all` prints all.\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := Markdown(&b, nil, FormatOptions{}); err != nil || b.String() != "### packgen\n\nNo findings.\n" {
		t.Errorf("got %q, %v", b.String(), err)
	}
}

func TestMarkdownReadsNoTextAsMarkup(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, Markdown(&b, []Diagnostic{hostile}, FormatOptions{}))
	rows := strings.Split(strings.TrimSpace(b.String()), "\n")
	row := rows[len(rows)-1]
	if strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") != 5 {
		t.Errorf("the row has other cells: %s", row)
	}
	for _, bad := range []string{"<img", "@team", "](", "http://", " `c`", "|  <"} {
		if strings.Contains(row, bad) {
			t.Errorf("%q stands in %s", bad, row)
		}
	}
}

func FuzzFaces(f *testing.F) {
	f.Add("a\n|b", "p:q", "<x>")
	f.Fuzz(func(t *testing.T, message, path, hint string) {
		list := []Diagnostic{{ID: "x", Path: path, Message: message, Hint: hint}}
		var gh, md, sa bytes.Buffer
		if err := GitHub(&gh, list, FormatOptions{}); err != nil || strings.Count(gh.String(), "\n") != 1 {
			t.Errorf("annotation %q, %v", gh.String(), err)
		}
		if err := Markdown(&md, list, FormatOptions{}); err != nil || strings.Count(md.String(), "\n") != 7 {
			t.Errorf("summary %q, %v", md.String(), err)
		}
		if err := SARIF(&sa, "0.1.0", list, FormatOptions{}); err != nil || !json.Valid(sa.Bytes()) {
			t.Errorf("SARIF %q, %v", sa.String(), err)
		}
		var cq, ju bytes.Buffer
		if err := CodeQuality(&cq, list, FormatOptions{}); err != nil || !json.Valid(cq.Bytes()) {
			t.Errorf("code quality %q, %v", cq.String(), err)
		}
		var report junitReport
		if err := JUnit(&ju, list, FormatOptions{}); err != nil || xml.Unmarshal(ju.Bytes(), &report) != nil || len(report.Suites[0].Cases) != 1 {
			t.Errorf("JUnit %q, %v", ju.String(), err)
		}
	})
}

// What a rule forgets to cut out of its message, or a file has in its name, no
// format shows.
func TestNoFaceShowsASecret(t *testing.T) {
	token := "ghp" + "_Abcdefghij0123456789abcdefghij012345"
	d := Diagnostic{ID: "x", Severity: Error, Pack: token, Path: "a/" + token + ".md", Line: 1, Column: 3, Message: "Says " + token + ".", Hint: "Not " + token}
	lines := func(Diagnostic) (string, bool) { return "- " + token, true }
	options := FormatOptions{Lines: lines, Path: func(d Diagnostic) string { return "packs/" + token + "/" + d.Path }}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"terminal":        func(b *bytes.Buffer) error { return Render(b, []Diagnostic{d}, RenderOptions{Lines: lines}) },
		"terminal, paths": func(b *bytes.Buffer) error { return Render(b, []Diagnostic{d}, RenderOptions{Path: options.Path}) },
		"github":          func(b *bytes.Buffer) error { return GitHub(b, []Diagnostic{d}, options) },
		"markdown":        func(b *bytes.Buffer) error { return Markdown(b, []Diagnostic{d}, options) },
		"sarif":           func(b *bytes.Buffer) error { return SARIF(b, "0.1.0", []Diagnostic{d}, options) },
		"code quality":    func(b *bytes.Buffer) error { return CodeQuality(b, []Diagnostic{d}, options) },
		"junit":           func(b *bytes.Buffer) error { return JUnit(b, []Diagnostic{d}, options) },
		"json":            func(b *bytes.Buffer) error { return json.NewEncoder(b).Encode(Findings([]Diagnostic{d})) },
	} {
		var b bytes.Buffer
		oktest.Check(t, write(&b))
		if strings.Contains(strings.ReplaceAll(b.String(), `\`, ""), token[:8]) || !strings.Contains(strings.ReplaceAll(b.String(), `\`, ""), "ghp_") {
			t.Errorf("%s:\n%s", name, b.String())
		}
	}
}

// A fingerprint is public, and the hash of a short secret could be guessed.
func TestFingerprintsKnowNoSecret(t *testing.T) {
	with := func(value string) string {
		o := FormatOptions{Lines: func(Diagnostic) (string, bool) { return "password: " + value, true }}
		return fingerprints([]Diagnostic{{ID: "x", Path: "a.md", Line: 1}}, o)[0]
	}
	if with("hunt"+"er2hunter2") != with("hunt"+"er3hunter3") {
		t.Error("the fingerprint depends on the secret")
	}
}

func TestJSONThatIsPrintedHidesNothing(t *testing.T) {
	for text, want := range map[string]string{
		"a\u009b31m":           `"a\u009b31m"`,
		"\u0080\u009f\u007f":   `"\u0080\u009f\u007f"`,
		"\u202e\u2066\u200b":   `"\u202e\u2066\u200b"`,
		"\U000e0049\U000e0067": `"\udb40\udc49\udb40\udc67"`,
		"\ufeff\u2028x\u00ad":  `"\ufeff\u2028x\u00ad"`,
		"é 返品 \U0001F600":      "\"é 返品 \U0001F600\"",
		"می\u200cخواهم":        "\"می\u200cخواهم\"",
	} {
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		oktest.Check(t, enc.Encode(text))
		got := EscapeJSON([]byte(b.String()))
		if strings.TrimSpace(string(got)) != want {
			t.Errorf("%+q: %s, want %s", text, got, want)
		}
		var again string
		if err := json.Unmarshal(got, &again); err != nil || again != text {
			t.Errorf("%+q is read as %+q, %v", text, again, err)
		}
	}
}
