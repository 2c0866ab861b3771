package main_test

import (
	"strings"
	"testing"

	"github.com/tetratelabs/wazero/api"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
)

// addLayers puts the layers of a golden case into an instance. It reports
// whether all of them were indexes; a layer given as raw text never is.
func (m *module) addLayers(c *goldentest.Case) bool {
	m.t.Helper()
	m.call("clearLayers")
	ok := true
	c.Input.Get("layers").Items(func(v loadout.Value) bool {
		ix := goldentest.Index(v.Get("index"))
		if v.Get("index") == "" || ix.Check() != nil {
			ok = false
			return false
		}
		data := oktest.Value(loadout.Marshal(ix))(m.t)
		name, _ := v.Get("name").Str()
		nameAt := m.put([]byte(name))
		if code := m.call("addLayer", nameAt, uint64(len(name)), m.put(data), uint64(len(data))); code != 0 {
			m.t.Fatalf("%s: addLayer gives %d", c.Name, code)
		}
		m.call("free", nameAt)
		return true
	})
	return ok
}

func TestGoldenPlanInWebAssembly(t *testing.T) {
	m := newModule(t)
	ran := 0
	for _, c := range goldentest.Load(t, "loadout", "plan.json") {
		if c.Fn() != "planLoad" || !m.addLayers(&c) || !c.Binding() {
			continue
		}
		ran++
		options := uint64(0)
		if c.Compat() {
			options = optionCompat
		}
		if answer := m.ask("plan", c.Text("task"), options, loadout.DefaultMinScore, 0); answer != string(c.Result) {
			t.Errorf("%s:\n got %s\nwant %s", c.Name, answer, c.Result)
		}
	}
	t.Logf("%d cases ran", ran)
}

func TestGoldenExplainInWebAssembly(t *testing.T) {
	m := newModule(t)
	ran := 0
	for _, c := range goldentest.Load(t, "loadout", "merge.json") {
		if c.Fn() != "explainEntry" || !m.addLayers(&c) || !c.Binding() {
			continue
		}
		ran++
		options := uint64(0)
		if c.Compat() {
			options = optionCompat
		}
		id := c.Text("id")
		at := m.put([]byte(id))
		if answer := m.read(m.call("explain", at, uint64(len(id)), options)); answer != string(c.Result) {
			t.Errorf("%s:\n got %s\nwant %s", c.Name, answer, c.Result)
		}
		m.call("free", at)
	}
	t.Logf("%d cases ran", ran)
}

func TestExplainTaskEqualsNative(t *testing.T) {
	m := newModule(t)
	ix := &loadout.Index{Entries: []loadout.Entry{
		{ID: "ci", Priority: "domain", Keywords: []string{"ci", "workflow"}, Patterns: []string{"ci_pipeline"}, TokensEst: 3},
		{ID: "hand", Priority: "manual", Keywords: []string{"ci"}},
	}}
	m.open(ix)
	for _, id := range []string{"ci", "hand", "none"} {
		for _, task := range []string{"fix the ci workflow", "paint"} {
			o := oktest.Value(loadout.ExplainTask(task, id, ix, loadout.MatchOptions{}))(t)
			idAt, taskAt := m.put([]byte(id)), m.put([]byte(task))
			got := m.read(m.call("explainTask", taskAt, uint64(len(task)), idAt, uint64(len(id)), 0, api.EncodeF64(loadout.DefaultMinScore)))
			if want := string(loadout.AppendOutlook(nil, o)); got != want {
				t.Errorf("%s, task %q:\n got %s\nwant %s", id, task, got, want)
			}
		}
	}
	at := m.put([]byte("x"))
	if answer := m.read(m.call("explainTask", at, 1, 77, 1, 0, 0)); !strings.Contains(answer, `"error"`) {
		t.Errorf("an id outside: %s", answer)
	}
	if code := m.call("addLayer", 77, 1, at, 1); code != 1 {
		t.Errorf("a name outside: %d", code)
	}
}
