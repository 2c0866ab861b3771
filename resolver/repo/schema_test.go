package repo

import (
	"errors"
	"flag"
	"reflect"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

var update = flag.Bool("update", false, "rewrite the structure of the published schema")

const schemas = "../../compiler/schema/json"

type (
	object = schematest.Object
	member = schematest.Member
)

// The schema of packgen.yaml is made from the types that it is read into.
func TestSchemaOfTheConfigurationIsThatOfTheTypes(t *testing.T) {
	tagged := func(properties object, of any) object {
		return fromTags(t, properties, reflect.ValueOf(of))
	}
	const (
		server = `(\[[0-9a-fA-F:.]+\]|[^\[\]/?#@:\\\s%]+)(:[0-9]*)?`
		char   = `([^%\x00-\x1f\x7f]|%[0-9a-fA-F]{2})`
		web    = `^[hH][tT][tT][pP][sS]?://([^/?#@\s]*@)?` + server
	)
	c := DefaultConfig()
	pattern := schematest.Text().With(member{"minLength", 1}, member{"not", object{{"pattern", `^/|\\|^\.\.$|^\.\./|/\.\./`}}})
	glob := schematest.Filled()
	section := func(properties object) object { return schematest.OrNull(schematest.Closed(properties)) }
	edit := schematest.Text().With(member{"pattern", `^https?://` + server + `/` + char + `*\{path\}` + char + `*$`})
	address := schematest.Text().With(member{"pattern", web + `(/([^?#%\x00-\x1f\x7f]|%[0-9a-fA-F]{2})*)?$`})
	rules := schematest.Closed(tagged(object{
		{"rule", schematest.OneOf(rulebook.IDs()...)}, {"severity", schematest.OneOf(policy.Levels()...)},
		{"packs", schematest.Some(pattern)}, {"files", schematest.Some(pattern)}, {"reason", schematest.Filled()},
	}, policy.Rule{}), "rule", "severity", "reason")
	documents := schematest.Closed(tagged(object{
		{"pack", pattern}, {"from", schematest.Filled()},
		{"below", schematest.Text().With(member{"minLength", 1}, member{"not", object{{"pattern", `^/|\\|(^|/)\.{0,2}(/|$)|[\x00-\x1f\x7f]`}}})},
		{"include", schematest.Some(glob)}, {"exclude", schematest.Some(glob)},
	}, Documents{}), "pack", "from")
	trust := schematest.Closed(tagged(object{
		{"ref", schematest.Filled()}, {"issuer", address},
		{"subject", schematest.Text().With(member{"pattern", `[^*/@. ]`})},
		{"key", schematest.Filled()}, {"root", schematest.Filled()}, {"unsigned", object{{"const", true}}},
	}, Trust{}), "ref").With(
		member{"oneOf", []object{{{"required", []string{"issuer"}}}, {{"required", []string{"key"}}}, {{"required", []string{"unsigned"}}}}},
		member{"dependentRequired", object{{"issuer", []string{"subject"}}, {"subject", []string{"issuer"}}, {"root", []string{"issuer"}}}},
	)
	service := schematest.Text().With(member{"pattern", `^[gG][rR][pP][cC][sS]?://` + server + `/?$`})
	pair := schematest.Text().With(member{"pattern", `^[!-<>-~]+=`})
	limit := object{{"type", "integer"}, {"minimum", 1}, {"maximum", maxLimit}}
	size := object{{"anyOf", []object{
		{{"type", "integer"}, {"minimum", 1}, {"maximum", int64(maxBytes)}},
		{{"type", "string"}, {"pattern", `^0*[1-9][0-9]{0,15} *(KiB|MiB|GiB)?$`}},
	}}}
	root := tagged(object{
		{"base_url", address}, {"packs", schematest.Some(pattern)}, {"roles", schematest.Some(pattern)},
		{"out", schematest.Filled()}, {"matcher", schematest.OneOf("coverage", "recall", "weighted")},
		{"site", section(tagged(object{
			{"edit", edit}, {"examples", schematest.Some(schematest.Filled())}, {"report", schematest.Filled()},
		}, c.Site))},
		{"loadout", section(tagged(object{{"tokenizer", schematest.OneOf("plain", "unicode")}}, c.Loadout))},
		{"boot", section(tagged(object{{"allow_root", schematest.Some(schematest.Filled())}}, c.Boot))},
		{"runs", section(tagged(object{{"keep", limit}}, c.Runs))},
		{"pull", section(tagged(object{
			{"files", limit}, {"bytes", size}, {"file_bytes", size}, {"archive_bytes", size}, {"path_bytes", limit}, {"depth", limit}, {"nested", limit},
		}, c.Pull))},
		{"rules", schematest.List(rules)}, {"documents", schematest.List(documents)}, {"trust", schematest.List(trust)},
		{"remote", section(tagged(object{
			{"cache", service}, {"executor", service}, {"headers", schematest.Some(pair)}, {"ca", schematest.Filled()}, {"cert", schematest.Filled()}, {"key", schematest.Filled()},
			{"platform", schematest.Some(pair)}, {"private", schematest.Some(pattern)},
		}, c.Remote))},
	}, c)
	schematest.Write(t, schemas, "config", schematest.OrNull(schematest.Closed(root)), *update)
}

// Each key that the reader takes is in the schema, and each value is judged alike.
func TestSchemaOfTheConfigurationAgreesWithTheReader(t *testing.T) {
	documents := []string{
		`{"title":"T","base_url":"https://example.org/packs/","packs":"teams/*","roles":["roles/*"],"out":"public","overlay":"","matcher":"recall"}`,
		`{"site":{"sources":true,"runs":false,"skills":true,"highlight":false,"dates":true,"excerpts":true,"offline":false,"edit":"https://example.org/edit/{path}","css":"a.css","ts":"","language":"de","description":"d","examples":["e"],"report":"r"}}`,
		`{"loadout":{"project":"p","tokenizer":"unicode"},"boot":{"allow_root":"/opt"},"pull":{"files":9,"bytes":"12 MiB","file_bytes":5,"archive_bytes":"7","path_bytes":4,"depth":3,"nested":2}}`,
		`{"rules":[{"rule":"claim-unsourced","severity":"off","packs":"packs/*","files":["wiki/*"],"reason":"why"}]}`,
		`{"documents":[{"pack":"packs/a","from":"../notes","below":"guide/a","include":["**/*.md"],"exclude":"drafts/**","mdx":true,"drafts":true}]}`,
		`{"remote":{"cache":"grpcs://cache.example:443","executor":"grpc://localhost","upload":false,"instance":"a/b","headers":["x=y"],"ca":"ca.pem","cert":"c.pem","key":"k.pem","platform":"OSFamily=linux","private":["packs/board"]}}`,
		`{"trust":[{"ref":"oci://ghcr.io/acme/**","issuer":"https://token.actions.githubusercontent.com","subject":"https://github.com/acme/*","root":"root.json"},{"ref":"dir:**","unsigned":true},{"ref":"**","key":"acme.pub"}]}`,
	}
	values := []any{"../x", "/x", "http://example.org", "https://example.org/?q", "ftp://x", "0", "3 MiB", 1e15, "a//b", "a/./b", " ",
		"HTTPS://Example.org/a", "https://user:secret@example.org/", "https://[::1]:80/", "https://example.org:x/", "https://example.org/a b", "https://example.org/%zz",
		"https://exa mple.org", "https:/example.org", "HTTPS://example.org/{path}", "https://example.org/{path}?a=b#{path}", "https://:80/", "https://example.org\\a",
		"grpc://[::1]:80", "GRPC://example.org", "grpcs://example.org:", "grpcs://example.org:99999", "grpc://a b", "x=", "=x", "x=a\nb", "x y=z", "ä=b", "../../a", "a/..", "..\\a", "a\x00b",
		"0 KiB", "1KiB", "1 kb", "01 GiB", "99999999999999999999", "5 GiB ", "1e1", "a*/@."}
	schematest.Agree(t, schemas, "config", documents, values, func(data []byte) error {
		c := DefaultConfig()
		if faults, _ := ReadConfig(nil, &c, ConfigName, data); len(faults) > 0 {
			return errors.New(faults[0].Message)
		}
		return nil
	})
}

// fromTags makes the properties of a schema from the tags of a Go type, key and doc, and
// the values of an instance. Special says what the reader asks of a value; of others
// their type says all.
func fromTags(t *testing.T, special object, of reflect.Value) object {
	t.Helper()
	var out object
	for i := range of.NumField() {
		tag, v := of.Type().Field(i).Tag, of.Field(i)
		key := tag.Get("key")
		if key == "" {
			continue
		}
		schema, ok := special.Get(key).(object)
		if !ok && v.Kind() == reflect.Bool {
			schema = schematest.Flag()
		} else if !ok && v.Kind() == reflect.String {
			schema = schematest.Text()
		} else if !ok {
			t.Errorf("%s: no schema for the key %q", of.Type(), key)
			continue
		}
		if doc := tag.Get("doc"); doc != "" {
			schema = schematest.Described(schema, asSentence(doc))
		}
		if scalar := v.Kind() == reflect.Bool || v.Kind() == reflect.String; scalar && !v.IsZero() || v.Kind() == reflect.Bool {
			schema = schema.With(member{"default", v.Interface()})
		}
		out = append(out, member{key, schema})
	}
	for _, m := range special {
		if out.Get(m[0].(string)) == nil {
			t.Errorf("%s has no key %q", of.Type(), m[0])
		}
	}
	return out
}

// asSentence writes the text of a tag as a sentence, with code in backticks.
func asSentence(text string) string {
	parts := strings.Split(text, "'")
	if len(parts)%2 == 1 && !strings.Contains(text, "'s ") {
		text = strings.Join(parts, "`")
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
