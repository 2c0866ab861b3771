package layers_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

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
