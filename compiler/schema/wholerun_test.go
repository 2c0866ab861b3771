package schema

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
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
		run.RunID = "compile-2026-05-01T10-30-00Z"
		list := encoded(t, other)
		hash := sha256.Sum256(list)
		base, _ := other.Sums()
		now, _ := ListOf(run).Sums()
		short := run.Against(hex.EncodeToString(hash[:]), &base, &now)
		record, ledger, err := WholeRun(encoded(t, short), holding(string(list)))
		if err != nil || ledger != nil || string(record) != string(encoded(t, run)) {
			t.Fatalf("%v, got\n%s\nwant\n%s", err, record, encoded(t, run))
		}
		short.Compiler.Tool, run.Compiler.Tool = ownTool, ownTool
		files, want := filesOf(t, short), filesOf(t, run)
		record, ledger, err = WholeRun([]byte(files["record"]), func(path string) ([]byte, error) {
			if RecordOfLedger(path) != "" {
				return []byte(files["ledger"]), nil
			}
			return list, nil
		})
		if err != nil || string(record) != want["record"] || string(ledger) != want["ledger"] {
			t.Fatalf("%v, got\n%s%s\nwant\n%s", err, record, ledger, want)
		}
	}
}

// filesOf are the texts of the record of a run and of its ledger.
func filesOf(t *testing.T, run *Run) map[string]string {
	t.Helper()
	record, ledger, err := run.Files()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"record": string(encoded(t, record)), "ledger": string(encoded(t, ledger))}
}

// holding reads the same text whatever is asked for.
func holding(text string) func(string) ([]byte, error) {
	return func(string) ([]byte, error) { return []byte(text), nil }
}

// TestAWholeRunNeedsItsList: a list that is not the one of the record, or has another
// form, is a ListFault; splices that do not fit are an error.
func TestAWholeRunNeedsItsList(t *testing.T) {
	for _, list := range []string{"", "{}x", `{"inputs": 1}`, `{"inputs": [], "inputs": [{}]`, `[]`, `{"inputs": [{}`} {
		hash := sha256.Sum256([]byte(list))
		run := fullRunAgainst()
		run.Base.List = hex.EncodeToString(hash[:])
		_, _, err := WholeRun(encoded(t, run), holding(list))
		if fault := new(ListFault); !errors.As(err, &fault) {
			t.Errorf("%q gave %v", list, err)
		}
		run.Base.List = digest
		_, _, err = WholeRun(encoded(t, run), holding(list))
		if fault := new(ListFault); !errors.As(err, &fault) {
			t.Errorf("another list gave %v", err)
		}
	}
	hash := sha256.Sum256([]byte("{}"))
	run := fullRunAgainst()
	run.Base.List = hex.EncodeToString(hash[:])
	if whole, _, err := WholeRun(encoded(t, run), holding("{}")); err == nil {
		t.Errorf("splices that do not fit gave %s", whole)
	}
	for _, text := range []string{"", "x", `{"run_id": "a"}`, "[1]"} {
		if record, ledger, err := WholeRun([]byte(text), nil); err != nil || record != nil || ledger != nil {
			t.Errorf("%q gave %s %s %v", text, record, ledger, err)
		}
	}
}
