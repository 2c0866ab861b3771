package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// one analyzes a file of one section.
func one(t *testing.T, text string, o options) Proposal {
	t.Helper()
	r := analyze("CLAUDE.md", text, o)
	if len(r.Proposals) != 1 {
		t.Fatalf("%d proposals of %.60q", len(r.Proposals), text)
	}
	return r.Proposals[0]
}

// The tables of loadout sections 20.3 and 20.4, word by word.
func TestEverySignalPatternAndStopWord(t *testing.T) {
	for signal := range strings.SplitSeq("github actions, ci, workflow, runner, marketing, site, publishing, automation, shipping, publish, release, npm, ownership, repo, org, canonical, preview, verification, dev server, shipcheck, treatment, landing page, product, development, output-first, guardian, self-check, document delight", ", ") {
		one(t, section("A "+strings.ToUpper(signal)+" b", 9), options{})
		if n := len(analyze("CLAUDE.md", section("A "+signal+"ly b", 9), options{}).Proposals); n != 0 {
			t.Errorf("%s is seen inside a word", signal)
		}
	}
	for name, triggers := range map[string]string{
		"ci_pipeline": "ci, workflow, github actions", "package_release": "publish, release, npm", "marketing_ops": "marketing, site, landing page", "repo_governance": "ownership, canonical, repo",
		"dev_workflow": "preview, dev server, verification", "quality_gate": "shipcheck, ship_gate, treatment", "product_dev": "product, output-first",
	} {
		for trigger := range strings.SplitSeq(triggers, ", ") {
			if p := one(t, section("Anything", 15)+"The "+trigger+".\n", options{}); !slices.Contains(p.Patterns, name) {
				t.Errorf("%s gives %q, not %s", trigger, p.Patterns, name)
			}
		}
	}
	stop := "the and for are but not you all can had her was one our out has this that with have from they been must will each make like when never only rule rules non negotiable"
	if p := one(t, section("Kettle "+stop, 15), options{}); !slices.Equal(p.Keywords, []string{"kettle"}) {
		t.Errorf("keywords %q", p.Keywords)
	}
	p := one(t, section("Zeta kettle of it, zeta", 15)+"A landing page by ci; a runner and a dev server.\n", options{})
	if want := []string{"zeta", "kettle", "runner", "dev", "server", "landing", "page"}; !slices.Equal(p.Keywords, want) {
		t.Errorf("keywords %q, want %q", p.Keywords, want)
	}
	if want := []string{"ci_pipeline", "marketing_ops", "dev_workflow"}; !slices.Equal(p.Patterns, want) {
		t.Errorf("patterns %q, want %q", p.Patterns, want)
	}
}

func TestHeadingIDsLeaveParenthesesOut(t *testing.T) {
	for heading, want := range map[string]string{
		"Release (draft one) train": "release-train", "Release (open": "release-open", "a (b) (c) d": "d", "Kettle - - care": "kettle", "": "unnamed", "source of truth": "unnamed",
	} {
		if got := headingID(heading); got != want {
			t.Errorf("HeadingID(%q) = %q, want %q", heading, got, want)
		}
	}
}

// A heading of one endless word names a file all the same.
func TestIdsFitAFileName(t *testing.T) {
	r := analyze("CLAUDE.md", strings.Repeat(section(strings.Repeat("y", 59)+"-"+strings.Repeat("x", 300), 15), 2), options{})
	if len(r.Proposals) != 2 || r.Proposals[0].ID != strings.Repeat("y", 59) || r.Proposals[1].ID != strings.Repeat("y", 59)+"-2" {
		t.Errorf("%+v", r.Proposals)
	}
}

func TestSummariesOfSections(t *testing.T) {
	filler := strings.Repeat("\n- text", 15)
	for _, c := range []struct{ body, want string }{
		{"\n\n### Sub\n- First point", "First point"}, {"\n*  star ", "star"}, {"\n+ plus", "plus"}, {"\n-dash", "-dash"}, {"\n  - in", "- in"},
		{"\n```sh\nmake\n```\n1. Run it.", "Run it."}, {"\n2024 was long", "2024 was long"}, {"\n10) Ten", "Ten"}, {"\n1.5 of it", "1.5 of it"},
		{"\n" + strings.Repeat("x", 117), strings.Repeat("x", 117)}, {"\n" + strings.Repeat("x", 118), strings.Repeat("x", 117) + "..."},
		{"\n" + strings.Repeat("x", 116) + "😀", strings.Repeat("x", 116) + "..."},
	} {
		if p := one(t, "## Kettle"+c.body+filler, options{}); p.Summary != c.want {
			t.Errorf("%.40q: %q, want %q", c.body, p.Summary, c.want)
		}
	}
	if p := one(t, "## Kettle care"+strings.Repeat("\n### Sub", 20), options{}); p.Summary != "Kettle care" {
		t.Errorf("nothing but headings: %q", p.Summary)
	}
}

// What a report says of each section (loadout section 20.5).
func TestReportOfAFile(t *testing.T) {
	text := "# Top\n\n## Alone\n\n" + section("Role", 20) + section("One two three four ci", 9) + section("Kettle", 15)
	r := analyze("CLAUDE.md", text, options{})
	var core []string
	for _, s := range r.CoreCandidate {
		core = append(core, s.Heading)
	}
	if want := []string{"(preamble)", "Role"}; !slices.Equal(core, want) {
		t.Errorf("%q stay, want %q: a heading alone is in no list", core, want)
	}
	var reasons []string
	for _, p := range r.Proposals {
		reasons = append(reasons, p.Path+": "+p.Reason)
	}
	want := []string{".claude/rules/one-two-three.md: Domain-specific content (two, three, four)", ".claude/rules/kettle.md: 15 lines — too large to load every session"}
	if !slices.Equal(reasons, want) || r.TotalLines != strings.Count(text, "\n")+1 {
		t.Errorf("got %q, %d lines, want %q", reasons, r.TotalLines, want)
	}
}

