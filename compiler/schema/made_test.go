package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schemas")

// recordTypes are the types of the records, by the names of their schemas, with what
// their readers ask for beyond the tags of the fields, by place.
var recordTypes = []struct {
	name   string
	record any
	more   map[string]schematest.Object
}{
	{"catalog", Catalog{}, nil},
	{"compile-run", Run{}, nil},
	{"compiled-index", Index{}, nil},
	{"context-resolution", Context{}, nil},
	{"envelope", lint{}, nil},
	{"eval-run", EvalRun{}, nil},
	{"health", health{}, nil},
	{"lint", lint{}, nil},
	{"lock", Lock{}, map[string]schematest.Object{"/references": {{"maxItems", MaxLockedRefs}}}},
	{"pack-manifest", PackManifest{}, map[string]schematest.Object{
		"/name":       {{"pattern", `^[a-z0-9-]{1,64}$`}},
		"/views":      {{"maxItems", maxPublishedView}},
		"/files":      {{"maxItems", MaxPackFiles}},
		"/files/path": {{"pattern", `^(?:KNOWLEDGE\.md|boot\.yml|(?:changelog|Changelog|CHANGELOG|copying|Copying|COPYING|licence|Licence|LICENCE|license|License|LICENSE|notice|Notice|NOTICE|readme|Readme|README)(?:\.md|\.txt)?|(?:answers|assets|briefs|compiled|documents|evals|indexes|ontology|runs|schemas|skills|sources|wiki)/.+)$`}},
	}},
	{"run-ledger", RunLedger{}, nil},
	{"site-manifest", SiteManifest{}, map[string]schematest.Object{"/files/path": {{"pattern", `^[^\\\x00-\x1f\x7f]+$`}}}},
	{"source-map", SourceMap{}, nil},
}

func TestSchemasOfRecordsAreThoseOfTheTypes(t *testing.T) {
	for _, r := range recordTypes {
		schematest.Write(t, jsonDir, r.name, objectOf("", reflect.TypeOf(r.record), r.more), *update)
	}
	// A suite has a second, older shape.
	structure := objectOf("", reflect.TypeFor[Suite](), nil)
	older := objectOf("", reflect.TypeFor[oldSuite](), nil).Get("properties").(schematest.Object)
	properties := append(structure.Get("properties").(schematest.Object), older[1])
	schematest.Write(t, jsonDir, "discovery-eval", schematest.Closed(properties, "pack_name").With(
		schematest.Member{"oneOf", []schematest.Object{{{"required", []string{"cases"}}}, {{"required", []string{"queries"}}}}}), *update)
}

// objectOf is the schema of a record type.
func objectOf(at string, of reflect.Type, more map[string]schematest.Object) schematest.Object {
	members := fieldsOf(of)
	properties := schematest.Object{}
	required := []string{}
	for i := range members.list {
		f := &members.list[i]
		place := at + "/" + f.name
		value := valueOf(place, of.Field(f.index).Type, f, more).With(more[place]...)
		properties = append(properties, schematest.Member{f.name, value})
		if f.required {
			required = append(required, f.name)
		}
	}
	if members.open {
		return schematest.Open(properties, required...)
	}
	return schematest.Closed(properties, required...)
}

// valueOf is the schema of what a field holds.
func valueOf(at string, of reflect.Type, f *field, more map[string]schematest.Object) schematest.Object {
	type o = schematest.Object
	switch of.Kind() {
	case reflect.Pointer:
		if f.null {
			return schematest.OrNull(valueOf(at, of.Elem(), f, more))
		}
		return valueOf(at, of.Elem(), f, more)
	case reflect.Struct:
		return objectOf(at, of, more)
	case reflect.Slice:
		list := schematest.List(valueOf(at, of.Elem(), element, more))
		if f.nonEmpty {
			list = append(list, schematest.Member{"minItems", 1})
		}
		return list
	case reflect.Bool:
		return schematest.Flag()
	case reflect.String, reflect.Uint8: // a severity is its word
		return stringOf(f)
	case reflect.Int, reflect.Int64:
		return numberOf("integer", f)
	case reflect.Float64:
		return numberOf("number", f)
	}
	return o{}
}

func stringOf(f *field) schematest.Object {
	forms := map[string]string{"sha256": `^[0-9a-f]{64}$`, "digest": `^sha256:[0-9a-f]{64}$`, "tree": `^h1:[A-Za-z0-9+/]{43}=$`}
	text := schematest.Text()
	if pattern := forms[f.form]; pattern != "" {
		text = append(text, schematest.Member{"pattern", pattern})
	}
	if f.nonEmpty {
		text = append(text, schematest.Member{"minLength", 1})
	}
	if f.enum == nil {
		return text
	}
	return schematest.OneOf(slices.DeleteFunc(slices.Clone(f.enum), func(word string) bool { return f.nonEmpty && word == "" })...)
}

func numberOf(kind string, f *field) schematest.Object {
	switch {
	case f.min != nil && f.max != nil && *f.min == *f.max:
		return schematest.Object{{"const", *f.min}}
	case f.min != nil && f.max != nil && kind == "integer":
		var list []int64
		for n := *f.min; n <= *f.max; n++ {
			list = append(list, n)
		}
		return schematest.Object{{"enum", list}}
	}
	number := schematest.Object{{"type", kind}}
	if f.min != nil {
		number = append(number, schematest.Member{"minimum", *f.min})
	}
	switch {
	case f.max != nil:
		number = append(number, schematest.Member{"maximum", *f.max})
	case kind == "integer":
		number = append(number, schematest.Member{"maximum", schematest.MaxWhole})
	}
	return number
}

// Each schema says what its file is, and has an example that its reader takes.
func TestExamplesOfSchemasAreRead(t *testing.T) {
	for _, name := range Names() {
		s := oktest.Value(Find(name))(t)
		if text, _ := Text(name); strings.Contains(string(text), "[^]") {
			t.Errorf("%s has a pattern with [^], which means any character to the editors that are written in JavaScript", name)
		}
		if s.Title == "" || s.Description == "" || len(s.Examples) == 0 {
			t.Errorf("%s has no title, description or example", name)
		}
		for _, example := range s.Examples {
			if err := validate(compiled(t, name), example); err != nil {
				t.Errorf("%s: %v\n%s", name, err, example)
			}
			if slices.Contains(Kinds(), name) {
				if err := Validate(Kind(name), example); err != nil {
					t.Errorf("%s: %v\n%s", name, err, example)
				}
			}
		}
		if !strings.HasPrefix(s.ID, schematest.Base) {
			t.Errorf("%s has the id %q", name, s.ID)
		}
	}
}

// The entries for SchemaStore have the addresses of schemas that exist, in order.
func TestEntriesOfSchemaStoreLeadToSchemas(t *testing.T) {
	data := oktest.Value(os.ReadFile("../../packaging/schemastore/catalog.json"))(t)
	var entries []struct {
		Name, Description, URL string
		FileMatch              []string
	}
	closed := json.NewDecoder(bytes.NewReader(data))
	closed.DisallowUnknownFields() // as the schema of the catalog does
	if err := closed.Decode(&entries); err != nil || len(entries) == 0 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	last := ""
	for _, e := range entries {
		name, ok := strings.CutPrefix(strings.TrimSuffix(e.URL, ".json"), schematest.Base)
		if _, err := Text(name); !ok || err != nil {
			t.Errorf("%s: %s: %v", e.Name, e.URL, err)
		}
		if e.Name <= last || e.Description == "" || len(e.FileMatch) == 0 {
			t.Errorf("%q comes after %q, or lacks something", e.Name, last)
		}
		last = e.Name
	}
}
