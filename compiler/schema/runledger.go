package schema

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"
)

// ownTool is the compiler name in the records that packgen writes.
const ownTool = "packgen"

// RunLedger is runs/ledger-<timestamp>.json: what packgen records of a run besides what
// the record of the format, which is closed, has keys for. Neither is used without the
// other.
type RunLedger struct {
	SchemaVersion   int          `json:"schema_version" check:"required" min:"1" max:"1"` // 1
	RunID           string       `json:"run_id" check:"required,nonempty"`                // of the record
	RecordSHA256    string       `json:"record_sha256" check:"required" form:"sha256"`    // of the record's bytes
	IndexSHA256     string       `json:"index_sha256,omitempty" form:"sha256"`            // of compiled/index.json after the run
	SourceMapSHA256 string       `json:"source_map_sha256,omitempty" form:"sha256"`       // of indexes/source-map.json after the run
	Claims          []RunClaim   `json:"claims" check:"required"`                         // by claim and source
	RemovedClaims   []RunClaim   `json:"removed_claims,omitempty"`                        // those that an earlier run found and this one did not
	Routing         []RunRouting `json:"routing,omitempty"`                               // of chapters of the record, in their order
}

// RunRouting says what the author declares for the entry of a chapter.
type RunRouting struct {
	Chapter string `json:"chapter" check:"required,nonempty"`     // its id
	SHA256  string `json:"sha256" check:"required" form:"sha256"` // of what is declared
}

// RunLedgerPath returns the path of the ledger of a record, by the path of that; "" for
// any other path.
func RunLedgerPath(record string) string {
	stem, ok := strings.CutSuffix(path.Base(record), ".json")
	if name, err := ParseRunName(stem); !ok || err != nil || name.Kind != "compile" {
		return ""
	}
	return "runs/ledger-" + strings.TrimPrefix(stem, "compile-") + ".json"
}

// RecordOfLedger returns the path of the record of a ledger, by the path of that; "" for
// any other path.
func RecordOfLedger(ledger string) string {
	stamp, ok := strings.CutPrefix(ledger, "runs/ledger-")
	if record := "runs/compile-" + stamp; ok && RunLedgerPath(record) == ledger {
		return record
	}
	return ""
}

// DecodeRunLedger reads a ledger, a closed object. Faults are a *DecodeError.
func DecodeRunLedger(data []byte) (*RunLedger, error) { return decode[RunLedger](data) }

// Ledger returns what packgen records of a run beside the record, which it is bound to by
// the SHA-256 of its bytes.
func (run *Run) Ledger() (*RunLedger, error) {
	ledger := &RunLedger{
		SchemaVersion: 1, RunID: run.RunID, IndexSHA256: run.IndexSHA256, SourceMapSHA256: run.SourceMapSHA256,
		Claims: run.Claims, RemovedClaims: run.RemovedClaims,
	}
	for _, c := range run.Chapters {
		if c.Routing != "" {
			ledger.Routing = append(ledger.Routing, RunRouting{c.ID, c.Routing})
		}
	}
	sum := sha256.New()
	if err := Write(sum, run); err != nil {
		return nil, err
	}
	ledger.RecordSHA256 = hex.EncodeToString(sum.Sum(nil))
	return ledger, nil
}

// LedgerFault says that the ledger of a record cannot be used.
type LedgerFault struct {
	Path string
	Err  error
}

func (f *LedgerFault) Error() string { return fmt.Sprintf("its ledger %s %s", f.Path, f.Err) }

// Unwrap returns the reason.
func (f *LedgerFault) Unwrap() error { return f.Err }

// ReadRun reads a record, and its ledger when packgen wrote it, by its path in the pack. What
// the ledger lacks is a *LedgerFault, which wraps no fs.ErrNotExist: the record itself exists.
func ReadRun(data []byte, read func(path string) ([]byte, error)) (*Run, error) {
	return readRun(data, read, nil)
}

// ReadRunSummary is ReadRun without the lists that grow with the text of a pack: documents,
// claims and chapters. Of these it looks for the end alone.
func ReadRunSummary(data []byte, read func(path string) ([]byte, error)) (*Run, error) {
	return readRun(data, read, longLists())
}

func readRun(data []byte, read func(path string) ([]byte, error), pass []string) (*Run, error) {
	s := newScanner(data)
	s.pass = pass
	run, err := decodeWith[Run](s)
	if err != nil || run.Compiler.Tool != ownTool {
		return run, err
	}
	return run, run.join(data, read, pass)
}