// What a split writes, to the byte (loadout section 20.6).
func TestFilesOfASplit(t *testing.T) {
	text := "# Top\n\nBe kind.\n\n" + section("Role", 3) + "\n" + section("One two three four five sixteen ci", 9) + "\n" + section("Kettle | potsies", 15) + "\n"
	for _, lazy := range []bool{false, true} {
		dir, line := DefaultDir, "**When a task matches a domain rule's keywords, read that rule file before planning or editing.**"
		if lazy {
			dir, line = LazyDir, "**Rule files are NOT pre-loaded. When a task matches a domain rule's keywords, use the Read tool to load the rule file before planning or editing.**"
		}
		if want := map[bool]string{false: ".claude/rules", true: ".claude/loadout"}[lazy]; dir != want {
			t.Errorf("the directory is %s", dir)
		}
		r := analyze("CLAUDE.md", text, options{Dir: dir})
		out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{Generated: stamp, Lazy: lazy}))(t)
		table := "---\n\n## Rules Index\n\nRules are split into topic files under `" + dir + "/`.\nThe dispatch table is at `" + dir + "/index.json`.\n\n" + line +
			"\n\n| Topic | Keywords | Priority | File |\n|-------|----------|----------|------|\n| One two three four five sixteen ci | two, three, four, five | domain | `" + dir + "/one-two-three.md` |\n"
		main := string(out.Main.Data)
		if !strings.Contains(main, table) || !strings.HasSuffix(main, "kettle-potsies.md` |\n") || !strings.HasPrefix(main, "# Top\n\nBe kind.\n\n## Role\n") {
			t.Errorf("lazy %t:\n%s\nwant in it\n%s", lazy, main, table)
		}
		if rows := strings.Split(strings.TrimSpace(main), "\n"); strings.Count(strings.ReplaceAll(rows[len(rows)-1], `\|`, ""), "|") != 5 {
			t.Errorf("a heading opens a cell of its own: %s", rows[len(rows)-1])
		}
		wantRule := "---\nid: kettle-potsies\nkeywords: [kettle, potsies]\n"
		if rule := string(out.Rules[1].Data); !strings.HasPrefix(rule, wantRule) || !strings.HasSuffix(rule, "---\n\n"+strings.TrimSuffix(section("Kettle | potsies", 15), "\n")+"\n") {
			t.Errorf("rule file\n%s", rule)
		}
		ix := oktest.Value(indexjson.Read(out.Index.Data))(t)
		p := r.Proposals
		kept, sum := 0, float64(p[0].Section.Tokens+p[1].Section.Tokens)
		for _, s := range r.CoreCandidate {
			kept += s.Tokens
		}
		b := ix.Budget
		if ix.LazyLoad != lazy || b.OnDemandTotal != sum || b.AlwaysLoaded < float64(kept)-1 || b.AlwaysLoaded > float64(kept)+1 || ix.Entries[1].Lines != 15 || ix.Entries[1].TokensEst != float64(p[1].Section.Tokens) {
			t.Errorf("lazy %t, budget %+v, kept %d, entries %+v", ix.LazyLoad, b, kept, ix.Entries)
		}
		if half := sum / 2; half == float64(int(half)) {
			t.Fatalf("%v is not a sum to round", sum)
		} else if b.AvgTaskLoad != half+0.5 {
			t.Errorf("mean %v of %v", b.AvgTaskLoad, sum)
		}
	}
}

// Severities and counts of a validation (loadout section 20.8).
func TestSeveritiesOfAValidation(t *testing.T) {
	entry := func(id, file, keywords, summary string) string {
		return fmt.Sprintf(`{"id":%q,"path":"r/%s.md","keywords":[%s],"patterns":[],"priority":"domain","summary":%q,"triggers":{"task":true,"plan":true,"edit":false},"tokens_est":2,"lines":1}`, id, file, keywords, summary)
	}
	file := func(id, keywords string) string {
		return "---\nid: " + id + "\nkeywords: [" + keywords + "]\nsummary: S\n---\n\n## A ci\n"
	}
	root, _ := repository(t, map[string]string{
		"r/index.json": `{"version":"1.0.0","generated":"x","entries":[` + strings.Join([]string{
			entry("a", "a1", `"ci"`, strings.Repeat("s", 120)), entry("a", "a2", `"cd"`, strings.Repeat("s", 121)), entry("a", "a3", `"ce","ce"`, "S"), entry("e", "e", ``, "S"), entry("x", "x", `"cf"`, "S"),
		}, ",") + `],"budget":{}}`,
		"r/a1.md": file("a", "ci"), "r/a2.md": file("a", "cd"), "r/a3.md": file("a", "ce, ce"), "r/e.md": file("e", ""), "r/x.md": file("y", "cf"),
	})
	issues := oktest.Value(validateRules(root, "r"))(t)
	var got []string
	for _, i := range issues {
		if i.Code != "DRIFT_SUMMARY" && i.Code != "DRIFT_TOKENS" {
			got = append(got, fmt.Sprintf("%s %s", i.Severity, i.Message))
		}
		if i.Hint == "" {
			t.Errorf("%s has no remedy", i.Code)
		}
	}
	want := []string{
		`warning Rule "a" summary exceeds 120 chars (121)`,
		`error Domain rule "e" has no keywords — agent cannot route to it`,
		`error ID mismatch: index says "x" but frontmatter says "y" in r/x.md`,
		`error Duplicate rule ID: "a"`,
		`warning Keyword "ce" appears in multiple rules: a, a`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
