package loadout_test

import (
	"testing"

	"github.com/packgen/packgen/resolver/goldentest"
	"github.com/packgen/packgen/resolver/loadout"
)

// layersOf reads the layers of a case.
func layersOf(c *goldentest.Case) []loadout.Layer {
	var layers []loadout.Layer
	c.Input.Get("layers").Items(func(v loadout.Value) bool {
		l := loadout.Layer{Index: loadout.DecodeIndex(v.Get("index"))}
		l.Name, _ = v.Get("name").Str()
		l.Path, _ = v.Get("path").Str()
		layers = append(layers, l)
		return true
	})
	return layers
}

func TestGoldenValidate(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "validate.json") {
		ix := loadout.DecodeIndex(c.Input.Get("index"))
		goldentest.Equal(t, &c, loadout.Value(loadout.AppendIssues(nil, loadout.Validate(ix))), nil)
		if ix.Check() == nil {
			ix = throughFiles(t, ix).Index()
			goldentest.Equal(t, &c, loadout.Value(loadout.AppendIssues(nil, loadout.Validate(ix))), nil)
		}
	}
}

func TestGoldenMerge(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "merge.json") {
		layers := layersOf(&c)
		switch c.Fn() {
		case "mergeIndexes":
			m, err := loadout.Merge(layers, loadout.MergeOptions{Generated: c.Text("now"), Compat: c.Compat()})
			var got loadout.Value
			if err == nil {
				got = loadout.Value(loadout.AppendMerged(nil, m))
			}
			goldentest.Equal(t, &c, got, err)
		case "explainEntry":
			x, err := loadout.Explain(c.Text("id"), layers, c.Compat())
			goldentest.Equal(t, &c, loadout.Value(loadout.AppendExplanation(nil, x)), err)
		default:
			t.Errorf("%s: unknown function %s", c.Name, c.Fn())
		}
	}
}
