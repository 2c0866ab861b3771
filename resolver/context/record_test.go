package context

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// validRecord checks a record against the published schema.
func validRecord(t *testing.T, data []byte) {
	t.Helper()
	const name = "context-resolution.json"
	text := oktest.Value(schema.Schemas().Open(name))(t)
	defer text.Close()
	doc := oktest.Value(jsonschema.UnmarshalJSON(text))(t)
	c := jsonschema.NewCompiler()
	oktest.Check(t, c.AddResource(name, doc))
	s := oktest.Value(c.Compile(name))(t)
	value := oktest.Value(jsonschema.UnmarshalJSON(strings.NewReader(string(data))))(t)
	if err := s.Validate(value); err != nil {
		t.Errorf("%v in\n%s", err, data)
	}
}

func TestRecordsFitTheSchema(t *testing.T) {
	skilled := with(kettle(t), tree{"KNOWLEDGE.md": head("kettle", "document-first",
		"grounding: recommended\nmetadata:\n  primaryDocument: documents/kettle.md\n  producedBy:\n    kind: skill\n    name: maker\n    version: 1.0.0\n    digest: sha256:00\n")})
	odd := with(kettle(t), tree{"KNOWLEDGE.md": strings.Replace(head("kettle", "document-first", "grounding: sometimes\n"), "user-confirmed", "much", 1)})
	tide, mira := named("tidepool-notes", goldenPack(t, "tidepool-notes")), named("mira-voice", goldenPack(t, "mira-voice"))
	for name, packs := range map[string][]Pack{
		"one": {tide}, "several": {tide, mira}, "skill": {named("kettle", skilled)}, "odd values": {named("kettle", odd)},
		"one blocked": {tide, named("old", packWith(t, "old", "status: disputed\n"))},
	} {
		t.Run(name, func(t *testing.T) {
			r := resolve(t, Request{Query: "When do sea stars spawn on the shore?", Scorer: rank.Overlap{}, Require: []string{"tide tables"}}, packs...)
			record := oktest.Value(r.Record(RecordID(time.Unix(1780300800, 0), 2)))(t)
			data := oktest.Value(schema.Encode(record))(t)
			validRecord(t, data)
			if name == "several" {
				golden(t, "record.json", string(data))
			}
			if name == "skill" && record.ActivatedPacks[0].BuilderSkill == nil {
				t.Error("the builder is not recorded")
			}
		})
	}
}

func TestSomeResolutionsAreNotRecorded(t *testing.T) {
	for _, r := range []*Resolution{
		resolve(t, Request{Query: ""}, named("kettle", kettle(t))),
		resolve(t, Request{Query: "kettle"}, named("old", packWith(t, "old", "status: disputed\n"))),
	} {
		if _, err := r.Record("context-x"); !errors.Is(err, ErrNotRecorded) {
			t.Errorf("query %q: error %v", r.Query, err)
		}
	}
}
