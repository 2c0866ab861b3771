package pack

import (
	"flag"
	"testing"

	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schema")

const schemas = "../schema/json"

type (
	object = schematest.Object
	member = schematest.Member
)

// The schema of the front matter of KNOWLEDGE.md is made of the lists that its reader
// looks values up in. The entries of metadata.loadout are those of package index, where
// schema and readers are compared.
func TestSchemaOfKnowledgeIsThatOfTheReader(t *testing.T) {
	text := schematest.OrNull(schematest.Text())
	words := func(list []string) object {
		return object{{"enum", append(anyOf(list), "", nil)}}
	}
	path := text.With(member{"not", object{{"type", "string"}, {"pattern", `^/|\\|^[A-Za-z]:|(^|/)\.{1,2}(/|$)|//|/$|[\x00-\x1f\x7f]`}}})
	tokens := schematest.OrNull(object{{"type", "integer"}, {"minimum", 0}, {"maximum", maxShape}})
	section := func(properties object) object { return schematest.OrNull(schematest.Open(properties)) }
	list := schematest.List(schematest.Text())
	declared := schematest.OrNull(schematest.Closed(object{
		{"keywords", schematest.OrNull(list)}, {"patterns", schematest.OrNull(list)},
		{"priority", object{{"enum", []any{"core", "domain", "manual", nil}}}},
		{"triggers", section(object{{"task", schematest.OrNull(schematest.Flag())}, {"plan", schematest.OrNull(schematest.Flag())}, {"edit", schematest.OrNull(schematest.Flag())}})},
		{"summary", text}, {"questions", object{{"anyOf", []object{text, list}}}}, {"boundary", schematest.OrNull(schematest.Flag())},
	}))
	schematest.Write(t, schemas, "knowledge", schematest.Open(object{
		{"name", schematest.Text().With(member{"pattern", `^[a-z0-9-]{1,64}$`})},
		{"description", schematest.Filled().With(member{"maxLength", maxDescription})},
		{"type", object{{"anyOf", []object{schematest.OneOf(types()...), {{"type", "string"}, {"pattern", `^custom:[^ \t\n]+$`}}}}}},
		{"status", schematest.OneOf(schema.Words(schema.PackStatuses())...)},
		{"profile", words(profiles())}, {"version", text}, {"language", text}, {"license", text},
		{"maintainers", object{{"anyOf", []object{text, list}}}},
		{"scope", text}, {"trust", words(Trusts())},
		{"updated", text.With(member{"pattern", `^$|^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?(Z|[+-][0-2][0-9]:[0-5][0-9])?)?$`})},
		{"grounding", words(Groundings())},
		{"runtime", section(object{{"mode", words(modes())}})},
		{"metadata", section(object{
			{"primaryDocument", path}, {"primaryOntology", path}, {"primaryAnswers", path},
			{"producedBy", section(object{{"kind", text}, {"name", text}, {"version", text}, {"digest", text}})},
			{"compile", section(object{{"join", tokens}, {"briefing", tokens}, {"facts", tokens}, {"boundaries", tokens}})},
			{"loadout", schematest.OrNull(object{{"type", "object"}, {"additionalProperties", declared}})},
		})},
		{"compatibility", text.With(member{"maxLength", maxCompatibility})},
	}, "name", "description", "type", "status"), *update)
}

func anyOf(words []string) []any {
	var list []any
	for _, w := range words {
		list = append(list, w)
	}
	return list
}
