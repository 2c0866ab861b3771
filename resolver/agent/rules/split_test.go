package rules

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

func repository(t testing.TB, files map[string]string) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	root := oktest.Value(os.OpenRoot(dir))(t)
	t.Cleanup(func() { root.Close() })
	return root, dir
}

const stamp = "2026-01-01T00:00:00.000Z"

// randomFile makes an instruction file by chance, each line of its own.
func randomFile(r *rand.Rand) string {
	var b strings.Builder
	newline := []string{"\n", "\r\n"}[r.IntN(2)]
	for i := range r.IntN(60) {
		switch r.IntN(15) {
		case 0, 1:
			fmt.Fprintf(&b, "%s Heading %s %d", strings.Repeat("#", 1+r.IntN(4)), []string{"ci", "release", "Role", "style | x", "(non-negotiable)"}[r.IntN(5)], i)
		case 2:
			b.WriteString([]string{"```", "~~~", "---", "  ---", "| a | b |"}[r.IntN(5)] + fmt.Sprint(" ", i))
		case 3:
			b.WriteString([]string{"```", "---", "", " "}[r.IntN(4)])
		case 4:
			fmt.Fprintf(&b, "odd \xff\x00 \u2028 😀 %d", i)
		case 5:
			fmt.Fprintf(&b, "## Rules Index")
		case 6, 7:
			fmt.Fprintf(&b, "Underlined %s %d%s%s", []string{"ci", "release", "Role", "style"}[r.IntN(4)], i, newline, []string{"---", " --", "===", "------ "}[r.IntN(4)])
		case 8:
			b.WriteString([]string{"<!--", "-->", "<!-- a -->", "<pre>", "</pre>"}[r.IntN(5)] + fmt.Sprint(" ", i))
		default:
			fmt.Fprintf(&b, "%s line %d", strings.Repeat(" ", r.IntN(3)), i)
			for range r.IntN(10) {
				b.WriteString(newline + fmt.Sprintf("- more %d", r.Int64()))
			}
		}
		b.WriteString(newline)
	}
	if r.IntN(3) == 0 {
		return strings.TrimSuffix(b.String(), newline)
	}
	return b.String()
}

// For random files and random choices no line is lost: each one that is not
// blank is in the new file or in exactly one rule file, and what was a heading and
// stays is one still.
func TestSplittingLosesNoLine(t *testing.T) {
	split := 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := randomFile(r)
		report := analyze("CLAUDE.md", text, options{})
		var accepted []Proposal
		for _, p := range report.Proposals {
			if r.IntN(3) > 0 {
				accepted = append(accepted, p)
			}
		}
		out, err := report.Compose(accepted, ComposeOptions{Generated: stamp})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		split += len(accepted)
		var got []string
		for _, f := range out.Rules {
			_, body := loadout.ParseFrontMatter(string(f.Data), false)
			got = append(got, lines(body)...)
		}
		kept := string(out.Main.Data)
		kept = kept[:strings.LastIndex(kept, "## "+indexHeading)]
		kept = strings.TrimSuffix(strings.TrimRight(kept, "\r\n"), "---")
		got = append(got, lines(kept)...)
		want := lines(text)
		stays := slices.DeleteFunc(slices.Clone(report.Sections), func(s Section) bool {
			return slices.ContainsFunc(accepted, func(p Proposal) bool { return p.Section.StartLine == s.StartLine })
		})
		if was, is := named(stays), named(parseSections(kept)); !slices.Equal(was, is) {
			t.Fatalf("seed %d: %q\nbecame\n%q\nand its headings %q became %q", seed, text, out.Main.Data, was, is)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q\nbecame\n%q", seed, text, out.Main.Data)
		}
	}
	if split < 500 {
		t.Errorf("only %d sections were split", split)
	}
}

// named are the headings of sections, the table of an earlier split aside.
func named(list []Section) []string {
	var names []string
	for _, s := range list {
		if s.Level > 0 && s.Heading != indexHeading {
			names = append(names, s.Heading)
		}
	}
	return names
}

// lines are the lines of a text that are not blank, without their ends.
func lines(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSuffix(line, "\r"); strings.TrimSpace(line) != "" {
			list = append(list, line)
		}
	}
	return list
}

