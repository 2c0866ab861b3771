package boot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
)

func TestHide(t *testing.T) {
	tree := map[string]string{"briefs/a.md": "", "briefs/b.md": "", "briefs/c.md": "", "skills/s.sh": ""}
	for _, tt := range []struct {
		name, yml string
		usecases  []string
		want      []string
	}{
		{"simple, without say", "briefs: {hide: [b.md]}", nil,
			[]string{"simple", "  brief briefs/a.md", "  brief briefs/c.md", "  skill skills/s.sh"}},
		{"hide beats say and the refs that say makes", "briefs: {say: [a.md, b.md], hide: [b.md, c.md]}", nil,
			[]string{"simple", "  brief briefs/a.md", "  skill skills/s.sh"}},
		{"not is an alias, and both may stand", "briefs: {not: [a.md], hide: [b.md]}\nskills: {not: ['*']}", nil,
			[]string{"simple", "  brief briefs/c.md"}},
		{"an empty list hides nothing", "briefs: {hide: [], not: }", nil,
			[]string{"simple", "  brief briefs/a.md", "  brief briefs/b.md", "  brief briefs/c.md", "  skill skills/s.sh"}},
		{"always hides from the whole boot", "always: {briefs: {hide: [b.md]}}\nsubject.x: {briefs: {say: ['*'], ref: [b.md]}, skills: {ref: ['*']}}", nil,
			[]string{"subject.x", "  brief briefs/a.md", "  brief briefs/c.md", "  ref skills/s.sh"}},
		{"a subject hides from itself and from also", "subject.x: {briefs: {say: ['*'], hide: [b.md, c.md]}}\nsubject.y: {briefs: {say: [b.md]}}", nil,
			[]string{"subject.x", "  brief briefs/a.md", "subject.y", "  brief briefs/b.md", "also", "  ref skills/s.sh"}},
		{"a hidden say is not a home for a mention", "subject.x: {briefs: {say: [a.md], hide: [a.md]}}\nsubject.y: {briefs: {say: [a.md]}}", []string{"x", "y"},
			[]string{"subject.y", "  brief briefs/a.md"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"boot.yml": tt.yml}
			for name, content := range tree {
				files[name] = content
			}
			_, res := bootRole(t, mapRole(t, files, OpenOptions{}), Options{Usecases: tt.usecases})
			if diff := cmp.Diff(tt.want, shape(res.Sections)); diff != "" || len(res.Diagnostics) > 0 {
				t.Errorf("%v\n%s", res.Diagnostics, diff)
			}
		})
	}
}

