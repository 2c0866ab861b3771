package schema

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// fullOwnRun is a run as packgen knows it.
func fullOwnRun() *Run {
	run := fullRun()
	run.HasLedger, run.IndexSHA256, run.SourceMapSHA256 = true, digest, strings.Repeat("0b", 32)
	run.Claims = []RunClaim{{Claim: "clm-0123456789ab", Source: "sources/x.md#y", Span: digest, Stale: true}}
	run.RemovedClaims = []RunClaim{{Claim: "clm-1", Source: "sources/x.md", File: digest}}
	run.Chapters[0].Routing = digest
	return run
}

// A run is the same after it was written as a record of the format and a ledger, and the
// record has the keys of the format alone.
func TestARunIsARecordAndItsLedger(t *testing.T) {
	files := filesOf(t, fullOwnRun())
	for _, key := range []string{"schema_version", `"claims"`, "removed_claims", "index_sha256", "source_map_sha256", "routing"} {
		if strings.Contains(files["record"], key) {
			t.Errorf("the record has %s", key)
		}
	}
	asked := ""
	for name, record := range map[string]string{"as written": files["record"], "with CRLF": strings.ReplaceAll(files["record"], "\n", "\r\n")} {
		run, err := ReadRun([]byte(record), func(path string) ([]byte, error) {
			asked = path
			return []byte(files["ledger"]), nil
		})
		if err != nil || asked != "runs/ledger-2026-05-01T10-30-00Z.json" {
			t.Fatalf("%s: %v, asked for %q", name, err, asked)
		}
		if diff := cmp.Diff(fullOwnRun(), run); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Without a ledger of its own a record of packgen says nothing that is good. Records of
// other tools have none.
func TestARecordIsNotUsedWithoutItsLedger(t *testing.T) {
	files := filesOf(t, fullOwnRun())
	other := fullOwnRun()
	other.Trigger = "ingest"
	next := fullOwnRun()
	next.RunID = "compile-2026-05-02T10-30-00Z"
	for name, tt := range map[string]struct {
		record string
		ledger string
		err    error
	}{
		"missing":                 {files["record"], "", fs.ErrNotExist},
		"damaged":                 {files["record"], files["ledger"][:40], nil},
		"empty":                   {files["record"], "{}", nil},
		"of another record":       {files["record"], filesOf(t, other)["ledger"], nil},
		"of another run":          {files["record"], filesOf(t, next)["ledger"], nil},
		"of a record that edited": {strings.Replace(files["record"], "needs-review", "passed", 1), files["ledger"], nil},
		"with a run id as a path": {strings.Replace(files["record"], "compile-2026", "../compile-2026", 1), files["ledger"], nil},
	} {
		read := func(string) ([]byte, error) { return []byte(tt.ledger), tt.err }
		for _, read := range []func() error{
			func() error { _, err := ReadRun([]byte(tt.record), read); return err },
			func() error { _, err := ReadRunSummary([]byte(tt.record), read); return err },
		} {
			if fault, err := new(LedgerFault), read(); !errors.As(err, &fault) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	foreign := strings.Replace(files["record"], `"tool": "packgen"`, `"tool": "limeknow"`, 1)
	if run, err := ReadRun([]byte(foreign), nil); err != nil || run.HasLedger {
		t.Errorf("the record of another tool: %v", err)
	}
}

func TestLedgerPathsAreThoseOfRecords(t *testing.T) {
	for record, ledger := range map[string]string{
		"runs/compile-2026-05-01T10-30-00Z.json":   "runs/ledger-2026-05-01T10-30-00Z.json",
		"runs/compile-2026-05-01T10-30-00Z-2.json": "runs/ledger-2026-05-01T10-30-00Z-2.json",
		"runs/compile-20260501T103000Z.json":       "runs/ledger-20260501T103000Z.json",
	} {
		if RunLedgerPath(record) != ledger || RecordOfLedger(ledger) != record {
			t.Errorf("%s: %s", record, RunLedgerPath(record))
		}
	}
	for _, path := range []string{"", "runs/context-2026-05-01T10-30-00Z.json", "runs/compile-x.json", "runs/ledger-x.json", "runs/ledger-", "ledger-2026-05-01T10-30-00Z.json", "runs/x/ledger-2026-05-01T10-30-00Z.json"} {
		if RunLedgerPath(path) != "" || RecordOfLedger(path) != "" {
			t.Errorf("%q is taken for one", path)
		}
	}
}

// filesOf returns the texts of a run's record and ledger.
func filesOf(t *testing.T, run *Run) map[string]string {
	t.Helper()
	ledger := oktest.Value(run.Ledger())(t)
	return map[string]string{"record": string(encoded(t, run)), "ledger": string(encoded(t, ledger))}
}

func TestRunIDIsDashedUTCWithANumberFromTheSecondOn(t *testing.T) {
	at := time.Date(2026, 5, 1, 12, 30, 0, 999, time.FixedZone("CEST", 7200))
	for n, want := range map[int]string{
		0: "compile-2026-05-01T10-30-00Z", 1: "compile-2026-05-01T10-30-00Z", 2: "compile-2026-05-01T10-30-00Z-2", 12: "compile-2026-05-01T10-30-00Z-12",
	} {
		if got := RunID(at, n); got != want {
			t.Errorf("RunID(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestBothTimestampSpellingsAreRead(t *testing.T) {
	at := time.Date(2026, 5, 7, 10, 0, 0, 0, time.UTC)
	for stem, want := range map[string]RunName{
		"compile-2026-05-07T10-00-00Z":          {"compile", at, 1},
		"compile-20260507T100000Z":              {"compile", at, 1},
		"compile-20260507T100000Z-3":            {"compile", at, 3},
		"context-2026-05-07T10-00-00Z-10":       {"context", at, 10},
		"eval-discovery-2026-05-07T10-00-00Z-2": {"eval-discovery", at, 2},
	} {
		got, err := ParseRunName(stem)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", stem, got, err)
		}
	}
	for _, stem := range []string{
		"", "compile", "compile-", "2026-05-07T10-00-00Z", "-2026-05-07T10-00-00Z", "compile2026-05-07T10-00-00Z", "compile-2026-13-07T10-00-00Z",
		"compile-2026-05-07T10-00-00", "compile-2026-05-07T10-00-00Z-1", "compile-2026-05-07T10-00-00Z-02", "compile-2026-05-07T10-00-00Z-", "compile-2026-05-07T10-00-00Z2",
		"compile-2026-05-07T10-00-00Z--2", "compile-2026-05-07T10-00-00Z-99999999999999999999", "health-2026-05-07", "compile-2026-05-07T10:00:00Z",
	} {
		if got, err := ParseRunName(stem); err == nil {
			t.Errorf("%s was read as %v", stem, got)
		}
	}
}

func TestRunsAreOrderedByTimeThenNumber(t *testing.T) {
	want := []string{"compile-2026-05-01T10-30-00Z", "compile-20260501T103000Z-2", "compile-2026-05-01T10-30-00Z-9", "compile-2026-05-01T10-30-00Z-10", "compile-20260501T103001Z"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, func(a, b string) int {
		x, _ := ParseRunName(a)
		y, _ := ParseRunName(b)
		return CompareRunNames(x, y)
	})
	if !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

func FuzzParseRunName(f *testing.F) {
	f.Add("compile-2026-05-01T10-30-00Z-2")
	f.Add("context-20260507T100000Z")
	f.Fuzz(func(t *testing.T, stem string) {
		r, err := ParseRunName(stem)
		if err != nil {
			return
		}
		again, err := ParseRunName(r.String())
		if err != nil || again != r {
			t.Errorf("%q gives %v, then %v (%v)", stem, r, again, err)
		}
	})
}