func TestSplitThenValidate(t *testing.T) {
	for _, newline := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll("# Project\n\nBe kind.\n\n"+section("Role", 5)+"\n"+section("CI runners", 20)+"\n"+section("Release train", 16), "\n", newline)
		root, dir := repository(t, map[string]string{"CLAUDE.md": text})
		r := analyze("CLAUDE.md", text, options{})
		out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{Generated: stamp}))(t)
		backup := oktest.Value(r.Split(root, out))(t)
		files := oktest.Read(t, dir)
		if files[backup] != text || backup != "CLAUDE.md.bak" {
			t.Errorf("backup %s", backup)
		}
		if strings.Contains(files["CLAUDE.md"], "## CI runners") || !strings.Contains(files["CLAUDE.md"], "| CI runners | ") {
			t.Errorf("%s", files["CLAUDE.md"])
		}
		if newline == "\r\n" && strings.Count(files["CLAUDE.md"], "\n") != strings.Count(files["CLAUDE.md"], "\r\n") {
			t.Errorf("line ends are mixed: %q", files["CLAUDE.md"])
		}
		issues, err := validateRules(root, DefaultDir)
		if err != nil || len(errorsOf(issues)) > 0 || slices.ContainsFunc(issues, func(i Issue) bool { return strings.HasPrefix(i.Code, "DRIFT") }) {
			t.Errorf("%+v, %v", issues, err)
		}
		again := analyze("CLAUDE.md", files["CLAUDE.md"], options{})
		if len(again.Proposals) != 0 {
			t.Errorf("a second split would extract %+v", again.Proposals)
		}
	}
}

func errorsOf(list []Issue) []Issue {
	return slices.DeleteFunc(slices.Clone(list), func(i Issue) bool { return i.Severity != loadout.SeverityError })
}

func TestASecondSplitKeepsTheFirst(t *testing.T) {
	text := section("CI runners", 20) + section("Release train", 20)
	root, dir := repository(t, map[string]string{"CLAUDE.md": text})
	for range 2 {
		data := oktest.Value(root.ReadFile("CLAUDE.md"))(t)
		var old *loadout.Index
		if text, err := root.ReadFile(".claude/rules/index.json"); err == nil {
			if old, err = indexjson.Read(text); err != nil {
				t.Fatal(err)
			}
		}
		r := analyze("CLAUDE.md", string(data), options{})
		out := oktest.Value(r.Compose(r.Proposals[:1], ComposeOptions{Generated: stamp, Old: old}))(t)
		if _, err := r.Split(root, out); err != nil {
			t.Fatal(err)
		}
	}
	files := oktest.Read(t, dir)
	main := files["CLAUDE.md"]
	if strings.Count(main, indexHeading) != 1 || !strings.Contains(main, "/ci-runners.md`") || !strings.Contains(main, "/release-train.md`") {
		t.Errorf("%s", main)
	}
	ix, err := indexjson.Read([]byte(files[".claude/rules/index.json"]))
	if err != nil || len(ix.Entries) != 2 {
		t.Errorf("%s, %v", files[".claude/rules/index.json"], err)
	}
	if files["CLAUDE.md.bak"] != text || files["CLAUDE.md.bak-2"] == "" {
		t.Error("the first backup is gone")
	}
}

func TestASplitThatFailsChangesNothing(t *testing.T) {
	text := section("CI runners", 20) + section("Release train", 20)
	for name, files := range map[string]map[string]string{
		"a rule file is there":     {"CLAUDE.md": text, ".claude/rules/release-train.md": "mine"},
		"the last rule is there":   {"CLAUDE.md": text, ".claude/rules/index.json": "old", ".claude/rules/release-train.md": "mine"},
		"changed beside an index":  {"CLAUDE.md": text + "more", ".claude/rules/index.json": "old"},
		"a file for a directory":   {"CLAUDE.md": text, ".claude/rules": "mine"},
		"the index is a directory": {"CLAUDE.md": text, ".claude/rules/index.json/x": "mine"},
		"changed meanwhile":        {"CLAUDE.md": text + "\nmore"},
		"gone":                     {"README.md": ""},
	} {
		root, dir := repository(t, files)
		before := oktest.Read(t, dir)
		r := analyze("CLAUDE.md", text, options{})
		out, err := r.Compose(r.Proposals, ComposeOptions{Generated: stamp})
		oktest.Check(t, err)
		if _, err = r.Split(root, out); err == nil || !strings.HasPrefix(err.Error(), "split CLAUDE.md: ") {
			t.Errorf("%s: %v", name, err)
		}
		after := oktest.Read(t, dir)
		if fmt.Sprint(before) != fmt.Sprint(after) {
			t.Errorf("%s: %v became %v", name, keys(before), keys(after))
		}
		if _, err := os.Stat(filepath.Join(dir, ".claude")); err == nil && !slices.ContainsFunc(keys(files), func(f string) bool { return strings.HasPrefix(f, ".claude") }) {
			t.Errorf("%s: a directory is left behind", name)
		}
	}
}

