package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// schemasPage is the page of the manual on the schemas of records; all of it is made.
const schemasPage = "reference/schemas.md"

// node is what the page shows of a schema.
type node struct {
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Type        json.RawMessage `json:"type"`
	Const       any             `json:"const"`
	Enum        []any           `json:"enum"`
	Properties  properties      `json:"properties"`
	Items       *node           `json:"items"`
	Required    []string        `json:"required"`
	AnyOf       []node          `json:"anyOf"`
	Others      json.RawMessage `json:"additionalProperties"`
}

// properties are the properties of an object in the order of the file.
type properties []property

type property struct {
	key string
	node
}

func (p *properties) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(strings.NewReader(string(data)))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var text json.RawMessage
		if err := d.Decode(&text); err != nil {
			return err
		}
		if string(text) == "false" {
			continue // a key that is refused
		}
		one := property{key: key.(string)}
		if err := json.Unmarshal(text, &one.node); err != nil {
			return err
		}
		*p = append(*p, one)
	}
	return nil
}

// The page on schemas lists the keys of every published schema.
func TestManualHasTheKeysOfEverySchema(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString(`---
status: ready
priority: manual
---

# Schemas

The keys of every record, and of every file that people write, taken from the JSON Schemas: ` + "`packgen schema NAME`" + ` prints one, the site publishes them below ` + "`schemas/`" + `, and [Edit with help](../how-to/edit-with-help.md) has editors use them. [File formats](formats.md) explains what they mean, and ` + "`packgen check --record FILE`" + ` checks a file against its schema.

A dot is a key of an object, ` + "`[]`" + ` each element of a list.
`)
	names, err := fs.Glob(schema.Schemas(), "*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d schemas, %v", len(names), err)
	}
	for _, name := range names {
		data := oktest.Value(fs.ReadFile(schema.Schemas(), name))(t)
		var root node
		if err := json.Unmarshal(data, &root); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		fmt.Fprintf(&want, "\n## %s\n\n%s\n\n| Key | Type | Required | Meaning |\n| --- | --- | --- | --- |\n", strings.TrimSuffix(name, ".json"), asPath(root.Description))
		schemaRows(&want, "", root)
	}
	name := filepath.Join(manual, schemasPage)
	page, _ := os.ReadFile(name)
	if string(page) == want.String() {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the schemas say: go test ./cmd/packgen -run %s -update", schemasPage, t.Name())
	}
	oktest.Check(t, os.WriteFile(name, []byte(want.String()), 0o644))
}

// asPath writes the path that a description of a record begins with as code.
func asPath(description string) string {
	path, rest, ok := strings.Cut(description, ": ")
	if !ok || strings.Contains(path, " ") {
		return description
	}
	return "`" + path + "`: " + rest
}

// schemaRows writes a row for each key of an object, and those of what it holds.
func schemaRows(b *strings.Builder, prefix string, n node) {
	for _, p := range n.Properties {
		key, below := prefix+p.key, p.node
		var others node
		if json.Unmarshal(below.Others, &others) == nil && others.Properties != nil {
			key, below = key+".*", others
		}
		for below.Items != nil && !strings.Contains(string(below.Type), "string") {
			key, below = key+"[]", *below.Items
		}
		required := ""
		for _, r := range n.Required {
			if r == p.key {
				required = "yes"
			}
		}
		b.WriteString(tableRow("`"+key+"`", typeOf(below), required, cellText(p.Description)))
		schemaRows(b, key+".", below)
	}
}

// typeOf says what a value is.
func typeOf(n node) string {
	switch {
	case n.Const != nil:
		return fmt.Sprintf("`%v`", n.Const)
	case n.AnyOf != nil:
		var forms []string
		for _, form := range n.AnyOf {
			forms = append(forms, typeOf(form))
		}
		return strings.Join(forms, " or ")
	case n.Enum != nil:
		var words []string
		for _, e := range n.Enum {
			if e == nil || e == "" {
				continue // as good as absent
			}
			words = append(words, fmt.Sprintf("`%v`", e))
		}
		return strings.Join(words, ", ")
	}
	var one string
	if json.Unmarshal(n.Type, &one) == nil {
		return one
	}
	var several []string
	if json.Unmarshal(n.Type, &several) == nil {
		return strings.Join(several, " or ")
	}
	return "any"
}
