package loadout_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/goldentest"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// layersOf reads the layers of a case, through the files if asked to.
func layersOf(t *testing.T, c *goldentest.Case, files bool) []loadout.Layer {
	var layers []loadout.Layer
	c.Input.Get("layers").Items(func(v loadout.Value) bool {
		l := loadout.Layer{Index: goldentest.Index(v.Get("index"))}
		l.Name, _ = v.Get("name").Str()
		l.Path, _ = v.Get("path").Str()
		if files {
			l.Index = throughFiles(t, l.Index).Index()
		}
		layers = append(layers, l)
		return true
	})
	return layers
}

func TestGoldenValidate(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "validate.json") {
		ix := goldentest.Index(c.Input.Get("index"))
		goldentest.Equal(t, &c, loadout.Value(loadout.AppendIssues(nil, loadout.Validate(ix))), nil)
		if ix.Check() == nil {
			ix = throughFiles(t, ix).Index()
			goldentest.Equal(t, &c, loadout.Value(loadout.AppendIssues(nil, loadout.Validate(ix))), nil)
		}
	}
}

func TestGoldenMerge(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "merge.json") {
		for _, files := range []bool{false, true} {
			got, err := mergeOrExplain(&c, layersOf(t, &c, files))
			goldentest.Equal(t, &c, got, err)
		}
	}
}

// mergeOrExplain answers a case of merge.json.
func mergeOrExplain(c *goldentest.Case, layers []loadout.Layer) (loadout.Value, error) {
	switch c.Fn() {
	case "mergeIndexes":
		m, err := loadout.Merge(layers, loadout.MergeOptions{Generated: c.Text("now"), Compat: c.Compat()})
		if err != nil {
			return "", err
		}
		return loadout.Value(loadout.AppendMerged(nil, m)), nil
	case "explainEntry":
		x, err := loadout.Explain(c.Text("id"), layers, c.Compat())
		return loadout.Value(loadout.AppendExplanation(nil, x)), err
	}
	return "", fmt.Errorf("unknown function %s", c.Fn())
}

func TestGoldenFrontMatter(t *testing.T) {
	parsed := func(content string, compat bool) loadout.Value {
		fm, body := loadout.ParseFrontMatter(content, compat)
		out := loadout.AppendFrontMatter([]byte(`{"frontmatter":`), fm)
		out = loadout.AppendString(append(out, `,"body":`...), body)
		return loadout.Value(append(out, '}'))
	}
	for _, c := range goldentest.Load(t, "loadout", "frontmatter.json") {
		switch c.Fn() {
		case "parseFrontmatter":
			if c.Input.Get("content").Kind() == loadout.String {
				goldentest.Equal(t, &c, parsed(c.Text("content"), c.Compat()), nil)
			}
		case "serializeFrontmatter":
			text, err := loadout.SerializeFrontMatter(c.Input.Get("frontmatter"))
			goldentest.Equal(t, &c, loadout.Value(loadout.AppendString(nil, text)), err)
		case "roundTrip":
			text, err := loadout.SerializeFrontMatter(c.Input.Get("frontmatter"))
			goldentest.Equal(t, &c, parsed(text+"\n"+c.Text("body"), c.Compat()), err)
		default:
			t.Errorf("%s: unknown function %s", c.Name, c.Fn())
		}
	}
}

func TestGoldenAnalysis(t *testing.T) {
	for _, c := range goldentest.Load(t, "loadout", "analysis.json") {
		ix := goldentest.Index(c.Input.Get("index"))
		for _, ix := range []*loadout.Index{ix, throughFiles(t, ix).Index()} {
			got, err := analyse(&c, ix)
			goldentest.Equal(t, &c, got, err)
		}
	}
}

// deadJSON is dead entries as the format writes them.
func deadJSON(list []loadout.Dead) loadout.Value {
	var items []string
	for _, d := range list {
		items = append(items, `{"entry":`+string(loadout.AppendEntry(nil, d.Entry))+`,"reason":`+string(loadout.AppendString(nil, d.Reason))+`}`)
	}
	return loadout.Value("[" + strings.Join(items, ",") + "]")
}

// analyse answers a case of analysis.json.
func analyse(c *goldentest.Case, ix *loadout.Index) (loadout.Value, error) {
	var events []loadout.Event
	c.Input.Get("events").Items(func(v loadout.Value) bool {
		events = append(events, loadout.DecodeEvent(v))
		return true
	})
	switch c.Fn() {
	case "readUsage":
		return readUsage(c), nil
	case "summarizeUsage":
		return loadout.Value(loadout.AppendSummaries(nil, loadout.Summarize(events))), nil
	case "findDeadEntries":
		dead, err := loadout.FindDead(ix, events)
		return deadJSON(dead), err
	case "findKeywordOverlaps":
		overlaps, err := loadout.FindOverlaps(ix, c.Compat())
		return loadout.Value(loadout.AppendOverlaps(nil, overlaps)), err
	case "analyzeBudget":
		b, err := loadout.AnalyzeBudget(ix, loadout.Summarize(events), c.Compat())
		if err != nil {
			return "", err
		}
		return loadout.Value(loadout.AppendBreadth(nil, b)), nil
	case "estimateTokens":
		return estimate(c.Input.Get("text")), nil
	case "recordUsage":
		event := loadout.DecodeEvent(c.Input.Get("event"))
		return loadout.Value(loadout.AppendString(nil, string(event.JSON())+"\n")), nil
	}
	return "", fmt.Errorf("unknown function %s", c.Fn())
}

func readUsage(c *goldentest.Case) loadout.Value {
	events, skipped := indexjson.ParseUsage([]byte(c.Text("text")), c.Compat())
	out := []byte(`{"events":[`)
	for i := range events {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, events[i].JSON()...)
	}
	return loadout.Value(fmt.Appendf(out, `],"skipped":%d}`, skipped))
}

// estimate is the token estimate of any value, as the original's untyped
// function takes it: the length of a list counts like that of a text.
func estimate(v loadout.Value) loadout.Value {
	switch v.Kind() {
	case loadout.String:
		s, _ := v.Str()
		return loadout.Value(strconv.Itoa(token.Estimate(s)))
	case loadout.Array:
		n := 0
		v.Items(func(loadout.Value) bool { n++; return true })
		return loadout.Value(strconv.Itoa(token.Of(n)))
	}
	return "null"
}
