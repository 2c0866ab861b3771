package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
)

// decodeRunSummary is DecodeRun without the lists that grow with the text of a pack:
// documents, claims and chapters. Of these it looks for the end alone.
func decodeRunSummary(data []byte) (*Run, error) {
	s := newScanner(data)
	s.pass = longLists()
	return decodeWith[Run](s)
}

// A summary is the record without what was skipped, whatever it holds.
func TestSummaryOfARun(t *testing.T) {
	whole := Run{
		RunID: "compile-2026-06-01T08-00-00Z", Trigger: "manual", Status: "stale",
		Inputs: []RunInput{{Path: "a"}}, Outputs: []RunOutput{{"b", "created"}}, Diagnostics: []RunDiagnostic{{diag.Info, "p", `"]}" \\`}},
		Documents: []RunDocument{{Path: "d"}},
		Chapters:  []RunChapter{{ID: "x", Title: `[{"`, Coverage: "full", SourceAnchors: []string{"]"}}},
	}
	data := oktest.Value(Encode(whole))(t)
	want := whole
	want.Documents, want.Chapters = nil, nil
	got := oktest.Value(decodeRunSummary(data))(t)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Error(diff)
	}
	for i := range data {
		if _, err := decodeRunSummary(data[:i]); err == nil && i < len(data)-1 {
			t.Fatalf("the first %d of %d bytes are taken for a record", i, len(data))
		}
	}
	for name, text := range map[string]string{
		"no list":      strings.Replace(string(data), `"chapters": [`, `"chapters": 1, "x": [`, 1),
		"a twin":       strings.Replace(string(data), `"chapters": [`, `"chapters": [], "chapters": [`, 1),
		"a field more": strings.Replace(string(data), `"chapters"`, `"mood": "good", "chapters"`, 1),
		"no status":    strings.Replace(string(data), `"status": "stale",`, ``, 1),
	} {
		if _, err := decodeRunSummary([]byte(text)); err == nil {
			t.Errorf("%s: taken for a record", name)
		}
	}
}

func FuzzSummaryIsTheRecord(f *testing.F) {
	f.Add([]byte(`{"run_id":"r","trigger":"manual","status":"passed","inputs":[],"outputs":[],"documents":[{"path":"a\\"}],"chapters":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		whole, err := DecodeRun(data)
		if err != nil {
			return
		}
		summary, err := decodeRunSummary(data)
		if err != nil {
			t.Fatalf("a record has no summary: %v", err)
		}
		whole.Documents, whole.Chapters = nil, nil
		if diff := cmp.Diff(whole, summary); diff != "" {
			t.Error(diff)
		}
	})
}
