package index

import (
	"errors"
	"flag"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schema")

const schemas = "../../../compiler/schema/json"

// Front matter of a page may be written for another system: the schema asks only for
// what a finding asks for.
func TestSchemaOfPagesIsThatOfTheReader(t *testing.T) {
	type object = schematest.Object
	flag := schematest.OrNull(schematest.Flag())
	words := object{{"type", []string{"string", "array", "null"}}, {"items", schematest.Text()}}
	properties := object{
		{"title", object{}}, {"description", object{}},
		{"status", object{{"enum", []any{"draft", "ready", "needs-review", "stale", "disputed", "archived", nil}}}},
		{"keywords", words}, {"patterns", words},
		{"priority", object{{"enum", []any{"core", "domain", "manual", nil}}}},
		{"triggers", schematest.OrNull(schematest.Open(object{{"task", flag}, {"plan", flag}, {"edit", flag}}))},
		{"summary", schematest.OrNull(schematest.Text())},
		{"questions", object{{"type", []string{"string", "array", "object", "null"}}, {"items", schematest.Text()}, {"additionalProperties", words}}},
		{"boundary", object{{"type", []string{"boolean", "string", "array", "null"}}, {"items", schematest.Text()}}},
	}
	for _, free := range []string{"aliases", "sources", "tags", "order", "draft", "redirect_from"} {
		properties = append(properties, schematest.Member{free, object{}})
	}
	schematest.Write(t, schemas, "page", schematest.OrNull(schematest.Open(properties)), *update)
}

func TestSchemaOfPagesAgreesWithTheReader(t *testing.T) {
	documents := []string{`{"title":"T","status":"ready","keywords":["kettle","descale"],"patterns":"a_b","priority":"core","triggers":{"task":true,"plan":false},"summary":"s","questions":{"t":["q"]},"boundary":["t"]}`, `{"questions":["q"],"boundary":"t"}`, `{"questions":"q"}`}
	schematest.Agree(t, schemas, "page", documents, []any{"manual", false}, func(data []byte) error {
		doc := markdown.Parse("documents/a.md", []byte("---\n"+string(data)+"\n---\n# T\n\nText.\n"))
		found := doc.Diagnostics
		if d := readPage(&compiler.Unit{Doc: doc}, ""); d != nil {
			found = append(found, d.faults...)
		}
		for _, d := range found {
			if d.ID == markdown.ForeignID {
				return errors.New(d.Message)
			}
		}
		return nil
	})
}

func TestSchemaOfKnowledgeAgreesWithTheReaders(t *testing.T) {
	schematest.Agree(t, schemas, "knowledge", []string{
		`{"name":"p-1","description":"d","type":"custom:x","status":"ready","profile":"hybrid","version":"1.0.0","language":"en","license":"MIT","maintainers":["a"],"scope":"s","trust":"official","updated":"2026-05-01","grounding":"none","runtime":{"mode":"data"},"compatibility":"c"}`,
		`{"name":"p","description":"d","type":"research-wiki","status":"draft","maintainers":"a","metadata":{"primaryDocument":"documents/a.md","producedBy":{"kind":"tool","name":"n","version":"1","digest":"d"},"compile":{"join":0,"facts":100},"loadout":{"a/b":{"keywords":["kettle"],"patterns":["a_b"],"priority":"manual","triggers":{"task":true},"summary":"s","questions":["q"],"boundary":true}}}}`,
	}, []any{"A", "custom:", "custom:a b", "2026-05-01T10:00:00Z", "1.5.2026", "../x", "/x", "hybrid", " ", "manual"}, func(data []byte) error {
		fsys := fstest.MapFS{pack.EntryName: {Data: []byte("---\n" + string(data) + "\n---\n# P\n")}}
		p, found, err := pack.ReadEntry(fsys, "")
		if err != nil {
			return err
		}
		if p != nil {
			_, _, more := packDeclarations(p, "")
			found = append(found, more...)
		}
		for _, d := range found {
			if d.Severity == diag.Error {
				return errors.New(d.Message)
			}
		}
		return nil
	})
}
