package layers_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema/schematest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schemas")

const schemas = "../../../compiler/schema/json"

type (
	object = schematest.Object
	member = schematest.Member
)

// keysOf are the keys that a writer writes, with what the schema says of each.
func keysOf(t *testing.T, written loadout.Value, special object) object {
	t.Helper()
	var properties object
	written.Members(func(key string, _ loadout.Value) bool {
		if schema, ok := special.Get(key).(object); ok {
			properties = append(properties, member{key, schema})
		} else {
			properties = append(properties, member{key, object{}}) // its type changes nothing for the reader
		}
		return true
	})
	for _, m := range special {
		if properties.Get(m[0].(string)) == nil {
			t.Errorf("no writer writes %v", m[0])
		}
	}
	return properties
}

// Readers of an index take what JavaScript takes: the schema asks only for what makes an
// index an error, or an entry one that is never matched.
func TestSchemaOfIndexesIsThatOfItsWriterAndReader(t *testing.T) {
	empty := []any{nil, false, 0, "", []string{}}
	some := object{{"not", object{{"enum", empty[:4]}}}}
	words := object{{"anyOf", []object{schematest.List(schematest.Text()), schematest.Text(), {{"type", "null"}}}}}
	half := 0.5
	full := loadout.Entry{ID: "a", Path: "a.md", Keywords: []string{"k"}, Patterns: []string{"p"}, Priority: "domain", Summary: "s"}
	triggers := object{{"properties", keysOf(t, full.JSON().Get("triggers"), nil)}}
	entry := schematest.Open(keysOf(t, full.JSON(), object{
		{"id", some}, {"path", some}, {"priority", schematest.OneOf("core", "domain", "manual")},
		{"summary", object{{"not", object{{"enum", empty}}}}}, {"keywords", words}, {"patterns", words}, {"triggers", triggers},
	}), "id", "path", "priority", "summary").With(
		member{"if", object{{"properties", object{{"priority", object{{"const", "domain"}, {"description", "Loaded when a task matches."}}}}}, {"required", []string{"priority"}}}},
		member{"then", object{{"properties", object{{"keywords", object{{"not", object{{"enum", empty}}}, {"description", "At least one."}}}}}, {"required", []string{"keywords"}}}})
	index := &loadout.Index{Version: "1.0.0", Generated: "2026-01-01T00:00:00.000Z", Source: "MEMORY.md", Entries: []loadout.Entry{full}, LazyLoad: true, Budget: loadout.Budget{AvgObserved: &half}}
	index.SetTokenizer("unicode")
	written := loadout.Value(loadout.AppendIndex(nil, index))
	budget := object{{"properties", keysOf(t, written.Get("budget"), nil)}}
	schematest.Write(t, schemas, "loadout-index", schematest.Open(keysOf(t, written, object{
		{"version", some}, {"entries", schematest.List(entry)}, {"budget", budget},
	}), "version", "entries"), *update)
}

func TestSchemaOfIndexesAgreesWithTheReader(t *testing.T) {
	schematest.Agree(t, schemas, "loadout-index", []string{
		`{"version":"1.0.0","entries":[{"id":"a","path":"a.md","priority":"manual","summary":"s"},{"id":"b","path":"b.md","keywords":"k","patterns":null,"priority":"domain","summary":"s","triggers":{"task":"no"},"tokens_est":"x"}]}`,
		`{"version":1,"entries":[]}`,
	}, []any{0, false, "domain", map[string]any{"id": "z"}}, func(data []byte) error {
		ix, err := indexjson.Read(data)
		if err != nil {
			return err
		}
		if err := ix.Check(); err != nil {
			return err
		}
		for _, issue := range loadout.Validate(ix) {
			if issue.Severity == loadout.SeverityError {
				return errors.New(issue.Message)
			}
		}
		for i := range ix.Entries {
			if f := ix.Entries[i].Fault; f >= loadout.FaultKeywords {
				return errors.New(f.String())
			}
		}
		return nil
	})
}

