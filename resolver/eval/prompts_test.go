package eval

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/index"
)

// promptCase is a prompt with the entries of which one must be selected.
type promptCase struct {
	Prompt string
	Any    []string
}

func (c *promptCase) half() Half { return (&ContextCase{Query: c.Prompt}).Half() }

// promptFigures are what a dialect makes of some prompts.
type promptFigures struct {
	cases, found, silent int // with an answer: one of the first three entries is right; none is selected
	others, answered     int // without one: something is selected
	selected             int // entries, of prompts with an answer
}

func (f promptFigures) String() string {
	return fmt.Sprintf("%d of %d | %d | %.1f | %d of %d", f.found, f.cases, f.silent, float64(f.selected)/float64(max(1, f.cases)), f.answered, f.others)
}

// frontRanks is how many entries a reader of a prompt hook gets to see.
const frontRanks = 3

func runPrompts(t *testing.T, ix *loadout.Index, cases []promptCase, o loadout.MatchOptions, half Half) promptFigures {
	t.Helper()
	var f promptFigures
	for _, c := range cases {
		if c.half() != half {
			continue
		}
		results := oktest.Value(loadout.Match(c.Prompt, ix, o))(t)
		results = slices.DeleteFunc(results, func(r loadout.Result) bool { return r.Mode != loadout.Lazy })
		if len(c.Any) == 0 {
			f.others++
			tally(&f.answered, len(results) > 0)
			if len(results) > 0 {
				t.Logf("%s: %q selects %s %.2f %s", o.Dialect, c.Prompt, results[0].Entry.ID, results[0].Score, results[0].Reason())
			}
			continue
		}
		f.cases++
		f.selected += len(results)
		tally(&f.silent, len(results) == 0)
		hit := slices.ContainsFunc(results[:min(frontRanks, len(results))], func(r loadout.Result) bool { return slices.Contains(c.Any, r.Entry.ID) })
		tally(&f.found, hit)
		if !hit {
			first := ""
			for _, r := range results[:min(frontRanks, len(results))] {
				first += fmt.Sprintf(" %s %.2f %s;", r.Entry.ID, r.Score, r.Reason())
			}
			t.Logf("%s: %q lost:%s", o.Dialect, c.Prompt, first)
		}
	}
	return f
}

// frozenIndex is the loadout index of the frozen packs.
func frozenIndex(t *testing.T) *loadout.Index {
	t.Helper()
	var results []*compiler.Result
	for _, name := range ownNames() {
		dir := filepath.Join(t.TempDir(), name)
		oktest.Check(t, os.CopyFS(dir, os.DirFS(filepath.Join(frozenPacks, name))))
		p, _, err := pack.Open(dir)
		oktest.Check(t, err)
		t.Cleanup(func() { p.Close() })
		r := oktest.Value(compiler.Compile(t.Context(), p, compiler.Options{Now: time.Unix(1780300800, 0)}))(t)
		results = append(results, r)
	}
	ix, _, err := index.NewBuilder(nil).Finish(t.Context(), results, index.Options{})
	oktest.Check(t, err)
	return ix
}

// The weighted dialect must be better on prompts than the exact ones, on both halves:
// find more with fewer entries, and select something no oftener where there is nothing to
// find. The manual has the figures.
func TestPromptsOfTheFrozenPacks(t *testing.T) {
	data := oktest.Value(os.ReadFile("testdata/prompts.yaml"))(t)
	var cases []promptCase
	oktest.Check(t, yaml.Unmarshal(data, &cases))
	ix := frozenIndex(t)
	for _, c := range cases {
		for _, id := range c.Any {
			if ix.Lookup(id) == nil {
				t.Errorf("%q asks for %s, which is no entry", c.Prompt, id)
			}
		}
	}
	manual := oktest.Value(os.ReadFile("../../packs/packgen-manual/documents/reference/measuring.md"))(t)
	found, answered := map[string]promptFigures{}, map[string]int{}
	for _, half := range []Half{Train, Validation} {
		for i, name := range loadout.Dialects() {
			f := runPrompts(t, ix, cases, loadout.MatchOptions{Dialect: loadout.Dialect(i)}, half)
			found[name] = f
			answered[name] += f.answered
			if row := fmt.Sprintf("| `%s`, %s half | %s |", name, half, f); !strings.Contains(string(manual), row) {
				t.Errorf("the manual does not say %q", row)
			}
		}
		w := found["weighted"]
		for _, exact := range []string{"coverage", "recall"} {
			if x := found[exact]; w.found <= x.found || w.selected >= x.selected {
				t.Errorf("%s half: weighted %s; %s %s", half, w, exact, x)
			}
		}
	}
	if answered["weighted"] > answered["coverage"] || answered["weighted"] > answered["recall"] {
		t.Errorf("prompts without an answer that select something: %v", answered)
	}
}
