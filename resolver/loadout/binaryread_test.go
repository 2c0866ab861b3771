package loadout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// partOf opens the prebuilt form of an index.
func partOf(t *testing.T, ix *Index) *Part {
	t.Helper()
	data := oktest.Value(Marshal(ix))(t)
	asked := 0
	return oktest.Value(OpenPart(readerOf(data, &asked), int64(len(data))))(t)
}

// planText is everything that a plan shows, and says of entries that it does not list.
func planText(t *testing.T, task string, layers []Layer, opts MatchOptions, shown int) string {
	t.Helper()
	m := oktest.Value(Merge(layers, MergeOptions{}))(t)
	p := oktest.Value(Plan(task, m, layers, PlanOptions{Match: opts, Phase: PlanPhase}))(t)
	text := string(AppendResults(AppendResults(nil, p.Preload), p.OnDemand)) + string(m.appendConflicts(AppendBudget(nil, m.Budget)))
	text += fmt.Sprint(" ", p.PreloadTokens, p.OnDemandTokens, p.NotLoaded(), p.ByName(), len(m.Skipped))
	for _, e := range p.ManualOnly[:min(shown, len(p.ManualOnly))] {
		text += " " + e.ID
	}
	origin := map[*Entry]string{}
	for i := range m.Entries {
		origin[&m.Entries[i]] = m.Provenance[i].Layer
	}
	for _, r := range slices.Concat(p.Preload, p.OnDemand) {
		text += " " + origin[r.Entry]
	}
	for i := range layers {
		text += fmt.Sprint(" ", layers[i].Size())
	}
	return text
}

// explained is what an explanation of an entry says.
func explained(t *testing.T, task, id string, layers []Layer, opts MatchOptions) string {
	t.Helper()
	x := oktest.Value(Explain(id, layers, false))(t)
	m := oktest.Value(Merge(layers, MergeOptions{}))(t)
	o := oktest.Value(ExplainTask(task, id, &m.Index, opts))(t)
	return string(AppendOutlook(AppendExplanation(nil, x), o))
}

func TestASelectionOfEntriesAnswersAsTheWholeDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tasks := []string{"", "a1 b2", "migration of the e5 in c3 d4", "日本語 g7", "nothing here"}
	left, matched := 0, 0
	for round := range 250 {
		head := []string{"", `"tokenizer":"unicode",`}[round%2]
		var whole, few []Layer
		var parts []*Part
		var keys []uint32
		dialect := []Dialect{Coverage, Recall, Weighted}[r.IntN(3)]
		layers := 1
		if dialect != Weighted {
			layers = 1 + r.IntN(3)
		}
		for i := range layers {
			ix := soundIndex(t, r, r.IntN(60), head)
			for n := len(ix.Entries); n > 1 && dialect != Weighted && r.IntN(3) == 0; { // an id twice
				ix.Entries[r.IntN(n)] = ix.Entries[r.IntN(n)]
			}
			whole = append(whole, Layer{Name: fmt.Sprint("layer", i), Index: ix})
			parts = append(parts, partOf(t, ix))
		}
		floor := float64(r.IntN(8)) / 10
		opts := MatchOptions{Dialect: dialect, MinScore: &floor}
		id, task, shown := fmt.Sprintf("e%d", r.IntN(60)), tasks[r.IntN(len(tasks))], r.IntN(6)
		for _, p := range parts {
			keys = append(keys, p.Keys()...)
		}
		slices.Sort(keys)
		var common []uint32
		for i := 1; i < len(keys); i++ {
			if keys[i] == keys[i-1] {
				common = append(common, keys[i])
			}
		}
		need := &Need{Tasks: []string{task}, Match: opts, IDs: []string{id}, Keys: common, ByName: shown}
		for i, p := range parts {
			ix, omitted, err := p.Select(need)
			if err != nil || ix == nil {
				t.Fatalf("no selection: %v", err)
			}
			left += omitted.Entries
			few = append(few, Layer{Name: whole[i].Name, Index: ix, Omitted: *omitted})
		}
		if got, want := planText(t, task, few, opts, shown), planText(t, task, whole, opts, shown); got != want {
			t.Fatalf("%v %q:\n%s\nthe whole:\n%s", dialect, task, got, want)
		}
		if got, want := explained(t, task, id, few, opts), explained(t, task, id, whole, opts); got != want {
			t.Fatalf("%v %q %s:\n%s\nthe whole:\n%s", dialect, task, id, got, want)
		}
		opts.Also = []string{"f6 g7", "c3"}
		ix, _, err := parts[0].Select(&Need{Tasks: []string{task}, Match: opts, Hits: true})
		oktest.Check(t, err)
		got, want := [2][]byte{}, [2][]byte{}
		for i, ix := range []*Index{ix, whole[0].Index} {
			results := oktest.Value(Match(task, ix, opts))(t)
			b := oktest.Value(Detail(task, ix, opts))(t)
			matched += len(results)
			*[]*[]byte{&got[0], &want[0]}[i] = AppendResults(nil, results)
			*[]*[]byte{&got[1], &want[1]}[i] = AppendBreakdown(nil, b, 0, 0)
		}
		if string(got[0]) != string(want[0]) || string(got[1]) != string(want[1]) {
			t.Fatalf("%v %q:\n%s\n%s\nthe whole:\n%s\n%s", dialect, task, got[0], got[1], want[0], want[1])
		}
	}
	if left < 1000 || matched < 1000 {
		t.Errorf("%d entries were left out, %d matched: too few to prove much", left, matched)
	}
}

