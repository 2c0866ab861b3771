package schema

import (
	"encoding/json"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema/schematest"
)

// jsonDir is where the schemas are.
const jsonDir = "json"

func compiled(t testing.TB, name string) *jsonschema.Schema {
	t.Helper()
	return schematest.Compile(t, jsonDir, name)
}

func validate(s *jsonschema.Schema, data []byte) error { return schematest.Validate(s, data) }

var digest = strings.Repeat("0a", 32)

func fullRun() *Run {
	return &Run{
		RunID: "compile-2026-05-01T10-30-00Z", Trigger: "manual", Status: "needs-review",
		Compiler:    RunCompiler{Tool: "packgen", Version: "1.0.0", Model: "none"},
		Inputs:      []RunInput{{Path: "KNOWLEDGE.md", SHA256: digest}, {Path: "documents/a.md"}},
		Outputs:     []RunOutput{{Path: "compiled/index.json", Operation: "created"}},
		Diagnostics: []RunDiagnostic{{Severity: diag.Warning, Path: "documents/a.md", Message: `[claim-unsourced] "x" < & > y`}},
		Review:      RunReview{Required: true, Reason: "why"},
		Profile:     "hybrid", RuntimeMode: "persona", PrimaryDocument: "documents/a.md",
		BuilderSkill: &RunBuilder{Name: "b", Version: "1", Digest: "sha256:" + digest, Source: "s"},
		Documents:    []RunDocument{{Path: "documents/a.md", Role: "primary", Status: "ready", SHA256: digest}},
		Chapters: []RunChapter{{
			ID: "a/b", Title: "B", Document: "documents/a.md", Path: "compiled/splits/a/b.md", Coverage: "partial", Tokens: 3,
			SourceAnchors: []string{"sources/x.md#y"}, Warnings: []RunWarning{{diag.Info, "m", "p"}},
		}},
		QualityIssues: []string{"q"}, InterviewQuestions: []string{"i"},
	}
}

func fullRunLedger() *RunLedger {
	return &RunLedger{
		SchemaVersion: 1, RunID: fullRun().RunID, RecordSHA256: digest, IndexSHA256: digest, SourceMapSHA256: digest,
		Claims:        []RunClaim{{Claim: "clm-0123456789ab", Words: "0123456789ab", Source: "sources/x.md#y", Span: digest, Confirmed: true}},
		RemovedClaims: []RunClaim{{Claim: "clm-1", Source: "sources/x.md", File: digest, Stale: true}},
		Routing:       []RunRouting{{"a/b", digest}},
	}
}

func fullSourceMap() *SourceMap {
	return &SourceMap{
		Claims: []Claim{
			{ClaimID: "clm-0123456789ab", Text: "T", Status: "confirmed", Source: ClaimSource{"sources/x.md", "y"}, CompiledInto: []string{"documents/a.md#b"}, Document: "documents/a.md", SectionID: "b"},
			{ClaimID: "clm-1", Text: "U", Status: "source-required", CompiledInto: []string{}, Document: "d", SectionID: "s"},
		},
		DocumentSections: []Section{{Document: "d", SectionID: "s", Title: "S", SourceAnchors: []string{"a"}, CompiledInto: []string{"c"}}},
	}
}

func fullIndex() *Index {
	return &Index{
		SchemaVersion: 1, Pack: "p", Profile: "document-first", RuntimeMode: "data", PrimaryDocument: "documents/a.md",
		Views:  []View{{Path: "compiled/briefing.md", Kind: "briefing", TokenEstimate: 1, SHA256: digest, DerivedFrom: []string{"KNOWLEDGE.md"}}},
		Splits: []Split{{ID: "a/b", Order: 1, Title: "B", Document: "documents/a.md", SectionID: "b", Path: "compiled/splits/a/b.md", TokenEstimate: 2, SHA256: digest, SourceAnchors: []string{"x"}}}, TotalTokenEstimate: 3,
	}
}

func fullCatalog() *Catalog {
	return &Catalog{SchemaVersion: 1, Packs: []CatalogEntry{{
		Name: "p", Description: "D", Type: "custom:x", Status: "ready", Profile: "hybrid", RuntimeMode: "data", Version: "1", Language: "en",
		Trust: "official", Grounding: "none", Scope: "s", Compatibility: "c", PrimaryDocument: "d", ProducedBy: &CatalogProducer{"tool", "n", "1", "d"}, PrimaryOntology: "o", Location: "l",
	}}}
}

