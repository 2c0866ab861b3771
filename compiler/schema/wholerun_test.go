package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAWholeRunIsTheOneThatWouldHaveBeenWritten: whatever a record and its list hold,
// they give the bytes of the record without a list.
func TestAWholeRunIsTheOneThatWouldHaveBeenWritten(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	texts := []string{"a", "\n  \"chapters\": [],", "é\u2028<b>", "]}", "\\\"", "\xff"}
	text := func() string { return texts[r.IntN(len(texts))] + fmt.Sprint(r.IntN(6)) }
	random := func() *Run {
		run := &Run{
			SchemaVersion: RunVersion, RunID: text(), Trigger: "manual", Status: "passed", Inputs: []RunInput{}, Outputs: []RunOutput{},
			Diagnostics: []RunDiagnostic{}, Documents: []RunDocument{}, Claims: []RunClaim{}, Chapters: []RunChapter{},
		}
		for range r.IntN(5) {
			run.Inputs = append(run.Inputs, RunInput{Path: text(), SHA256: text()})
			run.Claims = append(run.Claims, RunClaim{Claim: text(), Source: text(), File: digest, Stale: r.IntN(2) == 0})
		}
		for range r.IntN(4) {
			run.Outputs = append(run.Outputs, RunOutput{text(), []string{"unchanged", "updated", "deleted"}[r.IntN(3)]})
			run.Documents = append(run.Documents, RunDocument{Path: text()})
		}
		for range r.IntN(3) {
			run.RemovedClaims = append(run.RemovedClaims, RunClaim{Claim: text(), Source: text(), Span: digest})
			run.Diagnostics = append(run.Diagnostics, RunDiagnostic{"warning", text(), text()})
			run.Chapters = append(run.Chapters, RunChapter{ID: text(), Title: text(), Coverage: "full", SourceAnchors: []string{text(), text()}})
		}
		return run
	}
	for range 2000 {
		run, other := random(), ListOf(random())
		list := encoded(t, other)
		hash := sha256.Sum256(list)
		base, _ := other.Sums()
		now, _ := ListOf(run).Sums()
		short := encoded(t, run.Against(hex.EncodeToString(hash[:]), &base, &now))
		whole, err := WholeRun(short, holding(string(list)))
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, short, list)
		}
		for range 2 {
			if got, want := textOf(t, whole), encoded(t, run); got != string(want) {
				t.Fatalf("got\n%s\nwant\n%s", got, want)
			}
		}
	}
}

// holding opens the same text whatever is asked for.
func holding(text string) func(string) (io.ReadCloser, error) {
	return func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
}

func textOf(t *testing.T, w *Whole) string {
	t.Helper()
	r, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAWholeRunNeedsItsList: a list that is not the one of the record, or has another
// form, is a ListFault; splices that do not fit are an error.
func TestAWholeRunNeedsItsList(t *testing.T) {
	for _, list := range []string{"", "{}x", `{"inputs": 1}`, `{"inputs": [], "inputs": [{}]`, `[]`, `{"inputs": [{}`} {
		hash := sha256.Sum256([]byte(list))
		run := fullRunAgainst()
		run.Base.List = hex.EncodeToString(hash[:])
		_, err := WholeRun(encoded(t, run), holding(list))
		if fault := new(ListFault); !errors.As(err, &fault) {
			t.Errorf("%q gave %v", list, err)
		}
		run.Base.List = digest
		_, err = WholeRun(encoded(t, run), holding(list))
		if fault := new(ListFault); !errors.As(err, &fault) {
			t.Errorf("another list gave %v", err)
		}
	}
	hash := sha256.Sum256([]byte("{}"))
	run := fullRunAgainst()
	run.Base.List = hex.EncodeToString(hash[:])
	if whole, err := WholeRun(encoded(t, run), holding("{}")); err == nil {
		t.Errorf("splices that do not fit gave %s", textOf(t, whole))
	}
	for _, text := range []string{"", "x", `{"run_id": "a"}`, "[1]"} {
		if whole, err := WholeRun([]byte(text), nil); err != nil || textOf(t, whole) != text {
			t.Errorf("%q gave %v %v", text, whole, err)
		}
	}
}
