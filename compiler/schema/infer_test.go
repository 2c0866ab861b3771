package schema

import (
	"errors"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

func fullContext() *Context {
	return &Context{
		RunID: "context-2026-05-06T09-10-00Z", Query: "q", Status: "passed",
		Resolver: &ContextResolver{"t", "1", "profile-aware"},
		ActivatedPacks: []ContextPack{{
			Name: "p", Activation: "explicit", SelectedFiles: []string{"f"}, Status: "ready", Trust: "official", Grounding: "required",
			SourceAnchors: []string{"a"}, Warnings: []RunWarning{{diag.Info, "m", "p"}}, Profile: "hybrid", RuntimeMode: "data",
			SelectedDocuments: []string{"d"}, SelectedSplits: []string{"s"}, WrapperOrder: 1, BuilderSkill: &ContextBuilder{"n", "1", "d"},
		}},
		Missing: []string{"m"}, TokenEstimate: 3, WrapperOrder: []string{"p"},
	}
}

func fullSuite() *Suite {
	return &Suite{PackName: "p", Cases: []SuiteCase{{ID: "c1", Prompt: "q", Expected: "warn", Reason: "r", ExpectedWarnings: []string{"stale"}}}}
}

func fullEvalRun() *EvalRun {
	half := 0.5
	return &EvalRun{
		Suite: "evals/discovery.train.json", PackName: "p",
		Results: []EvalResult{{"c1", "select", "reject", false}, {"c2", "warn", "warn", true}},
		Summary: EvalSummary{1, 1, 2, &half, &half, &half, 0, 1, &half, 1, 1, 1, 1},

		DescriptionHash: "h", RunsPerQuery: 3, Threshold: 0.5,
	}
}

func fullFindings() []diag.Finding {
	return []diag.Finding{{Severity: diag.Warning, Path: "documents/a.md", Message: "[claim-unsourced] m", ID: "claim-unsourced", Pack: "p", Line: 3, Column: 1, Hint: "h"}, {Severity: diag.Info}}
}

func fullLint() *lint {
	return &lint{OK: true, Status: "passed", Command: "check", Pack: "p", Findings: fullFindings()}
}

func fullHealth() *health {
	d := &Dimension{0.5, 2, 1}
	return &health{OK: true, Status: "needs-review", Command: "health", Pack: "p", Findings: fullFindings(), Dimensions: Dimensions{d, d, d, d, d, d, d}}
}

func TestInferLooksAtTheNameThenAtKeys(t *testing.T) {
	for _, tt := range []struct {
		name, data string
		want       Kind
	}{
		{"runs/compile-2026-05-01T10-30-00Z.json", `{"cases":[]}`, KindCompileRun},
		{"context-x.json", `{}`, KindContext},
		{"eval-discovery-x.json", `{}`, KindEvalRun},
		{"discovery-eval-x.json", `{}`, KindEvalRun},
		{"health-2026.json", `{}`, KindHealth},
		{"lint-2026.json", `{}`, KindLint},
		{"source-map.json", `{}`, KindSourceMap},
		{"source-map-old.json", `{}`, KindSourceMap},
		{"discovery.train.json", `{}`, KindSuite},
		{"a.json", `{"results":[],"activated_packs":[]}`, KindContext},
		{"a.json", `{"claims":[],"cases":[]}`, KindSuite},
		{"a.json", `{"trigger":"manual","claims":{}}`, KindSourceMap},
		{"a.json", `{"findings":[],"trigger":"manual"}`, KindCompileRun},
		{"a.json", `{"results":[],"findings":[]}`, KindLint},
		{"a.json", `{"findings":[],"dimensions":{}}`, KindHealth},
		{"a.json", `{"results":[]}`, KindEvalRun},
		{"a.json", `{"queries":[]}`, KindSuite},
		{"a.json", `{"splits":[]}`, KindCompiledIndex},
		{"a.json", `{"trigger":"manual", broken`, KindCompileRun},
		{"packs/p/pack.json", `{}`, KindPackManifest},
		{"a.json", `{"tree":"h1:","files":[]}`, KindPackManifest},
		{"public/manifest.json", `{}`, KindSiteManifest},
		{"packgen.lock", `{}`, KindLock},
		{"a.json", `{"references":[]}`, KindLock},
	} {
		if got, err := Infer(tt.name, []byte(tt.data)); got != tt.want {
			t.Errorf("%s %s: got %q, %v, want %q", tt.name, tt.data, got, err, tt.want)
		}
	}
	for _, data := range []string{"", "[]", "{}", `{"x":1}`, `{"x":`} {
		if got, err := Infer("a.json", []byte(data)); !errors.Is(err, errUnknownKind) {
			t.Errorf("%q: got %q, %v", data, got, err)
		}
	}
}

func TestValidateDistinguishesForeignRecordsFromBrokenOnes(t *testing.T) {
	var foreign *ForeignError
	var fault *DecodeError
	for _, camel := range []string{
		`{"id":"compile-20260507T100000Z","packName":"p","status":"completed","splits":4}`,
		`{"runId":"compile-20260507T100000Z","trigger":"manual","status":"completed","inputs":[],"outputs":[]}`,
	} {
		if err := Validate(KindCompileRun, []byte(camel)); !errors.As(err, &foreign) || foreign.Kind != KindCompileRun {
			t.Errorf("another tool's run: %v", err)
		}
	}
	for _, data := range []string{`{"run_id":"r"}`, `{"run_id":"r","packName":"p"}`, `{"trigger":"manual","extra":1}`, `{"id":1`, `[]`, `{}`, ``, `{"id":1} x`} {
		if err := Validate(KindCompileRun, []byte(data)); !errors.As(err, &fault) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if err := Validate("nonsense", nil); err == nil {
		t.Error("an unknown kind passed")
	}
	for _, name := range Kinds() {
		if err := Validate(Kind(name), []byte("{")); err == nil {
			t.Errorf("%s takes half a record", name)
		}
	}
}

func TestOldSuitesAreRead(t *testing.T) {
	got := oktest.Value(DecodeSuite([]byte(`{"pack_name":"p","queries":[{"query":"a","should_select":true},{"query":"b","should_select":false}]}`)))(t)
	if len(got.Cases) != 2 || got.Cases[0].ID != "q1" ||
		got.Cases[0].Expected != Select || got.Cases[1].ID != "q2" || got.Cases[1].Expected != Reject {
		t.Errorf("%+v", got)
	}
	if _, err := DecodeSuite([]byte(`{"pack_name":"p","queries":[{"query":"a"}]}`)); err == nil {
		t.Error("a query without should_select passed")
	}
}

func FuzzDecodeSuite(f *testing.F) {
	f.Add([]byte(`{"pack_name":"p","queries":[{"query":"a","should_select":true}]}`))
	fuzzDecode(f, DecodeSuite, fullSuite())
}
func FuzzDecodeEvalRun(f *testing.F) { fuzzDecode(f, decodeEvalRun, fullEvalRun()) }
func FuzzDecodeContext(f *testing.F) { fuzzDecode(f, DecodeContext, fullContext()) }

func FuzzInfer(f *testing.F) {
	f.Add("a.json", []byte(`{"results":[]}`))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		kind, err := Infer(name, data)
		if (kind == "") != (err != nil) {
			t.Fatalf("kind %q with error %v", kind, err)
		}
		if err == nil {
			_ = Validate(kind, data)
		}
	})
}