// records are every record type, full and as small as it may be.
var records = []struct {
	name, schema string
	record       any
	decode       func([]byte) (any, error)
}{
	{"full run", "compile-run", fullRun(), decodeAny(DecodeRun)},
	{"full run ledger", "run-ledger", fullRunLedger(), decodeAny(DecodeRunLedger)},
	{"small run", "compile-run", &Run{RunID: "r", Trigger: "manual", Status: "passed"}, decodeAny(DecodeRun)},
	{"full source map", "source-map", fullSourceMap(), decodeAny(DecodeSourceMap)},
	{"empty source map", "source-map", &SourceMap{}, decodeAny(DecodeSourceMap)},
	{"full index", "compiled-index", fullIndex(), decodeAny(DecodeIndex)},
	{"small index", "compiled-index", &Index{SchemaVersion: 1, Pack: "p", Profile: "hybrid", RuntimeMode: "data"}, decodeAny(DecodeIndex)},
	{"full catalog", "catalog", fullCatalog(), decodeAny(DecodeCatalog)},
	{"full context", "context-resolution", fullContext(), decodeAny(DecodeContext)},
	{"full suite", "discovery-eval", fullSuite(), decodeAny(DecodeSuite)},
	{"full eval run", "eval-run", fullEvalRun(), decodeAny(decodeEvalRun)},
	{"eval run without ratios", "eval-run", &EvalRun{PackName: "p"}, decodeAny(decodeEvalRun)},
	{"full lint report", "lint", fullLint(), decodeAny(decodeLint)},
	{"full health report", "health", fullHealth(), decodeAny(decodeHealth)},
	{"full pack manifest", "pack-manifest", fullPackManifest(), decodeAny(DecodePackManifest)},
	{"small pack manifest", "pack-manifest", smallPackManifest(), decodeAny(DecodePackManifest)},
	{"full site manifest", "site-manifest", fullSiteManifest(), decodeAny(DecodeSiteManifest)},
	{"empty site manifest", "site-manifest", &SiteManifest{SchemaVersion: 1}, decodeAny(DecodeSiteManifest)},
	{"full lock", "lock", fullLock(), decodeAny(DecodeLock)},
	{"empty lock", "lock", &Lock{SchemaVersion: LockVersion}, decodeAny(DecodeLock)},
}

func decodeAny[T any](f func([]byte) (*T, error)) func([]byte) (any, error) {
	return func(data []byte) (any, error) { return f(data) }
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	return oktest.Value(Encode(v))(t)
}

