package schema

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
)

//go:embed json/*.json
var files embed.FS

// Schemas returns the JSON Schemas (draft 2020-12) of every file that people write or
// packgen records, at the root of a file system: NAME.json for each of [Names].
func Schemas() fs.FS {
	sub, err := fs.Sub(files, "json")
	if err != nil { // "json" is a valid path, so this cannot happen
		return files
	}
	return sub
}

// Names returns the names of the schemas, sorted.
func Names() []string {
	entries, err := files.ReadDir("json")
	if err != nil { // it is embedded, so this cannot happen
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = strings.TrimSuffix(e.Name(), ".json")
	}
	slices.Sort(names) // without the suffix "-" comes after the end of a name
	return names
}

// Text returns a schema as it is published. The error names the nearest one that exists.
func Text(name string) ([]byte, error) {
	text, err := files.ReadFile(path.Join("json", name+".json"))
	if err == nil {
		return text, nil
	}
	err = fmt.Errorf("no schema has the name %q", name)
	if near := nearest.Name(name, Names()); near != "" {
		return nil, diag.WithHint(err, "did you mean %q?", near)
	}
	return nil, diag.WithHint(err, "write one of %s", strings.Join(Names(), ", "))
}

// Property is what a schema says of one value.
type Property struct {
	ID          string            `json:"$id"` // of the schema as a whole
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Examples    []json.RawMessage `json:"examples"`

	Enum                 []any                `json:"enum"`
	Default              any                  `json:"default"`
	Properties           map[string]*Property `json:"properties"`
	PatternProperties    map[string]*Property `json:"patternProperties"`
	AdditionalProperties *Property            `json:"additionalProperties"` // nil also where there are none
	Items                *Property            `json:"items"`
	AnyOf                []*Property          `json:"anyOf"`

	refused bool // no value is right
}

// UnmarshalJSON also takes true, which says nothing of a value, and false, which refuses
// every value.
func (p *Property) UnmarshalJSON(data []byte) error {
	if string(data) == "true" || string(data) == "false" {
		p.refused = string(data) == "false"
		return nil
	}
	type plain Property
	if err := json.Unmarshal(data, (*plain)(p)); err != nil {
		return fmt.Errorf("read schema: %w", err)
	}
	return nil
}

// Find returns what a schema says, for programs that help to write its file.
func Find(name string) (*Property, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	p := &Property{}
	return p, p.UnmarshalJSON(text)
}

// errNoKey says that a schema names no such key.
var errNoKey = errors.New("the schema has no such key")

// At returns what a schema says of the value at a path of keys; lists are passed
// through. The error says that it names no such key.
func (p *Property) At(keys ...string) (*Property, error) {
	for _, key := range keys {
		next := p.key(key)
		if next == nil {
			return nil, errNoKey
		}
		p = next
	}
	return p, nil
}

// key returns what is below a key of an object, of the elements of a list, or of one
// of several forms.
func (p *Property) key(key string) *Property {
	if p == nil {
		return nil
	}
	if next := p.Properties[key]; next != nil {
		return next
	}
	for pattern, next := range p.PatternProperties {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(key) {
			return next
		}
	}
	for _, form := range append([]*Property{p.Items}, p.AnyOf...) {
		if next := form.key(key); next != nil {
			return next
		}
	}
	if p.AdditionalProperties == nil || p.AdditionalProperties.refused {
		return nil
	}
	return p.AdditionalProperties
}

// Keys returns the keys of an object, of the elements of a list or of one of several
// forms, with what is said of each.
func (p *Property) Keys() map[string]*Property {
	if p == nil || len(p.Properties) > 0 {
		return p.properties()
	}
	for _, form := range append([]*Property{p.Items}, p.AnyOf...) {
		if keys := form.Keys(); len(keys) > 0 {
			return keys
		}
	}
	return nil
}

func (p *Property) properties() map[string]*Property {
	if p == nil {
		return nil
	}
	taken := maps.Clone(p.Properties)
	maps.DeleteFunc(taken, func(_ string, key *Property) bool { return key.refused })
	return taken
}

// Listed is a schema in the list of all of them.
type Listed struct {
	Name        string `json:"name"`
	ID          string `json:"id"` // its address
	Description string `json:"description"`
}

// List returns what each schema is about, by name.
func List() ([]Listed, error) {
	var list []Listed
	for _, name := range Names() {
		s, err := Find(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Listed{name, s.ID, s.Description})
	}
	return list, nil
}