func TestStaleGlobsNameTheNearestPath(t *testing.T) {
	role := mapRole(t, map[string]string{
		"briefs/practices/code.test/rule.require.snapshots.md": "",
		"briefs/practices/moved/only.md":                       "",
		"skills/git/commit.sh":                                 "",
		"boot.yml": `always:
  briefs:
    say:
      - practices/code.test/rule.requires.snapshot.md
      - briefs/practices/old/only.md
      - practices/code.test
      - practices/gone/**/*.md
      - skills/git/commit.sh
      - nothing/like/it.md
`}, OpenOptions{Name: "r"})
	_, res := bootRole(t, role, Options{})
	var got []string
	for _, d := range find(res.Diagnostics, idGlobStale) {
		got = append(got, fmt.Sprintf("%s %s: %s", d.Severity, d.Place(), d.Hint))
	}
	slices.Sort(got)
	want := []string{
		"warning r/boot.yml:4:9: did you mean practices/code.test/rule.require.snapshots.md?",
		"warning r/boot.yml:5:9: did you mean practices/moved/only.md?",
		"warning r/boot.yml:6:9: it names a folder; write practices/code.test/** for the files below it",
		"warning r/boot.yml:7:9: look in practices, the nearest folder",
		"warning r/boot.yml:8:9: list it under skills: it matches a skill",
		"warning r/boot.yml:9:9: correct the glob, or remove it",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, res := bootRole(t, role, Options{Strict: true}); !res.Refused() {
		t.Error("a stale glob passes the strict check")
	}
}

// costRole has one always, two subjects that share an item, a tiny ref and an
// item that no section reaches.
func costRole(t *testing.T) *Role {
	return mapRole(t, map[string]string{
		"boot.yml": `always: {briefs: {say: [tone.md]}}
subject.a: {briefs: {say: [big.md, both.md], ref: [tiny.md]}}
subject.b: {briefs: {say: [both.md, gone.md]}, skills: {say: ['*']}}
`,
		"briefs/tone.md":     strings.Repeat("t", 41),
		"briefs/big.md":      strings.Repeat("🚀", 2000),
		"briefs/both.md":     strings.Repeat("b", 402),
		"briefs/tiny.md":     "x",
		"briefs/left.md":     strings.Repeat("l", 1000),
		"briefs/left.md.min": strings.Repeat("l", 100),
		"skills/s.sh":        strings.Repeat("# s\n", 50),
	}, OpenOptions{Name: "r"})
}

func TestReport(t *testing.T) {
	rep := oktest.Value(costRole(t).Report(context.Background(), Options{}))(t)
	said := map[string]int{}
	for _, u := range rep.Usecases {
		said[u.Slug] = u.Cost.Said
	}
	want := map[string]int{"": token.Of(41 + 4000 + 402 + 200), "a": token.Of(41 + 4000 + 402), "b": token.Of(41 + 402 + 200)}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("said by usecase: %s", diff)
	}
	if rep.Usecases[0].Cost != rep.Boot.Cost {
		t.Errorf("all subjects cost %v, the boot of them %v", rep.Usecases[0].Cost, rep.Boot.Cost)
	}
	if all := token.Of(41 + 4000 + 402 + 1 + 100 + 200); rep.All.Said != all || rep.All.Refs != 0 || rep.All.Briefs != 5 || rep.All.Skills != 1 {
		t.Errorf("without boot.yml: %+v, want %d said", rep.All, all)
	}
	if diff := cmp.Diff([]string{"briefs/left.md"}, rep.Unreached); diff != "" {
		t.Errorf("unreached: %s", diff)
	}
	if diff := cmp.Diff([]RepeatedItem{{"briefs/both.md", []string{"subject.a", "subject.b"}}}, rep.Repeated); diff != "" {
		t.Errorf("repeated: %s", diff)
	}
	line := token.Estimate("<ref path=\"r/briefs/tiny.md\"/>\n")
	if diff := cmp.Diff([]HeavyRef{{"briefs/tiny.md", line, 1}}, rep.Heavy); diff != "" {
		t.Errorf("heavy: %s", diff)
	}
	if len(rep.Stale) != 1 || rep.Stale[0].Section != "subject.b" || rep.Stale[0].List != "briefs.say" || rep.Stale[0].Line != 3 {
		t.Errorf("stale: %+v", rep.Stale)
	}
	var kinds []string
	for _, s := range rep.Sections {
		kinds = append(kinds, s.Kind)
	}
	if diff := cmp.Diff([]string{"always", "subject.a", "subject.b", "also"}, kinds); diff != "" {
		t.Errorf("sections: %s", diff)
	}
	for _, f := range rep.Files {
		if f.Path == "briefs/left.md" && (!f.Twin || f.Content != 25 || f.State != "ref" || f.Home != "also") {
			t.Errorf("file cost: %+v", f)
		}
	}
}

func TestReportOfOneUsecaseKnowsTheOthers(t *testing.T) {
	rep := oktest.Value(costRole(t).Report(context.Background(), Options{Usecases: []string{"b"}}))(t)
	if len(rep.Usecases) != 3 || rep.Usecases[2].Cost != rep.Boot.Cost || rep.Usecases[1].Cost.Said != token.Of(41+4000+402) {
		t.Errorf("usecases: %+v", rep.Usecases)
	}
	if len(rep.Repeated) != 0 {
		t.Errorf("repeated in a boot of one subject: %v", rep.Repeated)
	}
	for _, f := range rep.Files {
		if f.Path == "briefs/big.md" && (f.State != "absent" || f.Content != 1000) {
			t.Errorf("file cost: %+v", f)
		}
	}
}

func TestReportOfARefusedBootHoldsItsReasons(t *testing.T) {
	rep, err := mapRole(t, map[string]string{"boot.yml": "- x"}, OpenOptions{}).Report(context.Background(), Options{})
	if err != nil || !rep.Boot.Refused() {
		t.Fatalf("%v, %v", rep, err)
	}
	data, err := json.Marshal(rep)
	if err != nil || strings.Contains(string(data), ":null") {
		t.Errorf("JSON %s, %v", data, err)
	}
}