func TestRecordsFitTheirSchemaAndSurviveARoundTrip(t *testing.T) {
	for _, tt := range records {
		data := encoded(t, tt.record)
		if err := validate(compiled(t, tt.schema), data); err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, data)
		}
		back, err := tt.decode(data)
		if err != nil {
			t.Errorf("%s: %v\n%s", tt.name, err, data)
			continue
		}
		if diff := cmp.Diff(string(data), string(encoded(t, back))); diff != "" {
			t.Errorf("%s: Encode(Decode(x)) differs (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The struct tags and the JSON Schemas say the same twice. Every record is
// changed in every place in several ways; both must take or refuse the result.
func TestDecodersAgreeWithTheSchemas(t *testing.T) {
	for _, tt := range records {
		s := compiled(t, tt.schema)
		var root any
		oktest.Check(t, json.Unmarshal(encoded(t, tt.record), &root))
		refused := 0
		schematest.Mutate(root, func(v any) { root = v }, nil, func(what string) {
			data := oktest.Value(json.Marshal(root))(t)
			want := validate(s, data)
			_, got := tt.decode(data)
			if (want == nil) != (got == nil) {
				t.Errorf("%s, %s:\nschema:  %v\ndecoder: %v\n%s", tt.name, what, want, got, data)
			}
			if want != nil {
				refused++
			}
		})
		if refused == 0 {
			t.Errorf("%s: no change was refused", tt.name)
		}
	}
}

// A record in the shape that another implementation writes must not pass.
func TestRunsOfAnotherShapeFail(t *testing.T) {
	camel := []byte(`{"id":"compile-20260507T100000Z","packName":"p","status":"completed","startedAt":"2026-05-07T10:00:00Z","splits":4}`)
	if err := validate(compiled(t, "compile-run"), camel); err == nil {
		t.Error("the schema takes it")
	}
	if _, err := DecodeRun(camel); err == nil {
		t.Error("the decoder takes it")
	}
}

func TestSchemasWithoutADecoderTakeFullRecords(t *testing.T) {
	for _, tt := range []struct{ schema, good, bad string }{
		{
			"context-resolution",
			`{"run_id":"context-2026-05-06T09-10-00Z","query":"q","status":"passed","resolver":{"tool":"t","version":"1","strategy":"profile-aware"},"activated_packs":[{"name":"p","activation":"explicit","selected_files":["f"],"status":"ready","trust":"official","grounding":"required","source_anchors":["a"],"warnings":[{"severity":"info","message":"m","path":"p"}],"profile":"hybrid","runtime_mode":"data","selected_documents":["d"],"selected_splits":["s"],"wrapper_order":1,"builder_skill":{"name":"n","version":"1","digest":"d"}}],"missing":["m"],"token_estimate":3,"wrapper_order":["p"]}`,
			`{"run_id":"c","query":"","status":"passed","activated_packs":[]}`,
		},
		{
			"discovery-eval",
			`{"pack_name":"p","cases":[{"id":"c1","prompt":"q","expected":"warn","reason":"r","expected_warnings":["stale"]}]}`,
			`{"pack_name":"p","cases":[{"id":"c1","prompt":"q","expected":"maybe"}]}`,
		},
	} {
		s := compiled(t, tt.schema)
		if err := validate(s, []byte(tt.good)); err != nil {
			t.Errorf("%s: %v", tt.schema, err)
		}
		if err := validate(s, []byte(tt.bad)); err == nil {
			t.Errorf("%s takes %s", tt.schema, tt.bad)
		}
		var v map[string]any
		oktest.Check(t, json.Unmarshal([]byte(tt.good), &v))
		v["more"] = 1
		data, _ := json.Marshal(v)
		if err := validate(s, data); err == nil {
			t.Errorf("%s is not closed", tt.schema)
		}
	}
}

func TestSchemasIsAFileSystem(t *testing.T) {
	names, err := fs.Glob(Schemas(), "*")
	if err != nil || len(names) != len(Names()) {
		t.Errorf("%v, %v", names, err)
	}
	if err := fstest.TestFS(Schemas(), names...); err != nil {
		t.Error(err)
	}
}

func TestEncodeForm(t *testing.T) {
	type inner struct {
		A []string       `json:"a"`
		B string         `json:"b,omitempty"`
		C map[string]int `json:"c"`
		D *int           `json:"d"`
		E float64        `json:"e"`
		F []string       `json:"f,omitempty"`
		G *inner         `json:"g,omitempty"`
	}
	got := string(encoded(t, inner{
		A: []string{"\"\\\x00\x1f\b\f\n\r\t\u2028\u2029", "<&>é日🚀\x7f", "\xff"},
		C: map[string]int{"z": 1, "a": 2},
		F: []string{},
		G: &inner{},
	}))
	want := `{
  "a": [
    "\"\\\u0000\u001f\b\f\n\r\t\u2028\u2029",
    "<&>é日🚀` + "\x7f" + `",
    "` + "\uFFFD" + `"
  ],
  "c": {
    "a": 2,
    "z": 1
  },
  "d": null,
  "e": 0,
  "g": {
    "a": [],
    "c": {},
    "d": null,
    "e": 0
  }
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := Encode(struct{ F func() }{}); err == nil {
		t.Error("a function was encoded")
	}
}

func TestDecodeErrorsNameThePlace(t *testing.T) {
	for _, tt := range []struct{ name, data, want string }{
		{"unknown field", "{\n  \"claims\": [],\n  \"extra\": 1\n}", "3:3: /extra: unknown field; known are claims, document_sections"},
		{"deep value", `{"claims":[{"claim_id":"c","text":"t","status":"maybe","source":{"path":""}}]}`, `1:48: /claims/0/status: "maybe" is not one of confirmed`},
		{"letter case counts", `{"Claims":[]}`, "1:2: /Claims: unknown field"},
		{"twice", `{"claims":[],"claims":[]}`, `1:14: /claims: key "claims" is given twice; the first is on line 1`},
		{"missing", `{}`, `1:1: field "claims" is missing`},
		{"wrong type", `{"claims":{}}`, "1:11: /claims: want an array, found an object"},
		{"null", `{"claims":null}`, "1:11: /claims: want an array, found null"},
		{"more behind", `{"claims":[]} x`, "1:15: more text after the record"},
		{"cut off", `{"claims":[`, "1:12: /claims/0: the record is cut short"},
		{"comma at the end", `{"claims":[],}`, `1:13: not valid JSON: invalid character ','`},
		{"empty", ``, "1:1: the record is cut short"},
		{"bad escape", `{"cl\x":[]}`, "1:5: not valid JSON: invalid escape"},
		{"lone surrogate", `{"\ud800":[]}`, `invalid surrogate pair`},
		{"control character", "{\"cl\nx\":[]}", "1:5: not valid JSON: invalid character"},
		{"not UTF-8", "{\"\xff\":[]}", "1:3: not valid JSON: invalid UTF-8"},
		{"pointer is escaped", `{"a/b~c":1}`, "/a~1b~0c: unknown field"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := DecodeSourceMap([]byte(tt.data))
			var place *DecodeError
			if !errors.As(err, &place) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestEscapesAreDecoded(t *testing.T) {
	data := `{"claims":[{"claim_id":"c","text":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude80é","status":"stale","source":{"path":""}}]}`
	m := oktest.Value(DecodeSourceMap([]byte(data)))(t)
	if got, want := m.Claims[0].Text, "\"\\/\b\f\n\r\té🚀é"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCamelCaseIndexIsRead(t *testing.T) {
	data := `{"profile":"document-first","runtimeMode":"data","primaryDocument":null,"generatedAt":"2026-05-07T10:00:00Z","splits":[
	 {"id":"split-000","title":"Facts","relativePath":"splits/a/000_facts.md","sourceDocument":"documents/a.md","charCount":40,"tokenEstimate":10,"sourceAnchors":["sources/x.md"],"sha256":"ab"},
	 {"id":"split-001","title":"More","relativePath":"compiled/splits/a/001_more.md","sourceDocument":"documents/a.md","charCount":4,"tokenEstimate":1,"sourceAnchors":[],"sha256":"cd"}]}`
	got := oktest.Value(DecodeIndex([]byte(data)))(t)
	want := &Index{
		SchemaVersion: 1, Profile: "document-first", RuntimeMode: "data", Views: []View{}, TotalTokenEstimate: 11,
		Splits: []Split{
			{ID: "split-000", Order: 1, Title: "Facts", Document: "documents/a.md", Path: "compiled/splits/a/000_facts.md", TokenEstimate: 10, SHA256: "ab", SourceAnchors: []string{}},
			{ID: "split-001", Order: 2, Title: "More", Document: "documents/a.md", Path: "compiled/splits/a/001_more.md", TokenEstimate: 1, SHA256: "cd", SourceAnchors: []string{}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := DecodeIndex([]byte(`{"profile":"hybrid","runtimeMode":"data","splits":[],"more":1}`)); err == nil {
		t.Error("the camelCase shape is not closed")
	}
}

func FuzzDecodeIndex(f *testing.F)     { fuzzDecode(f, DecodeIndex, fullIndex()) }
func FuzzDecodeSourceMap(f *testing.F) { fuzzDecode(f, DecodeSourceMap, fullSourceMap()) }
func FuzzDecodeRun(f *testing.F)       { fuzzDecode(f, DecodeRun, fullRun()) }

// fuzzDecode: what is decoded can be encoded and decoded again to the same.
func fuzzDecode[T any](f *testing.F, decode func([]byte) (*T, error), seed *T) {
	f.Add(encoded(f, seed))
	f.Add([]byte(`{"profile":"x","splits":[{"id":"\ud83d\ude80","relativePath":"p"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		record, err := decode(data)
		if err != nil {
			if !json.Valid(data) {
				return
			}
			var place *DecodeError
			if !errors.As(err, &place) || place.Line < 1 || place.Column < 1 {
				t.Errorf("error without a place: %v", err)
			}
			return
		}
		if !json.Valid(data) {
			t.Errorf("took what is not JSON: %q", data)
		}
		first := encoded(t, record)
		if _, ok := any(record).(*Index); ok && isCamelCase(data) {
			return // the mapped record need not fit our own schema
		}
		again, err := decode(first)
		if err != nil {
			t.Fatalf("own output is refused: %v\n%s", err, first)
		}
		if diff := cmp.Diff(string(first), string(encoded(t, again))); diff != "" {
			t.Error(diff)
		}
	})
}
