package schematest

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Agree shows that a schema and a reader take and refuse the same: each document, the
// examples of the schema, and each of them changed in every place in several ways, with
// further values put there too. read returns why it refuses JSON text.
func Agree(t *testing.T, dir, name string, documents []string, values []any, read func(data []byte) error) {
	t.Helper()
	s := Compile(t, dir, name)
	for _, text := range append(examples(t, dir, name), documents...) {
		var root any
		if err := json.Unmarshal([]byte(text), &root); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if err := read([]byte(text)); err != nil {
			t.Errorf("%s: the reader refuses %s: %v", name, text, err)
		}
		if err := s.Validate(root); err != nil {
			t.Errorf("%s: the schema refuses %s: %v", name, text, err)
		}
		refused := 0
		Mutate(root, func(v any) { root = v }, values, func(what string) {
			data, err := marshal(root)
			if err != nil {
				t.Fatal(err)
			}
			want, got := Validate(s, data), read(data)
			if (want == nil) != (got == nil) {
				t.Errorf("%s, %s:\nschema: %v\nreader: %v\n%s", name, what, want, got, data)
			}
			if want != nil {
				refused++
			}
		})
		if refused == 0 {
			t.Errorf("%s: no change of %s was refused", name, text)
		}
	}
}

// examples returns the examples of a schema.
func examples(t *testing.T, dir, name string) []string {
	data, err := os.ReadFile(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Examples []json.RawMessage `json:"examples"`
	}
	if err := json.Unmarshal(data, &file); err != nil || len(file.Examples) == 0 {
		t.Errorf("%s has no example: %v", name, err)
	}
	var list []string
	for _, e := range file.Examples {
		list = append(list, string(e))
	}
	return list
}

// Validate reports why a schema refuses JSON text.
func Validate(s *jsonschema.Schema, data []byte) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// Mutate puts other values in place of v and of everything inside it, calling
// try after each and restoring the value.
func Mutate(v any, set func(any), values []any, try func(what string)) {
	for _, other := range slices.Concat([]any{nil, true, 7, -1, json.Number("2.0"), 1e300, "", "x", "a\tb\n", []any{}, map[string]any{}, []any{1}, []any{"x"}, []any{nil}}, values) {
		set(other)
		try(fmt.Sprintf("%v became %v", v, other))
	}
	set(v)
	switch v := v.(type) {
	case []any:
		for i := range v {
			old := v[i]
			Mutate(old, func(n any) { v[i] = n }, values, try)
		}
	case map[string]any:
		v["another_field"] = 1
		try("one field more")
		delete(v, "another_field")
		for _, name := range slices.Sorted(maps.Keys(v)) {
			old := v[name]
			delete(v, name)
			try("without " + name)
			Mutate(old, func(n any) { v[name] = n }, values, try)
		}
	}
}
