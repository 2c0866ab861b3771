package schema

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"strconv"
	"strings"
	"time"
)

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
