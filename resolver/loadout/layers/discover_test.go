package layers_test

import (
	"errors"
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