// What a split that was killed left behind is its own: the next one ends as if
// nothing had been there.
func TestASplitGoesOnWhereAKilledOneStopped(t *testing.T) {
	text := section("CI runners", 20) + section("Release train", 20)
	root, dir := repository(t, map[string]string{"CLAUDE.md": text})
	split := func(root *os.Root) {
		t.Helper()
		rule := func(name string) ([]byte, bool) {
			had, err := root.ReadFile(name)
			return had, err == nil
		}
		r := analyze("CLAUDE.md", text, options{Rule: rule})
		var old *loadout.Index
		if had, err := root.ReadFile(DefaultDir + "/index.json"); err == nil {
			if old, err = indexjson.Read(had); err != nil {
				t.Fatal(err)
			}
		}
		out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{Generated: stamp, Old: old}))(t)
		if _, err := r.Split(root, out); err != nil {
			t.Fatal(err)
		}
	}
	split(root)
	want := oktest.Read(t, dir)
	for _, left := range [][]string{
		{DefaultDir + "/ci-runners.md"},
		{DefaultDir + "/ci-runners.md", DefaultDir + "/release-train.md", "CLAUDE.md.bak", DefaultDir + "/index.json"},
	} {
		files := map[string]string{"CLAUDE.md": text, DefaultDir + "/.ci-runners.md.ABCDEFG2.packgen": "half", ".CLAUDE.md.AAAAAAA7.packgen": ""}
		for _, name := range left {
			files[name] = want[name]
		}
		root, dir := repository(t, files)
		split(root)
		if got := oktest.Read(t, dir); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("beside %v: %v, want %v", left, keys(got), keys(want))
		}
	}
}

func keys(m map[string]string) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func TestNothingIsWrittenOutsideTheRepository(t *testing.T) {
	text := section("CI runners", 20)
	root, dir := repository(t, map[string]string{"CLAUDE.md": text})
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, ".claude")); err != nil {
		t.Skip(err)
	}
	for _, place := range []string{"", "../out", "/tmp/out"} {
		r := analyze("CLAUDE.md", text, options{Dir: place})
		out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{Generated: stamp}))(t)
		if _, err := r.Split(root, out); err == nil {
			t.Errorf("%q was written to", place)
		}
	}
	if list, err := os.ReadDir(outside); err != nil || len(list) > 0 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestPlansThatDoNotFit(t *testing.T) {
	text := section("Release train", 20)
	r := analyze("CLAUDE.md", text, options{})
	good := fmt.Sprintf(`{"section":{"heading":"Release train","startLine":0,"content":%s},"suggestedId":"release-train","suggestedPath":"/etc/passwd","suggestedKeywords":["release"],"suggestedPatterns":[],"suggestedPriority":"domain","suggestedSummary":"S"}`,
		loadout.AppendString(nil, strings.TrimSuffix(text, "\n")))
	for _, c := range []struct{ old, with, want string }{
		{"", "", ""},
		{`"suggestedId":"release-train"`, `"suggestedId":"../x"`, "not kebab-case"},
		{`"suggestedId":"release-train"`, `"suggestedId":5`, "suggestedId is not text"},
		{`["release"]`, `["a\nid: evil"]`, "line end"},
		{`["release"]`, `["a, b"]`, "comma"},
		{`["release"]`, `[""]`, "empty"},
		{`["release"]`, `["a]"]`, "bracket"},
		{`["release"]`, `[]`, "no keywords"},
		{`"suggestedId":"release-train"`, `"suggestedId":"` + strings.Repeat("x", 121) + `"`, "too long"},
		{`["release"]`, `[1]`, "not a list of strings"},
		{`"domain"`, `"high"`, `there is no priority "high"`},
		{`"startLine":0`, `"startLine":-1`, "has no section"},
		{`"startLine":0`, `"startLine":1e300`, "has no section"},
		{"a line", "another line", "has no section"},
	} {
		v := oktest.Value(indexjson.Parse([]byte("[" + strings.Replace(good, c.old, c.with, 1) + "]")))(t)
		list, err := r.Apply(v)
		switch {
		case c.want == "" && (err != nil || len(list) != 1 || list[0].Path != DefaultDir+"/release-train.md"):
			t.Errorf("%s: %+v, %v", c.with, list, err)
		case c.want != "" && (!errors.Is(err, errPlan) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.with, err, c.want)
		}
	}
}

