package repo

import (
	"fmt"
	"time"

	"github.com/packgen/packgen/compiler/diag"
)

// RunTime is the time of the run: SOURCE_DATE_EPOCH when set, otherwise zero, which
// stands for the clock.
func RunTime(getenv func(string) string) (time.Time, error) {
	text := getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	var seconds int64
	if _, err := fmt.Sscanf(text, "%d", &seconds); err != nil || fmt.Sprint(seconds) != text || seconds < 0 || seconds > maxEpoch {
		return time.Time{}, diag.WithHint(fmt.Errorf("SOURCE_DATE_EPOCH is %q, not a number of seconds", text), "set it to a Unix time such as $(git log -1 --format=%%ct), or unset it")
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// maxEpoch is the last second of the year 9999, the end of the time format.
const maxEpoch = 253402300799

// IndexTime is the time stamp of an index: SOURCE_DATE_EPOCH, otherwise now.
func (w *Repo) IndexTime() (time.Time, error) {
	at, err := RunTime(w.Getenv)
	if err == nil && at.IsZero() {
		at = time.Now()
	}
	return at, err
}