// join takes what the ledger of a record says into it. Data is the record's text, pass
// what is left out. A ledger that is missing, damaged or of another text is a *LedgerFault.
func (run *Run) join(data []byte, read func(path string) ([]byte, error), pass []string) error {
	name := RunLedgerPath(run.RunID + ".json")
	if name == "" {
		return &LedgerFault{"runs/ledger-*.json", errors.New("cannot be found: run_id is not the name of a run")}
	}
	text, err := read(name)
	if err != nil {
		return &LedgerFault{name, errors.New("cannot be read")}
	}
	s := newScanner(text)
	s.pass = pass
	ledger, err := decodeWith[RunLedger](s)
	if err != nil {
		return &LedgerFault{name, errors.New("is damaged")}
	}
	if ledger.RunID != run.RunID || !HasSum(data, ledger.RecordSHA256) {
		return &LedgerFault{name, errors.New("is that of another record, or the record was edited")}
	}
	run.HasLedger, run.IndexSHA256, run.SourceMapSHA256 = true, ledger.IndexSHA256, ledger.SourceMapSHA256
	run.Claims, run.RemovedClaims = ledger.Claims, ledger.RemovedClaims
	routing := make(map[string]string, len(ledger.Routing))
	for _, r := range ledger.Routing {
		routing[r.Chapter] = r.SHA256
	}
	for i := range run.Chapters {
		run.Chapters[i].Routing = routing[run.Chapters[i].ID]
	}
	return nil
}

// Run record names. We write the dashed timestamp and read both spellings that
// occur (section 2).
const (
	dashedTime  = "2006-01-02T15-04-05Z"
	compactTime = "20060102T150405Z"
)

// What a run name can hold.
const (
	MaxRunNumber = 999_999_999
	MaxRunYear   = 9999
)

// RunID returns the id of a compile run: its time in UTC to the second and, from
// the second run of one second on, its number: n 0 and 1 add nothing, 2 adds
// "-2" (section 9). The id is also the stem of the run's file name.
func RunID(t time.Time, n int) string {
	return RunName{Kind: "compile", Time: t, N: n}.String()
}

// RunName is the parsed stem of a run record's file name.
type RunName struct {
	Kind string    // "compile", "context", "eval-discovery", …
	Time time.Time // UTC, whole seconds
	N    int       // the number after the timestamp; 1 when there is none
}

// String returns the name as we write it.
func (r RunName) String() string {
	id := r.Kind + "-" + r.Time.UTC().Format(dashedTime)
	if r.N > 1 {
		id += "-" + strconv.Itoa(r.N)
	}
	return id
}

// ParseRunName reads the stem of a run record's file name, in either spelling of
// the timestamp.
func ParseRunName(stem string) (RunName, error) {
	for _, layout := range []string{dashedTime, compactTime} {
		if r, ok := parseRunName(stem, layout); ok {
			return r, nil
		}
	}
	return RunName{}, fmt.Errorf("parse run id %q: want <kind>-<timestamp>, such as compile-2026-05-01T10-30-00Z", stem)
}

// parseRunName looks for the timestamp after the kind. Layouts have a fixed
// width and end in "Z", and no kind holds a capital Z.
func parseRunName(stem, layout string) (RunName, bool) {
	end := strings.IndexByte(stem, 'Z') + 1
	start := end - len(layout)
	if end == 0 || start < 2 || stem[start-1] != '-' {
		return RunName{}, false
	}
	t, err := time.Parse(layout, stem[start:end])
	if err != nil {
		return RunName{}, false
	}
	r := RunName{Kind: stem[:start-1], Time: t, N: 1}
	if rest := stem[end:]; rest != "" {
		n, ok := runNumber(rest)
		if !ok {
			return RunName{}, false
		}
		r.N = n
	}
	return r, true
}

// runNumber reads "-2", "-3", …: no sign, no leading zero, at least 2.
func runNumber(rest string) (int, bool) {
	digits, ok := strings.CutPrefix(rest, "-")
	if !ok || digits == "" || len(digits) > 9 || digits[0] < '1' || digits[0] > '9' {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	return n, err == nil && n >= 2
}

// CompareRunNames orders runs by timestamp, then by the number after it, never
// by file name: run 10 of a second comes after run 9 (section 6.9 rule 3).
func CompareRunNames(a, b RunName) int {
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.N, b.N))
}

// NewestCompile returns the newest of the records of compile runs among some paths, ""
// when there is none.
func NewestCompile(paths iter.Seq[string]) string {
	newest, file := RunName{}, ""
	for name := range paths {
		stem, ok := strings.CutSuffix(path.Base(name), ".json")
		if !ok {
			continue
		}
		run, err := ParseRunName(stem)
		if err == nil && run.Kind == "compile" && (file == "" || CompareRunNames(run, newest) > 0) {
			newest, file = run, name
		}
	}
	return file
}