// Sections of a plan are in the order of the file, each once, and so do ids.
func TestPlansOfTwoSections(t *testing.T) {
	text := section("Release train", 20) + section("CI runners", 20)
	r := analyze("CLAUDE.md", text, options{})
	item := func(i int, id string) string {
		s := r.Proposals[i].Section
		return fmt.Sprintf(`{"section":{"heading":%q,"startLine":%d,"content":%s},"suggestedId":%q,"suggestedKeywords":["a1"],"suggestedPatterns":[],"suggestedPriority":"domain","suggestedSummary":"S"}`,
			s.Heading, s.StartLine, loadout.AppendString(nil, s.Content), id)
	}
	for plan, want := range map[string]string{
		item(0, "a") + "," + item(1, "b"): "", item(1, "b"): "", "": "",
		item(0, "a") + "," + item(1, "a"): "the id a is given twice", item(1, "b") + "," + item(0, "a"): "out of order", item(0, "a") + "," + item(0, "b"): "overlap",
	} {
		v, err := indexjson.Parse([]byte("[" + plan + "]"))
		oktest.Check(t, err)
		_, err = r.Apply(v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A file that only its owner may read leaves no copy that others may.
func TestASplitKeepsSecrets(t *testing.T) {
	text := section("CI runners", 20)
	root, dir := repository(t, map[string]string{"CLAUDE.md": text})
	oktest.Check(t, os.Chmod(filepath.Join(dir, "CLAUDE.md"), 0o600))
	r := analyze("CLAUDE.md", text, options{})
	out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{Generated: stamp}))(t)
	if _, err := r.Split(root, out); err != nil {
		t.Fatal(err)
	}
	for name := range oktest.Read(t, dir) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

// largeFile is an instruction file of which one section is too large for one skill.
func largeFile() string {
	body := func(of string, lines int) string {
		return strings.Repeat("Run the "+of+" with `make "+of+"` before anything is merged, and look at what it prints.\n", lines)
	}
	return "# Project\n\n## Testing\n\n" + body("suite", 2) + "\n### Unit tests\n\n" + body("unit", 60) + "\n### Fixtures\n\n" + body("fixture", 2) +
		"\n### Browser tests\n\n" + body("browser", 60) + "\n### Last words\n\nBe kind.\n\n## Style\n\nTabs.\n"
}

// A large section is cut at its headings of level 3; small parts go with a neighbour, and
// no line is lost.
func TestLargeSectionsAreCut(t *testing.T) {
	t.Parallel()
	text := largeFile()
	r := analyze("CLAUDE.md", text, options{As: Skills})
	var got []string
	for _, p := range r.Proposals {
		got = append(got, fmt.Sprintf("%s %d-%d", p.ID, p.Section.StartLine, p.Section.Next))
		if p.Section.Tokens >= MaxSkillTokens {
			t.Errorf("%s has %d tokens", p.ID, p.Section.Tokens)
		}
	}
	if want := []string{"testing 2-70", "fixtures 70-142"}; !slices.Equal(got, want) {
		t.Fatalf("%q, want %q", got, want)
	}
	if d := r.Proposals[1].Description; !strings.HasPrefix(d, "Testing, Fixtures (Browser tests, Last words): ") {
		t.Errorf("the part says %s", d)
	}
	if d := r.Proposals[0].Description; !strings.HasPrefix(d, "Testing (Unit tests): ") {
		t.Errorf("the first part says %s", d)
	}
	out := oktest.Value(r.Compose(r.Proposals, ComposeOptions{}))(t)
	all := string(out.Main.Data)
	for _, f := range out.Rules {
		all += string(f.Data)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(all, line) {
			t.Errorf("%q is lost", line)
		}
	}
	if main := string(out.Main.Data); main != "# Project\n\n## Style\n\nTabs.\n" {
		t.Errorf("what stays is %q", main)
	}
}

// The layout of the format cuts at level 2 alone, and a section without inner headings
// stays whole.
func TestWhatIsNotCut(t *testing.T) {
	t.Parallel()
	if r := analyze("CLAUDE.md", largeFile(), options{}); len(r.Proposals) != 1 {
		t.Errorf("the format has %d proposals", len(r.Proposals))
	}
	plain := strings.NewReplacer("### ", "#### ").Replace(largeFile())
	if r := analyze("CLAUDE.md", plain, options{As: Lazy}); len(r.Proposals) != 1 {
		t.Errorf("without headings of level 3 there are %d proposals", len(r.Proposals))
	}
}

// Code in a description stays as it is, and without a word of its own the heading calls.
func TestDescriptionsKeepCode(t *testing.T) {
	t.Parallel()
	text := "# P\n\n## Deploy\n\nRun **helm** on `deploy/**/*.yaml` of [the chart](x.md).\n" + strings.Repeat("Wait.\n", 20) + "\n## 数据库迁移\n\n数据库迁移。\n" + strings.Repeat("保持小。\n", 40)
	r := analyze("CLAUDE.md", text, options{As: Skills})
	if len(r.Proposals) != 2 {
		t.Fatalf("%d proposals", len(r.Proposals))
	}
	if d := r.Proposals[0].Description; !strings.HasPrefix(d, "Deploy: Run helm on `deploy/**/*.yaml` of the chart.") {
		t.Error(d)
	}
	if d := r.Proposals[1].Description; strings.Contains(d, "this") {
		t.Error(d)
	}
}