func TestBudget(t *testing.T) {
	role := costRole(t)
	_, free := bootRole(t, role, Options{})
	fits := free.Cost.Rendered
	if out, res := bootRole(t, role, Options{Budget: fits}); out == "" || res.Budget.Over() != 0 {
		t.Errorf("a boot of %d tokens does not fit its budget: %v", fits, res.Diagnostics)
	}
	out, res := bootRole(t, role, Options{Budget: fits - 1})
	want := fmt.Sprintf("the boot exceeds its budget: cap %d tokens, actual %d, over by 1", fits-1, fits)
	if out != "" || !hasError(res.Diagnostics, want) {
		t.Errorf("output %q, diagnostics %v", out, res.Diagnostics)
	}
	var kinds []string
	for _, r := range res.Budget.Remedies {
		kinds = append(kinds, r.Kind)
		if r.Text == "" || r.Kind != "minify" && r.Saves <= 0 {
			t.Errorf("remedy %+v", r)
		}
	}
	if diff := cmp.Diff([]string{"usecase", "minify", "ref", "hide"}, kinds); diff != "" {
		t.Errorf("remedies: %s", diff)
	}
	if first := res.Budget.Remedies[0].Text; !strings.HasPrefix(first, "boot fewer subjects: a costs ") {
		t.Errorf("first remedy: %s", first)
	}
	for _, d := range find(res.Diagnostics, idOverBudget) {
		if d.Severity != diag.Error || !strings.Contains(d.Hint, "move from say to ref: briefs/big.md") {
			t.Errorf("diagnostic %+v", d)
		}
	}
}

func TestNamingTheOnlySubjectLeavesAlsoOut(t *testing.T) {
	files := map[string]string{"boot.yml": "subject.a: {briefs: {say: [a.md]}}\n", "briefs/a.md": "a\n", "briefs/b.md": "b\n"}
	role := mapRole(t, files, OpenOptions{})
	_, named := bootRole(t, role, Options{Usecases: []string{"a"}})
	for _, c := range []struct {
		usecases []string
		budget   int
		want     string // start of the first remedy
	}{
		{nil, named.Cost.Rendered, fmt.Sprintf("name the only subject, which leaves also out: a costs %d", named.Cost.Rendered)},
		{nil, 1, "name the only subject, which leaves also out (none fits alone): a costs "},
		{[]string{"a"}, 1, "add a shorter .md.min"}, // it is named already
	} {
		_, res := bootRole(t, role, Options{Usecases: c.usecases, Budget: c.budget})
		if first := res.Budget.Remedies[0].Text; !strings.HasPrefix(first, c.want) {
			t.Errorf("usecases %v, budget %d: %q, want %q", c.usecases, c.budget, first, c.want)
		}
	}
}

func TestBudgetOfTheFileYieldsToTheFlag(t *testing.T) {
	role := mapRole(t, map[string]string{"boot.yml": "budget: {tokens: 1}\n", "briefs/a.md": "a"}, OpenOptions{})
	if _, res := bootRole(t, role, Options{}); !res.Refused() || res.Budget.Cap != 1 {
		t.Errorf("diagnostics %v", res.Diagnostics)
	}
	if _, res := bootRole(t, role, Options{Budget: 100}); res.Refused() {
		t.Errorf("diagnostics %v", res.Diagnostics)
	}
}

func TestManyReferencesAskForACatalog(t *testing.T) {
	files := map[string]string{"boot.yml": "briefs: {say: []}\n"}
	for i := range 20 {
		files[fmt.Sprintf("briefs/many/%d.md", i)] = ""
	}
	_, res := bootRole(t, mapRole(t, files, OpenOptions{}), Options{Budget: 1})
	if r := res.Budget.Remedies[0]; r.Kind != "catalog" || !strings.HasPrefix(r.Text, "replace the 20 references to briefs/many/ by one catalog brief") {
		t.Errorf("remedies %+v", res.Budget.Remedies)
	}
}

func TestBootStopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := costRole(t).Boot(ctx, Options{}); err == nil {
		t.Error("a cancelled boot ends well")
	}
}

func TestTenThousandSubjects(t *testing.T) {
	files := map[string]string{"briefs/a.md": "a", "briefs/b.md": "b"}
	var yml strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&yml, "subject.s%d: {briefs: {say: ['*']}}\n", i)
	}
	files["boot.yml"] = yml.String()
	rep, err := mapRole(t, files, OpenOptions{}).Report(context.Background(), Options{})
	if err != nil || rep.Boot.Refused() {
		t.Fatal(err, rep.Boot.Diagnostics)
	}
	if rep.Boot.Cost.Items != 20_000 || rep.Boot.Cost.Briefs != 2 || len(rep.Usecases) != 10_001 {
		t.Errorf("cost %+v, %d usecases", rep.Boot.Cost, len(rep.Usecases))
	}
}