func TestASelectionFindsEntriesByPath(t *testing.T) {
	ix := soundIndex(t, rand.New(rand.NewPCG(7, 8)), 50, "")
	for i := range ix.Entries {
		ix.Entries[i].Path, ix.Entries[i].Raw = fmt.Sprintf("packs/p/%d.md", i), ""
	}
	few, _, err := partOf(t, ix).Select(&Need{Paths: []string{"packs/p/7.md", "packs/p/none.md"}})
	if err != nil || len(few.Entries) != 1 || few.Entries[0].Path != "packs/p/7.md" {
		t.Errorf("%v, %v", few, err)
	}
}

func TestOfAnIndexThatIsNotSoundNothingIsSelected(t *testing.T) {
	for _, entry := range []string{
		`{"id":"e","path":"p","keywords":7,"patterns":[],"priority":"domain"}`, `{"id":"e","path":"p","keywords":[],"priority":"domain"}`,
		`{"id":"e","path":"p","keywords":"one","patterns":[],"priority":"domain"}`, `{"id":5,"path":"p","keywords":[],"patterns":[]}`,
		`{"path":"p","keywords":[],"patterns":[]}`, `7`, `{"id":"e","path":"p","keywords":[],"patterns":[],"tokens_est":0.5}`,
		`{"id":"e","path":"p","keywords":[],"patterns":[],"tokens_est":-1}`, `{"id":"e","path":"p","keywords":[],"patterns":[],"tokens_est":1e99}`,
	} {
		ix, _ := DecodeAtMost(Value(`{"version":"1.0.0","entries":[`+entry+`]}`), 1<<20)
		p := partOf(t, ix)
		if few, _, err := p.Select(&Need{}); few != nil || err != nil || p.Keys() != nil {
			t.Errorf("%s: %v, %v", entry, few, err)
		}
	}
	ix, _ := DecodeAtMost(`{"version":"1.0.0","entries":[{"id":"e","path":"p","keywords":[],"patterns":[]}]}`, 1)
	if few, _, err := partOf(t, ix).Select(&Need{Match: MatchOptions{Compat: true}}); few != nil || err != nil {
		t.Errorf("the quirks of the originals: %v, %v", few, err)
	}
}

// Damage can cost an answer, and makes no panic.
func TestADamagedPartSelectsWithoutAPanic(t *testing.T) {
	data := smallBinary(t)
	ix := soundIndex(t, rand.New(rand.NewPCG(9, 9)), 20, "")
	sound := oktest.Value(Marshal(ix))(t)
	r := rand.New(rand.NewPCG(1, 9))
	answered := 0
	for range 6000 {
		damaged := slices.Clone([][]byte{data, sound}[r.IntN(2)])
		for range 1 + r.IntN(3) {
			damaged[r.IntN(len(damaged))] = byte(r.Uint32() >> r.IntN(24))
		}
		asked := 0
		p, err := OpenPart(readerOf(damaged, &asked), int64(len(damaged)))
		if err != nil {
			continue
		}
		few, omitted, err := p.Select(&Need{Tasks: []string{"a1 b2"}, IDs: []string{"e1"}, Paths: []string{"p"}, Match: MatchOptions{Dialect: Dialect(r.IntN(3))}, ByName: 2, Hits: true})
		if few != nil && err == nil {
			answered++
			planText(t, "a1", []Layer{{Name: strings.Repeat("x", 3), Index: few, Omitted: *omitted}}, MatchOptions{}, 2)
		}
	}
	if answered == 0 {
		t.Error("no damaged file answered: the test proves nothing")
	}
}
