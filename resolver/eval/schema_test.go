package eval

import (
	"errors"
	"flag"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schemas")

const schemas = "../../compiler/schema/json"

type (
	object = schematest.Object
	member = schematest.Member
)

func TestSchemasOfEvalsAreThoseOfTheReaders(t *testing.T) {
	share := object{{"type", "number"}, {"minimum", 0}, {"maximum", 1}}
	texts := schematest.List(schematest.Text())
	some := object{{"minItems", 1}}
	one := schematest.Closed(object{
		{"query", schematest.Filled()}, {"also", texts}, {"required", texts}, {"forbidden", texts},
		{"budget", schematest.Whole(0)}, {"answerable", schematest.Flag()}, {"paraphrase", schematest.Flag()},
	}, "query").With(
		member{"if", object{{"properties", object{{"answerable", object{{"const", false}}.With(member{"description", "Nothing answers it."})}}}, {"required", []string{"answerable"}}}},
		member{"then", object{{"properties", object{{"required", object{{"maxItems", 0}}.With(member{"description", "Nothing."})}}}}},
		member{"else", object{{"anyOf", []object{
			{{"properties", object{{"required", some}}}, {"required", []string{"required"}}},
			{{"properties", object{{"forbidden", some}}}, {"required", []string{"forbidden"}}},
		}}}})
	schematest.Write(t, schemas, "context-eval", schematest.Closed(object{
		{"pack_name", schematest.Text()}, {"budget", schematest.Whole(0)},
		{"least", schematest.Closed(object{{"recall", share}, {"precision", share}, {"refused", share}})},
		{"cases", schematest.List(one).With(member{"minItems", 1}, member{"maxItems", maxCases})},
	}, "cases"), *update)

	expected := object{{"anyOf", []object{schematest.Text(), schematest.Closed(object{
		{"id", schematest.Described(schematest.Text().With(member{"minLength", 1}), "Id of an entry of the index.")},
		{"rank", schematest.Described(schematest.Whole(1), "Greatest place that it may have among the selected entries, from 1.")},
	}, "id")}}}
	task := schematest.Closed(object{
		{"task", schematest.Filled().With(member{"maxLength", maxTaskBytes})}, {"reason", schematest.Text()},
		{"must", schematest.List(expected).With(member{"maxItems", maxPerTask})},
		{"must_not", texts}, {"tokens", schematest.Whole(1)},
	}, "task")
	schematest.Write(t, schemas, "routing", schematest.Closed(object{
		{"matcher", schematest.OneOf("coverage", "recall", "weighted")},
		{"tasks", schematest.List(task).With(member{"minItems", 1}, member{"maxItems", maxTasks})},
	}, "tasks"), *update)
}

func TestSchemasOfEvalsAgreeWithTheReaders(t *testing.T) {
	refusal := func(faults []diag.Diagnostic) error {
		if len(faults) == 0 {
			return nil
		}
		return errors.New(faults[0].Message)
	}
	schematest.Agree(t, schemas, "context-eval", []string{
		`{"pack_name":"p","budget":900,"least":{"recall":0.5,"precision":0,"refused":1},"cases":[{"query":"q","also":["r"],"required":["documents/a.md#b"],"forbidden":[],"budget":5,"answerable":true,"paraphrase":true},{"query":"z","answerable":false}]}`,
		`{"cases":[{"query":"q","forbidden":["wiki/a.md"]}]}`,
	}, []any{0.5, 2, " ", false}, func(data []byte) error {
		_, faults := ReadContextSuite(ContextPath, data)
		return refusal(faults)
	})
	schematest.Agree(t, schemas, "routing", []string{
		`{"matcher":"recall","tasks":[{"task":"q","reason":"r","must":["a",{"id":"b","rank":2},{"id":"c"}],"must_not":["d"],"tokens":5}]}`,
	}, []any{0, " ", map[string]any{"id": "z"}}, func(data []byte) error {
		_, faults := ReadRouting(RoutingPath, data)
		return refusal(faults)
	})
}
