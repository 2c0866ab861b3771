package schematest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Base is the address below which the schemas are published.
const Base = "https://packgen.github.io/packgen/schemas/"

// Write holds a schema file to the structure that its reader's types and tables give.
// The words in the file (title, description, examples) stay as they are; every property
// must have some, and each schema an example. With update the file is written again.
func Write(t *testing.T, dir, name string, structure Object, update bool) {
	t.Helper()
	file := filepath.Join(dir, name+".json")
	old, _ := os.ReadFile(file)
	var words map[string]any
	if len(old) > 0 {
		if err := json.Unmarshal(old, &words); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	head := Object{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"$id", Base + name + ".json"}}
	made, err := marshal(append(head, worded(t, name, structure, words)...))
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Indent(&want, made, "", "  "); err != nil {
		t.Fatal(err)
	}
	want.WriteByte('\n')
	if bytes.Equal(want.Bytes(), old) {
		return
	}
	if !update {
		t.Fatalf("%s is not what the types of its reader say: run this test with -update", file)
	}
	if err := os.WriteFile(file, want.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// worded returns a structure with the words that the file has for it.
func worded(t *testing.T, at string, structure Object, words map[string]any) Object {
	var out Object
	for _, key := range []string{"title", "description"} {
		if text, ok := words[key].(string); ok && structure.Get(key) == nil {
			out = append(out, Member{key, text})
		}
	}
	for _, m := range structure {
		name := m[0].(string)
		below, _ := words[name].(map[string]any)
		switch value := m[1].(type) {
		case Object:
			if name == "properties" || name == "patternProperties" {
				list := make(Object, len(value))
				for i, p := range value {
					key := p[0].(string)
					schema, isObject := p[1].(Object)
					if !isObject {
						list[i] = p
						continue
					}
					old, _ := below[key].(map[string]any)
					list[i] = Member{key, worded(t, at+"/"+key, schema, old)}
					if described := list[i][1].(Object).Get("description"); described == nil || described == "" {
						t.Errorf("%s/%s has no description", at, key)
					}
				}
				out = append(out, Member{name, list})
				continue
			}
			out = append(out, Member{name, worded(t, at+"/"+name, value, below)})
		default:
			out = append(out, m)
		}
	}
	if list, ok := words["examples"]; ok {
		out = append(out, Member{"examples", list})
	} else if !strings.Contains(at, "/") {
		t.Errorf("%s has no example", at)
	}
	return out
}

// Compile returns a schema, ready to validate.
func Compile(t testing.TB, dir, name string) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///"+name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:///" + name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
