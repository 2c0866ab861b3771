package layers_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// projectWith makes a project whose index has that text, and an empty home.
func projectWith(t *testing.T, text string) layers.Options {
	t.Helper()
	dir := t.TempDir()
	index := filepath.Join(dir, ".claude", "loadout", "index.json")
	oktest.Check(t, os.MkdirAll(filepath.Dir(index), 0o755))
	oktest.Check(t, os.WriteFile(index, []byte(text), 0o644))
	return layers.Options{Dir: dir, Home: t.TempDir(), Getenv: func(string) string { return "" }}
}

func TestUnusableLayerIsReportedAndSkipped(t *testing.T) {
	for text, problem := range map[string]string{
		"{\n  oops":         "line 2, column 3",
		"":                  "ends",
		"42":                "not an object",
		`{"entries":{}}`:    "not a list",
		`{"entries":[1e999`: "too large",
	} {
		stack := oktest.Value(layers.Discover(projectWith(t, text)))(t)
		s := stack.Searched[1]
		if s.Name != layers.Project || s.Found || !s.Malformed || !strings.Contains(s.Problem, problem) || !strings.Contains(s.Problem, "index.json") {
			t.Errorf("%q: %+v", text, s)
		}
		if len(stack.Layers) != 0 {
			t.Errorf("%q: it is a layer", text)
		}
		if s := stack.Searched[0]; s.Found || s.Malformed {
			t.Errorf("a missing layer: %+v", s)
		}
	}
}

// One bad entry takes neither its layer nor its neighbours down.
func TestBadEntriesAreReportedAndPassedOver(t *testing.T) {
	stack, err := layers.Discover(projectWith(t, `{"entries":[
		null, 5, {"id":"bad","keywords":7,"patterns":[]}, {"keywords":["ci"],"patterns":[]},
		{"id":"bare","keywords":["ci"]}, {"id":"good","keywords":["ci"],"patterns":[],"priority":"domain","tokens_est":3}]}`))
	oktest.Check(t, err)
	p := oktest.Value(plan(stack, "fix ci", loadout.PlanOptions{}))(t)
	var ids []string
	for _, r := range p.OnDemand {
		ids = append(ids, r.Entry.ID)
	}
	if got := strings.Join(ids, " "); got != "good bare" {
		t.Errorf("on demand: %s", got)
	}
	var problems []string
	for _, f := range stack.Faults {
		problems = append(problems, f.Problem)
	}
	if got := strings.Join(problems, "; "); got != "entry is not an object; entry is not an object; keywords is not a list of strings; patterns is missing" {
		t.Errorf("faults: %s", got)
	}
	if len(p.Merged.Skipped) != 3 || p.Merged.Skipped[2].Position != 3 {
		t.Errorf("skipped: %+v", p.Merged.Skipped)
	}
}

