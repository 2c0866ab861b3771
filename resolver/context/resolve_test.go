package context

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
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

// claims is a source map with one claim of a status, in a split.
func claims(status, into string) string {
	return `{"claims": [{"claim_id": "clm-1", "text": "Vessel age.", "status": "` + status + `", "source": {"path": ""}, "compiled_into": ["` + into + `"]}]}`
}

// Agent-knowledge section 13.7.
func TestCompileWarningsFollowTheseRules(t *testing.T) {
	kettle := kettle(t)
	care := kettleSplits + "care.md"
	runPath := newestRun(kettle)
	run := string(kettle[runPath].Data)
	later := func(edit ...string) tree {
		return boundRun(kettle, "runs/compile-2030-01-01T00-00-00Z.json", strings.NewReplacer(edit...).Replace(run))
	}
	sentence := func(severity, status string) string {
		return severity + ": " + care + ": This runtime view depends on a " + status + " compile run."
	}
	for _, c := range []struct {
		rule    string
		changes tree
		want    []string
		status  string
	}{
		{"nothing to say", nil, []string{}, "passed"},
		{"a missing claim", tree{sourceMapPath: claims("missing", care)}, []string{sentence("warning", "needs-review")}, "needs-review"},
		{"an inferred claim", tree{sourceMapPath: claims("inferred", care)}, []string{sentence("warning", "needs-review")}, "needs-review"},
		{"a stale claim", tree{sourceMapPath: claims("stale", care)}, []string{sentence("warning", "stale")}, "stale"},
		{"a disputed claim is an error", tree{sourceMapPath: claims("disputed", care)}, []string{sentence("error", "disputed")}, "disputed"},
		{"a claim of another view, in a source map that no run has written", tree{sourceMapPath: claims("disputed", "compiled/splits/x.md")}, []string{}, "needs-review"},
		{"a document that changed since the run", tree{"documents/kettle.md": "# Kettle\n\n## Care\n\nDescale the litre vessel monthly.\n"}, []string{
			sentence("warning", "stale"), "warning: " + kettleSplits + "limits.md: This runtime view depends on a stale compile run.",
		}, "stale"},
		{"a file that no run lists", tree{runPath: "-"}, []string{
			"warning: " + care + ": This runtime view has no compile run.", "warning: " + kettleSplits + "limits.md: This runtime view has no compile run.",
		}, "needs-review"},
		{"the newest run deleted it, an older one made it", later(`"path": "`+care+`",`+"\n      \"operation\": \"created\"", `"path": "`+care+`",`+"\n      \"operation\": \"deleted\""), []string{}, "passed"},
		{
			"a warning of the run about the view", later(`"diagnostics": []`, `"diagnostics": [{"severity": "warning", "path": "`+care+`", "message": "[view-hand-edited] Edited by hand; kept."}]`),
			[]string{sentence("warning", "needs-review")}, "needs-review",
		},
		{
			"an error of the run about the view", later(`"diagnostics": []`, `"diagnostics": [{"severity": "error", "path": "`+care+`", "message": "[secret-suspect] x"}]`),
			[]string{sentence("error", "failed")}, "failed",
		},
		{
			"the newest run is worse than every view", later(`"status": "passed"`, `"status": "disputed"`),
			[]string{"error: runs/compile-2030-01-01T00-00-00Z.json: Newest compile run is disputed."}, "disputed",
		},
		{
			"the status of the document itself", nil, nil, "",
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			files := with(kettle, c.changes)
			if c.want == nil {
				files = compiledWithStatus(t)
				c.want = []string{sentence("warning", "stale"), "warning: " + kettleSplits + "limits.md: This runtime view depends on a stale compile run."}
				c.status = "stale"
			}
			r := resolve(t, Request{Query: "descale vessel", Scorer: rank.Overlap{}}, named("kettle", files))
			var got []string
			for _, w := range r.CompileWarnings {
				if !strings.Contains(w.Path, "#") {
					got = append(got, w.String())
				}
			}
			if diff := cmp.Diff(c.want, append([]string{}, got...)); diff != "" || string(r.Status) != c.status {
				t.Errorf("status %s, want %s; warnings (-want +got):\n%s", r.Status, c.status, diff)
			}
			if hasErrors(r.CompileWarnings) == r.OK || r.Refused {
				t.Errorf("ok %v, refused %v", r.OK, r.Refused)
			}
		})
	}
}

