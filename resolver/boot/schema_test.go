package boot

import (
	"errors"
	"flag"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schema")

const schemas = "../../compiler/schema/json"

// The schema of boot.yml says of the two modes what the parser says.
func TestSchemaOfBootIsThatOfTheParser(t *testing.T) {
	type object = schematest.Object
	type member = schematest.Member
	globs := schematest.List(schematest.Text().With(member{"minLength", 1}))
	optional := schematest.OrNull(globs)
	rules := func(say object) object {
		return schematest.OrNull(schematest.Open(object{{"say", say}, {"ref", optional}, {"hide", optional}, {"not", optional}, {"budget", false}, {"<<", false}}))
	}
	section := schematest.OrNull(schematest.Open(object{{"briefs", rules(optional)}, {"skills", rules(optional)}, {"budget", false}, {"<<", false}}))
	tokens := object{{"anyOf", []object{{{"type", "integer"}, {"minimum", 1}, {"maximum", 1<<31 - 1}}, {{"type", "string"}, {"pattern", "^[0-9_,]*[1-9][0-9_,]*$"}, {"not", object{{"pattern", "^[_,]|[_,]$|[0-9_,]{11}"}}}}}}}
	unread := object{{"not", object{{"type", "object"}, {"anyOf", []object{{{"required", []string{"briefs"}}}, {{"required", []string{"skills"}}}}}}}}
	simple := []object{{{"required", []string{"briefs"}}}, {{"required", []string{"skills"}}}}
	schematest.Write(t, schemas, "boot", schematest.OrNull(schematest.Open(object{
		{"briefs", rules(globs)}, {"skills", rules(globs)}, {"always", section},
		{"budget", schematest.OrNull(schematest.Closed(object{{"tokens", tokens}}))},
		{"subject", object{{"not", object{{"type", "object"}}}}}, {"subject.", false}, {"<<", false},
	})).With(
		member{"patternProperties", object{{`^subject\..+$`, section}}},
		member{"additionalProperties", unread},
		member{"if", object{{"anyOf", []object{{{"required", []string{"always"}}}, {{"type", "object"}, {"not", object{{"propertyNames", object{{"not", object{{"pattern", `^subject\.`}}}}}}}}}}}},
		member{"then", object{{"not", object{{"type", "object"}, {"anyOf", simple}}}}},
	), *update)
}

func TestSchemaOfBootAgreesWithTheParser(t *testing.T) {
	schematest.Agree(t, schemas, "boot", []string{
		`{"briefs":{"say":["a.md"],"ref":["b*.md"],"hide":["c.md"],"not":null},"skills":{"say":[]},"budget":{"tokens":"20,000"}}`,
		`{"always":{"briefs":{"say":["a.md"]}},"subject.two":{"skills":{"say":null,"ref":["x"]},"briefs":null},"budget":{"tokens":9}}`,
	}, []any{"1_000", "0", map[string]any{"briefs": nil}, map[string]any{"budget": 1}}, func(data []byte) error {
		_, found := Parse(configName, data)
		for _, d := range found {
			if d.Severity == diag.Error {
				return errors.New(d.Message)
			}
		}
		return nil
	})
}
