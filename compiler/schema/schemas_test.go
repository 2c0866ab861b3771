package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

const tree = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

func fullPackManifest() *PackManifest {
	return &PackManifest{
		SchemaVersion: 1, Name: "p", Version: "1.2.0", Profile: "hybrid", Status: "ready", Trust: "official", Tree: tree,
		Views: []PublishedView{{"compiled/briefing.md", "stale", []string{"Built on stale material."}}, {Path: "compiled/facts.md", Status: "passed"}},
		Files: []PublishedFile{{"KNOWLEDGE.md", 12, digest}},
	}
}

func smallPackManifest() *PackManifest {
	return &PackManifest{
		SchemaVersion: 1, Name: "p", Profile: "wiki-first", Status: "draft", Tree: tree,
		Files: []PublishedFile{{"KNOWLEDGE.md", 0, digest}},
	}
}

func fullSiteManifest() *SiteManifest {
	return &SiteManifest{SchemaVersion: 1, Files: []PublishedFile{{".nojekyll", 0, digest}}}
}

func TestFilesOfAManifestAreCleanPathsInOrder(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		paths      []string
	}{
		{"in order", "", []string{"KNOWLEDGE.md", "wiki/a", "wiki/a/b", "wiki/ä"}},
		{"twice", "/files/1/path", []string{"wiki/a", "wiki/a"}},
		{"out of order", "/files/2/path", []string{"wiki/a", "wiki/c", "wiki/b"}},
		{"no folder of a pack", "/files/1/path", []string{"KNOWLEDGE.md", "hooks/a"}},
		{"no root file of a pack", "/files/0/path", []string{"CLAUDE.md", "KNOWLEDGE.md"}},
		{"a name with a dot", "/files/0/path", []string{".git/config", "KNOWLEDGE.md"}},
		{"a name that Windows forbids", "/files/0/path", []string{"wiki/a*b.md"}},
		{"out of the pack", "/files/0/path", []string{"../a"}},
		{"absolute", "/files/0/path", []string{"/a"}},
		{"backslash", "/files/0/path", []string{`a\b`}},
		{"drive", "/files/0/path", []string{"c:/a"}},
		{"not clean", "/files/0/path", []string{"a//b"}},
		{"too many", fmt.Sprintf("/files/%d/path", MaxPackFiles), many(MaxPackFiles + 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := smallPackManifest()
			m.Files = nil
			for _, p := range tt.paths {
				m.Files = append(m.Files, PublishedFile{p, 1, digest})
			}
			_, err := DecodePackManifest(encoded(t, m))
			var fault *DecodeError
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.As(err, &fault) || fault.Pointer != tt.want):
				t.Errorf("got %v, want a fault at %s", err, tt.want)
			}
		})
	}
}

func many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("wiki/f%07d", i)
	}
	return list
}

func TestNameOfAManifestIsOneName(t *testing.T) {
	for _, name := range []string{"../p", "a/b", ".", "..", "a\nb", `a\b`} {
		m := smallPackManifest()
		m.Name = name
		if _, err := DecodePackManifest(encoded(t, m)); err == nil {
			t.Errorf("%q was taken", name)
		}
	}
}

func TestTreeHashHasOneForm(t *testing.T) {
	for _, bad := range []string{"", "h1:", "h2:" + tree[3:], tree[:46], tree + "=", strings.Replace(tree, "+", "-", 1), tree[:46] + "A"} {
		m := smallPackManifest()
		m.Tree = bad
		if _, err := DecodePackManifest(encoded(t, m)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func FuzzDecodePackManifest(f *testing.F) { fuzzDecode(f, DecodePackManifest, fullPackManifest()) }
func FuzzDecodeSiteManifest(f *testing.F) { fuzzDecode(f, DecodeSiteManifest, fullSiteManifest()) }

// The name of a pack is that of the folder it is unpacked into.
func TestTheNameOfAPublishedPackIsThatOfAFolder(t *testing.T) {
	for name, ok := range map[string]bool{
		"kettle": true, "a-1": true, strings.Repeat("a", 64): true,
		".claude": false, ".git": false, "..": false, "a/b": false, "Kettle": false, "con": false, "nul": false, "a b": false, "git~1": false, strings.Repeat("a", 65): false,
	} {
		m := smallPackManifest()
		m.Name = name
		_, err := DecodePackManifest(encoded(t, m))
		var fault *DecodeError
		if ok && err != nil || !ok && (!errors.As(err, &fault) || fault.Pointer != "/name") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

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