// compiledWithStatus is the kettle with a stale document.
func compiledWithStatus(t *testing.T) fstest.MapFS {
	t.Helper()
	return compiled(t, tree{
		"KNOWLEDGE.md":        head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": "---\nstatus: stale\n---\n# Kettle\n\n## Care\n\nDescale the litre vessel monthly.\n\n## Limits\n\nNone.\n",
	})
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	files := with(kettle(t), tree{sourceMapPath: claims("source-required", "x")})
	for _, c := range []struct {
		rule string
		req  Request
		want []string
	}{
		{"a claim without source that the query asks about", Request{Query: "vessel age"}, []string{"Vessel age."}},
		{"a claim that the query does not ask about", Request{Query: "capacity"}, nil},
		{"a required phrase that no file holds", Request{Query: "capacity", Require: []string{"one litre", "boiling point"}}, []string{"boiling point"}},
		{"a required phrase whose words stand in two files", Request{Query: "capacity care", Require: []string{"holds monthly"}}, []string{"holds monthly"}},
	} {
		c.req.Scorer = rank.Overlap{}
		r := resolve(t, c.req, named("kettle", files))
		if diff := cmp.Diff(c.want, r.Missing); diff != "" || (r.Recommendation == recommendation) != (len(c.want) > 0) {
			t.Errorf("%s: recommendation %q (-want +got):\n%s", c.rule, r.Recommendation, diff)
		}
	}
	r := resolve(t, Request{Query: "How tall is the Eiffel tower?"}, named("kettle", files))
	if diff := cmp.Diff([]string{"How tall is the Eiffel tower?"}, r.Missing); diff != "" {
		t.Errorf("a query without an answer (-want +got):\n%s", diff)
	}
}

func TestQuestionsForEvidenceCheckTheAnchors(t *testing.T) {
	files := compiled(t, tree{
		"KNOWLEDGE.md": head("kettle", "document-first", "metadata:\n  primaryDocument: documents/kettle.md\n"),
		"documents/kettle.md": "# Kettle\n\n## Care\n\n- Descale. [source: sources/s.md#L1]\n- Rinse. [source: sources/s.md#L9]\n- Dry. [source: sources/s.md#notes]\n" +
			"- Warm. [source: sources/gone.md]\n- Cold. [source: sources/s.md#L1-L2]\n- Air. [source: sources/s.md#page=3]\n",
		"sources/s.md": "# Notes\nx\n",
	})
	want := []string{
		"warning: sources/s.md#L9: The source anchor does not resolve.", "warning: sources/gone.md: The source anchor does not resolve.",
		"info: sources/: The query asks for evidence; check the source anchors.",
	}
	for _, query := range []string{"care sources", "cite care", "the evidence for care", "care 来源"} {
		r := resolve(t, Request{Query: query, Scorer: rank.Overlap{}}, named("kettle", files))
		if diff := cmp.Diff(want, remarks(r.Warnings)); diff != "" || len(r.SourceAnchors) != 6 {
			t.Errorf("%q: anchors %v (-want +got):\n%s", query, r.SourceAnchors, diff)
		}
	}
	if r := resolve(t, Request{Query: "care"}, named("kettle", files)); len(r.Warnings) != 0 {
		t.Errorf("without a question for evidence: %v", r.Warnings)
	}
}

// What was found with the sources at hand is said where they are left out.
func TestStatusesFromElsewhereCountWhereTheyAreWorse(t *testing.T) {
	files, care := kettle(t), kettleSplits+"care.md"
	for _, c := range []struct {
		rule, status string
		want         []string
	}{
		{"a worse one counts", "disputed", []string{"error: " + care + ": This runtime view depends on a disputed compile run."}},
		{"a better one changes nothing", "passed", []string{}},
		{"an unknown one changes nothing", "splendid", []string{}},
	} {
		p := named("kettle", files)
		p.Views = map[string]schema.Status{care: schema.Status(c.status), "compiled/splits/other.md": "failed"}
		r := resolve(t, Request{Query: "descale vessel", Scorer: rank.Overlap{}}, p)
		if diff := cmp.Diff(c.want, remarks(r.CompileWarnings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.rule, diff)
		}
	}
}