// The root of an index that is split is taken as a whole or not at all.
func TestSchemaOfRootsIsThatOfItsWriterAndReader(t *testing.T) {
	root := indexjson.Root{Parts: []indexjson.Part{{Pack: "p", Path: "index/p.json"}}, Index: loadout.Index{Tokenizer: loadout.Unicode}}
	written := oktest.Value(indexjson.Parse(root.Write()))(t)
	var first loadout.Value
	written.Get("parts").Items(func(v loadout.Value) bool { first = v; return false })
	count := func(from, most int) object {
		return object{{"type", "integer"}, {"minimum", from}, {"maximum", most}}
	}
	part := schematest.Open(keysOf(t, first, object{
		{"pack", object{{"type", "string"}, {"minLength", 1}}},
		{"path", object{{"type", "string"}, {"pattern", `^(([^./\\:%?#\x00]|\.[^./\\:%?#\x00]|\.\.[^/\\:%?#\x00])[^/\\:%?#\x00]*/)*[^/\\:%?#\x00]*\.json$`}}},
		{"entries", count(0, indexjson.MaxEntries)},
		{"tokens", object{{"type", "number"}, {"minimum", 0}}},
		{"size", count(1, indexjson.MaxIndex)},
		{"sha256", object{{"type", "string"}, {"pattern", "^[0-9a-f]{64}$"}}},
	}), "pack", "path", "entries", "tokens", "size", "sha256")
	properties := keysOf(t, written, object{
		{"version", object{{"type", "string"}, {"pattern", `^2\.`}}},
		{"parts", schematest.List(part).With(member{"maxItems", indexjson.MaxParts})},
		{"budget", object{{"properties", keysOf(t, written.Get("budget"), nil)}}},
	})
	schematest.Write(t, schemas, "loadout-index-root", schematest.Open(append(properties, member{"entries", false}), "version", "parts"), *update)
	sum := strings.Repeat("0a", 32)
	partOf := func(name, path string, entries, size int) string {
		return fmt.Sprintf(`{"pack":%q,"path":%q,"entries":%d,"tokens":1.5,"size":%d,"sha256":%q}`, name, path, entries, size, sum)
	}
	schematest.Agree(t, schemas, "loadout-index-root", []string{
		`{"version":"2.1.0","parts":[]}`,
		`{"version":"2.0.0","parts":[` + partOf("p", "index/p.json", indexjson.MaxEntries, indexjson.MaxIndex) + `]}`, // as many as all parts may have
		`{"version":"2.0.0","parts":[` + partOf("p", "index/p.json", 2, 300) + `,` + partOf("q", "...a/..b/.c/.json", 0, 1) + `],"budget":{"on_demand_total_est":"x"},"tokenizer":7}`,
	}, []any{
		"1.0.0", "2", 1.5, -0.5, indexjson.MaxEntries + 1, indexjson.MaxIndex + 1,
		"../p.json", "a/../p.json", "./p.json", "a//p.json", "/p.json", "a/", `a\p.json`, "C:p.json", "https://x/p.json", "a/p.JSON", "%2e%2e/p.json", "p.json?.json", "p#.json", "a/p.html", "a\x00.json", "..json", "a.json/.json", "日本/\n.json",
		strings.Repeat("0A", 32), sum + "0", sum[1:], sum + "\n",
	}, func(data []byte) error {
		root, err := indexjson.ReadRoot(data)
		if err == nil && root == nil {
			err = errors.New("it is not a root")
		}
		return err
	})
}

// Each line of a usage log is an event; the prompt hook says more in it than others.
func TestSchemaOfUsageIsThatOfItsWriterAndReader(t *testing.T) {
	full := loadout.Event{SourceLayer: "project"}
	properties := keysOf(t, full.JSON(), object{{"entryId", schematest.Text()}})
	for _, more := range []string{"taskHashSource", "score", "reason"} {
		properties = append(properties, member{more, object{}})
	}
	schematest.Write(t, schemas, "usage-event", schematest.Open(properties, "entryId"), *update)
	name := filepath.Join(t.TempDir(), "usage.jsonl")
	schematest.Agree(t, schemas, "usage-event", []string{`{"entryId":"a"}`, `{"timestamp":"2026-01-01T00:00:00.000Z","taskHash":"0a","taskHashSource":"prompt","entryId":"a","trigger":"descale","mode":"lazy","tokensEst":12,"score":0.5,"reason":"r"}`}, nil, func(data []byte) error {
		var line bytes.Buffer
		if err := json.Compact(&line, data); err != nil {
			return err
		}
		if err := os.WriteFile(name, append(line.Bytes(), '\n'), 0o600); err != nil {
			return err
		}
		events, skipped, err := layers.Log{Path: name}.Read()
		if err == nil && (skipped > 0 || len(events) != 1) {
			err = errors.New("no event")
		}
		return err
	})
}
