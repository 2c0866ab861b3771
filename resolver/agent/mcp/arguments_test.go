package mcp

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
)

// What clients send and what is clear is what the schema says; what is not is a sentence.
func TestArgumentsAreReadAsTheyAreMeant(t *testing.T) {
	resolve, match, read := argumentsOf(reflect.TypeFor[resolveInput]()), argumentsOf(reflect.TypeFor[matchInput]()), argumentsOf(reflect.TypeFor[readInput]())
	for _, c := range []struct {
		list  []argument
		given string
		want  string // JSON, or the beginning of a sentence
	}{
		{resolve, `{"task":"a"}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":null,"mode":null,"also":null,"packs":null}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":"800","also":"[\"b\",\"c\"]","packs":"kettle, pump"}`, `{"also":["b","c"],"budget":800,"packs":["kettle","pump"],"task":"a"}`},
		{resolve, `{"task":"a","budget":8e2,"also":"b, c","packs":"[kettle"}`, `{"also":["b, c"],"budget":800,"packs":["[kettle"],"task":"a"}`},
		{resolve, `{"task":["a"],"budget":"","also":["b",null],"packs":""}`, `{"also":["b"],"task":"a"}`},
		{resolve, `"{\"task\":\"a\"}"`, `{"task":"a"}`},
		{resolve, `{"task":"a","unknown":null}`, `{"task":"a"}`},
		{resolve, `{"task":"a","budget":1e300}`, "budget of tool is a whole number: 1e300 is out of range: "},
		{resolve, `{"task":"a","mode":" Data "}`, `{"mode":"data","task":"a"}`},
		{resolve, `{"task":"a","mode":""}`, `{"task":"a"}`},
		{resolve, `{"task":"a","mode":"dta"}`, `mode of tool is a text: "dta" is not one of data, persona: `},
		{resolve, ``, "tool needs task: write the task or question, in words"},
		{resolve, `null`, "tool needs task: "},
		{resolve, `{"task":null}`, "tool needs task: "},
		{resolve, `{"task":7}`, "task of tool is a text: a number was given: "},
		{resolve, `{"task":["a","b"]}`, "task of tool is a text: a list was given: "},
		{resolve, `{"task":"a","budget":1.5}`, "budget of tool is a whole number: 1.5 is not one: "},
		{resolve, `{"task":"a","budget":"many"}`, `budget of tool is a whole number: "many" is not one: `},
		{resolve, `{"task":"a","budget":true}`, "budget of tool is a whole number: true or false was given: "},
		{resolve, `{"task":"a","also":{}}`, "also of tool is a list of texts: an object was given: "},
		{resolve, `{"task":"a","also":[1]}`, "also of tool is a list of texts: a number is in it: "},
		{resolve, `{"task":"a","pack":"kettle"}`, `tool has no argument "pack": did you mean packs?`},
		{resolve, `{"zzz":1,"yyy":1}`, `tool has no argument "yyy": name one of task, budget, packs, mode, also`},
		{resolve, `[]`, "the arguments of tool are not an object: "},
		{resolve, `"x"`, "the arguments of tool are not an object: "},
		{match, `{"task":"a","min_score":"0.5","limit":3}`, `{"limit":3,"min_score":0.5,"task":"a"}`},
		{match, `{"task":"a","min_score":"NaN"}`, `min_score of tool is a number: "NaN" is not one: `},
		{read, `{"id":"a","path":null,"offset":"16","limit":null}`, `{"id":"a","offset":16}`},
	} {
		got, err := plainArguments("tool", c.list, json.RawMessage(c.given))
		answer := string(got)
		if err != nil {
			answer = withHint(err).Error()
		}
		if answer != c.want && (err == nil || !strings.HasPrefix(answer, c.want)) {
			t.Errorf("%s: %s, want %s", c.given, answer, c.want)
		}
	}
}

// The whole server takes them: null for each argument that may be left out is as without it.
func TestEveryArgumentIsDescribedAndMayBeNull(t *testing.T) {
	_, session := serve(t, repository())
	list := oktest.Value(session.ListTools(t.Context(), nil))(t)
	given := map[string]values{
		"resolve_context": {"task": "descale the kettle"}, "search": {"query": "descale the kettle"}, "fetch": {"id": "kettle:documents/kettle.md"},
		"match_knowledge": {"task": "descale the kettle"}, "explain_match": {"task": "descale the kettle", "id": "kettle"}, "read_entry": {"id": "kettle:KNOWLEDGE.md"},
	}
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		properties, _ := schema["properties"].(map[string]any)
		if len(properties) == 0 {
			t.Errorf("%s has no arguments: %v", tool.Name, tool.InputSchema)
		}
		for name, p := range properties {
			about, _ := p.(map[string]any)
			if text, _ := about["description"].(string); text == "" {
				t.Errorf("%s of %s has no description", name, tool.Name)
			}
			if name == "mode" && about["enum"] == nil {
				t.Errorf("mode of %s may be any text", tool.Name)
			}
			if _, ok := given[tool.Name][name]; !ok {
				given[tool.Name][name] = nil
			}
		}
		if text := call(t, session, tool.Name, given[tool.Name], nil); strings.Contains(text, " of "+tool.Name) || strings.Contains(text, "needs") {
			t.Errorf("%s with null for what may be left out: %s", tool.Name, text)
		}
	}
}

// An excerpt is prose that a reader sees.
func TestExcerpts(t *testing.T) {
	for text, want := range map[string]string{
		"---\ntitle: x\n---\n\n# Care\n\nDescale monthly.\nWith acid.\n": "Descale monthly. With acid.",
		"# Care\n<!-- not\nshown --><a id=\"x\"></a>\n\n---\nText.":      "Text.",
		"# Care <!-- never closed\nhidden":                               "",
		"":                                                               "", "# Only a heading\n": "",
	} {
		if got := excerpt(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := excerpt(strings.Repeat("word ", 1000)); len(got) > maxLabel+len("…") {
		t.Errorf("%d bytes", len(got))
	}
}

// An offset beyond the end and a prompt of a pack that does not exist are errors, the second
// with a code.
func TestWhatIsNotThereIsAnError(t *testing.T) {
	_, session := serve(t, repository())
	for offset, fails := range map[int]bool{0: false, 1: false, 99_999: true} {
		text := call(t, session, "read_entry", values{"id": "kettle:KNOWLEDGE.md", "offset": offset}, nil)
		if fails != strings.HasPrefix(text, "error: offset 99999 is beyond the end: the text has ") {
			t.Errorf("offset %d: %s", offset, text)
		}
	}
	var coded *jsonrpc.Error
	if _, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "use_pack", Arguments: map[string]string{"name": "kettel"}}); !errors.As(err, &coded) || coded.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("a prompt of no pack: %v", err)
	}
	p := oktest.Value(session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "use_pack", Arguments: map[string]string{"name": "kettle"}}))(t)
	data, _ := json.Marshal(p)
	if strings.Contains(string(data), "packgen resolve") || !strings.Contains(string(data), "Search: call resolve_context") {
		t.Errorf("the prompt needs a shell: %s", data)
	}
}
