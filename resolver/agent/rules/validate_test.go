package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestValidationCodes(t *testing.T) {
	entry := func(id, path, more string) string {
		return fmt.Sprintf(`{"id":%q,"path":%q,"keywords":["ci"],"patterns":[],"priority":"domain","summary":"S","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":2,"lines":1%s}`, id, path, more)
	}
	rule := "---\nid: a\nkeywords: [ci]\npriority: domain\n---\n\n## A ci\n"
	root, _ := repository(t, map[string]string{
		"r/index.json": `{"version":"1.0.0","generated":"x","entries":[` + strings.Join([]string{
			entry("a", "r/a.md", ""), entry("b", "r/b.md", `,"patterns":["x"],"summary":""`), entry("a", "r/gone.md", ""), entry("d", "r/d.md", ""), entry("e", "../e.md", ""),
		}, ",") + `],"budget":{}}`,
		"r/a.md": rule, "r/b.md": "---\nid: bb\nkeywords: [cd]\npriority: core\ntriggers:\n  edit: true\n---\n\n## B is\nlonger\n", "r/d.md": "no front matter", "r/lost.md": "",
	})
	issues, err := validateRules(root, "r")
	var got []string
	for _, i := range issues {
		got = append(got, fmt.Sprintf("%s %s:%d", i.Code, i.File, i.Line))
	}
	want := strings.Fields("DRIFT_SUMMARY r/a.md:0 DRIFT_ID r/b.md:2 DRIFT_PRIORITY r/b.md:4 DRIFT_KEYWORDS r/b.md:3 DRIFT_PATTERNS r/b.md:0 DRIFT_TRIGGERS r/b.md:5 DRIFT_TOKENS r/b.md:0 DRIFT_LINES r/b.md:0 MISSING_SUMMARY r/b.md:0 MISSING_REF r/gone.md:0 MISSING_FRONTMATTER r/d.md:0 MISSING_REF ../e.md:0 ORPHAN_FILE r/lost.md:0 DUPLICATE_ID :0 DUPLICATE_KEYWORD :0")
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("got\n%s\nwant\n%s\n%v", got, want, err)
	}
	for text, want := range map[string]string{"": "MISSING_INDEX", "{": "INVALID_INDEX", "{}": "INVALID_INDEX", `{"entries":[]}`: "INVALID_INDEX"} {
		files := map[string]string{"r/index.json": text}
		if text == "" {
			files = map[string]string{"x": ""}
		}
		root, _ := repository(t, files)
		if issues, err := validateRules(root, "r"); err != nil || len(issues) != 1 || issues[0].Code != want {
			t.Errorf("%s: %+v, %v", text, issues, err)
		}
	}
}

// A summary that a plan changed is kept in the rule file; one that the text no longer
// has is drift.
func TestSummaryDrift(t *testing.T) {
	text := "## CI runners 100%d\n\n- Never cancel a run.\n" + strings.Repeat("- more\n", 20)
	root, dir := repository(t, map[string]string{"CLAUDE.md": text})
	r := analyze("CLAUDE.md", text, options{Dir: "r%d"})
	for _, c := range []struct {
		summary, edit, want string
	}{
		{"Never cancel a run.", "Never cancel", ""}, {"Never cancel a run.", "Always stop", "DRIFT_SUMMARY"},
		{"By hand: [a] --- x", "Always stop", ""}, {"By hand", "summary: By hand", "DRIFT_SUMMARY"},
	} {
		p := r.Proposals[0]
		p.Summary = c.summary
		out := oktest.Value(r.Compose([]Proposal{p}, ComposeOptions{Generated: stamp}))(t)
		rule := strings.Replace(string(out.Rules[0].Data), "Never cancel", c.edit, 1)
		if strings.HasPrefix(c.edit, "summary") {
			rule = strings.Replace(string(out.Rules[0].Data), c.edit, "summary: another", 1)
		}
		for name, data := range map[string]string{out.Rules[0].Path: rule, out.Index.Path: string(out.Index.Data)} {
			oktest.Check(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
			oktest.Check(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o666))
		}
		issues, err := validateRules(root, "r%d")
		var got []string
		for _, i := range issues {
			if strings.HasPrefix(i.Code, "DRIFT") && i.Code != "DRIFT_TOKENS" {
				got = append(got, i.Code)
			}
			if strings.Contains(i.Message, "%!") {
				t.Errorf("message %q", i.Message)
			}
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

// A plan is data like any other: what it may not say is named, and nothing it says
// leads a file elsewhere.

// A comment of a rule file switches a rule off there; one that cannot is reported.
func TestCommentsSwitchOffWhatIsFoundInRules(t *testing.T) {
	drifted := "---\nid: a\nkeywords: [cd]\npriority: domain\n---\n%s\n## A ci\n"
	index := `{"version":"1.0.0","generated":"x","entries":[{"id":"a","path":"r/a.md","keywords":["ci"],"patterns":[],"priority":"domain","summary":"A ci","triggers":{"task":true,"plan":true,"edit":false},"tokens_est":%d,"lines":%d}],"budget":{}}`
	for comment, want := range map[string]string{
		"": "DRIFT_KEYWORDS:3",
		"<!-- packgen-disable rule-drift: it is made again by night -->": "",
		"<!-- packgen-disable rule-drift -->":                            "DRIFT_KEYWORDS:3 SUPPRESSION_INVALID:6",
	} {
		text := fmt.Sprintf(drifted, comment)
		root, _ := repository(t, map[string]string{"r/a.md": text})
		e, _, _ := entryOf(root, "r/a.md")
		e.Keywords = []string{"ci"}
		oktest.Check(t, root.WriteFile("r/index.json", fmt.Appendf(nil, index, int(e.TokensEst), e.Lines), 0o644))
		var got []string
		for _, i := range audible(root, "r", oktest.Value(validateRules(root, "r"))(t)) {
			got = append(got, fmt.Sprintf("%s:%d", i.Code, i.Line))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %q, want %q", comment, got, want)
		}
	}
}