func TestGlobalDirectoryIsMadeAbsolute(t *testing.T) {
	o := projectWith(t, `{"entries":[]}`)
	relative := "shared"
	o.GlobalDir = &relative
	stack := oktest.Value(layers.Discover(o))(t)
	if got, want := stack.Searched[0].Path, filepath.Join(o.Dir, "shared", "index.json"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestPlanByPhase(t *testing.T) {
	stack, err := layers.Discover(projectWith(t, `{"entries":[
		{"id":"a","keywords":["ci"],"patterns":[],"priority":"domain","triggers":{"task":true,"plan":false,"edit":false},"tokens_est":1},
		{"id":"b","keywords":["ci"],"patterns":[],"priority":"domain","triggers":{"task":true,"plan":false,"edit":true},"tokens_est":2},
		{"id":"c","keywords":["ci"],"patterns":[],"priority":"core","tokens_est":4}]}`))
	oktest.Check(t, err)
	for phase, want := range map[loadout.Phase]float64{loadout.AnyPhase: 7, loadout.TaskPhase: 7, loadout.PlanPhase: 4, loadout.EditPhase: 2} {
		p := oktest.Value(plan(stack, "ci", loadout.PlanOptions{Phase: phase}))(t)
		if got := p.PreloadTokens + p.OnDemandTokens; got != want {
			t.Errorf("phase %d: %v tokens, want %v", phase, got, want)
		}
	}
}

func TestCompatMakesABadLayerAnError(t *testing.T) {
	o := projectWith(t, `{}`)
	o.Compat = true
	stack := oktest.Value(layers.Discover(o))(t)
	var shape *loadout.ShapeError
	if _, err := loadout.Merge(stack.Layers, loadout.MergeOptions{Compat: true}); !errors.As(err, &shape) {
		t.Errorf("error %v", err)
	}
}

func TestALayerThatLiesOutsideOfTheRepositoryIsNotRead(t *testing.T) {
	const text = `{"version":"1","generated":"x","entries":[]}`
	need := &loadout.Need{}
	for _, link := range []string{".claude", ".claude/loadout", ".claude/loadout/index.json"} {
		for size, need := range map[string]*loadout.Need{"": nil, strings.Repeat(" ", 2<<20): need} {
			o, priv := projectWith(t, text), projectWith(t, text+size)
			regularfile.Protect(o.Dir)
			o.Need = need
			name := filepath.Join(o.Dir, filepath.FromSlash(link))
			oktest.Check(t, os.RemoveAll(name))
			if err := os.Symlink(filepath.Join(priv.Dir, filepath.FromSlash(link)), name); err != nil {
				t.Skip(err)
			}
			stack := oktest.Value(layers.Discover(o))(t)
			if s := stack.Searched[1]; len(stack.Layers) != 0 || !s.Malformed || !errors.Is(s.Err, regularfile.ErrOutside) {
				t.Errorf("%s: %+v", link, s)
			}
		}
	}
}

// manyEntries is an index.json of more than a MiB.
func manyEntries(from, odd int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"version":"1.0.0","entries":[`)
	for i := range 8000 {
		id, priority := fmt.Sprint("e", from+i), "domain"
		switch i % 1000 {
		case 5:
			priority = "manual"
		case 6:
			priority = "core"
		case odd:
			id = "same"
		}
		fmt.Fprintf(&b, `{"id":"%s","path":"p/%d.md","keywords":["k%d","word"],"patterns":[],"priority":"%s","summary":"what the entry of this number says","tokens_est":%d},`+"\n", id, i, i/4, priority, i%7)
	}
	b.WriteString(`{"id":"last` + fmt.Sprint(from) + `","path":"l.md","keywords":["odd"],"patterns":[],"priority":"core","summary":"s","tokens_est":1}]}`)
	return b.Bytes()
}

// A plan and an explanation are the same of all entries and of those that are needed.
func TestLargeLayersAnswerFromTheirPrebuiltForms(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	dir := t.TempDir()
	write := func(name string, text []byte) *string {
		name = filepath.Join(dir, name)
		oktest.Check(t, os.WriteFile(name, text, 0o600))
		return &name
	}
	none := ""
	large := write("large.json", manyEntries(0, 7))
	plain := write("plain.json", manyEntries(0, -1))
	other := write("other.json", manyEntries(4000, -1))
	small := write("small.json", []byte(`{"version":"1.0.0","entries":[{"id":"e12","path":"s.md","keywords":["k7"],"patterns":[],"priority":"domain","summary":"s","tokens_est":3},{"id":"e5","path":"s.md","keywords":["k7"],"patterns":[],"priority":"domain","summary":"s","tokens_est":3}]}`))
	unsound := write("unsound.json", bytes.Replace(manyEntries(0, -1), []byte(`["k1","word"]`), []byte(`7`), 1))
	// The large files must be older than what is made of them.
	for _, name := range []*string{large, plain, other, unsound} {
		for {
			probe := write("probe", nil)
			a, errA := os.Stat(*name)
			b, errB := os.Stat(*probe)
			if errA != nil || errB != nil {
				t.Fatal(errA, errB)
			}
			if b.ModTime().After(a.ModTime()) {
				break
			}
		}
	}
	for _, c := range []struct {
		rule         string
		org, session *string
		dialect      loadout.Dialect
		reduced      bool
	}{
		{"one layer", &none, large, loadout.Coverage, true},
		{"a small one over it", large, small, loadout.Recall, true},
		{"a small one under it", small, large, loadout.Coverage, true},
		{"two large ones that share ids", plain, other, loadout.Coverage, true},
		{"a large one twice", plain, plain, loadout.Coverage, false},
		{"weighted", &none, plain, loadout.Weighted, true},
		{"weighted, an id twice", &none, large, loadout.Weighted, false},
		{"weighted, two layers", small, plain, loadout.Weighted, false},
		{"an entry of the wrong shape", &none, unsound, loadout.Coverage, false},
	} {
		opts := loadout.MatchOptions{Dialect: c.dialect}
		var texts [2]string
		for i, need := range []*loadout.Need{nil, {Tasks: []string{"the k7 of k9"}, Match: opts, IDs: []string{"e12"}, ByName: 3}} {
			s := oktest.Value(layers.Discover(layers.Options{GlobalDir: &none, ProjectRoot: &dir, OrgPath: c.org, SessionPath: c.session, Dir: dir, Need: need}))(t)
			if need != nil && c.reduced != (s.Layers[len(s.Layers)-1].Omitted.Entries+s.Layers[0].Omitted.Entries > 7000) {
				t.Errorf("%s: %d entries left out", c.rule, s.Layers[0].Omitted.Entries)
			}
			m := oktest.Value(loadout.Merge(s.Layers, loadout.MergeOptions{}))(t)
			p := oktest.Value(loadout.Plan("the k7 of k9", m, s.Layers, loadout.PlanOptions{Match: opts}))(t)
			x := oktest.Value(loadout.Explain("e12", s.Layers, false))(t)
			o := oktest.Value(loadout.ExplainTask("the k7 of k9", "e12", &m.Index, opts))(t)
			texts[i] = string(loadout.AppendOutlook(loadout.AppendExplanation(loadout.AppendResults(loadout.AppendResults(nil, p.Preload), p.OnDemand), x), o)) +
				fmt.Sprint(m.Budget, m.Conflicts, p.NotLoaded(), p.ByName(), p.LayerNames, p.PreloadTokens, p.OnDemandTokens, len(s.Faults))
			for j, e := range p.ManualOnly {
				if j < 3 {
					texts[i] += " " + e.ID
				}
			}
		}
		if texts[0] != texts[1] {
			t.Errorf("%s:\n%.3000s\nall entries:\n%.3000s", c.rule, texts[1], texts[0])
		}
	}
}
