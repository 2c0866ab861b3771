package layers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

const (
	// LogName is the name of a usage log beside its index.
	LogName = "usage.jsonl"
	// defaultRotateAt is the size in bytes at which a usage log is rotated.
	defaultRotateAt = 8 << 20 // 8 MiB
	// maxLog is the largest log that is read, in bytes.
	maxLog = indexjson.MaxSize
	// lockRetry is how long a writer waits before it tries the lock again.
	lockRetry = 2 * time.Millisecond
	// RotatedSuffix names the rotated log, lockSuffix the lock file.
	RotatedSuffix = ".1"
	lockSuffix    = ".lock"
)

// timeStamp is the form of the format's time stamps: UTC with milliseconds.
const timeStamp = "2006-01-02T15:04:05.000Z"

// Stamp writes a time in the form of the format's time stamps.
func Stamp(t time.Time) string { return t.UTC().Format(timeStamp) }

// Log is a usage log: one JSON object a line (loadout section 15). The zero
// value has no path and drops what is written to it.
type Log struct {
	Path string
	// RotateAt is the size in bytes from which the log is renamed to
	// Path + ".1", in place of an earlier one, before more is written; 0 is
	// defaultRotateAt, negative never.
	RotateAt int64
}

// LogBeside is the usage log that belongs to an index, by the path of that.
func LogBeside(index string) Log { return Log{Path: filepath.Join(filepath.Dir(index), LogName)} }

// Observed is how many tokens of an index a task loaded on average, by the log; nil where
// the log cannot be read or has no load of it.
func (l Log) Observed(ix *loadout.Index) *float64 {
	events, _, err := l.Read()
	if err != nil || len(events) == 0 {
		return nil
	}
	known := make(map[string]bool, len(ix.Entries))
	for i := range ix.Entries {
		known[ix.Entries[i].ID] = true
	}
	tokens := 0.0
	tasks := map[string]bool{}
	for i := range events {
		if e := &events[i]; known[e.EntryID] {
			tokens += e.TokensEst
			tasks[e.TaskHash] = true
		}
	}
	if len(tasks) == 0 {
		return nil
	}
	average := math.Round(tokens / float64(len(tasks)))
	return &average
}

// Append writes events, one per line. Any number of processes may write at once:
// they take turns by a lock file beside the log, and the lines are written in one
// piece. A torn last line, which a killed writer may leave, is ended first. The
// directory must exist.
func (l Log) Append(ctx context.Context, events ...*loadout.Event) error {
	if l.Path == "" || len(events) == 0 {
		return nil
	}
	lock := regularfile.Lock(l.Path + lockSuffix)
	if _, err := lock.TryLockContext(ctx, lockRetry); err != nil {
		return fmt.Errorf("lock the usage log %s: %w", l.Path, err)
	}
	defer lock.Close()
	if err := l.rotate(); err != nil {
		return fmt.Errorf("rotate the usage log %s:  %w", l.Path, err)
	}
	if err := l.write(events); err != nil {
		return fmt.Errorf("write the usage log %s: %w", l.Path, err)
	}
	return nil
}

// rotate renames a log that has grown too large.
func (l Log) rotate() error {
	limit := l.RotateAt
	if limit == 0 {
		limit = defaultRotateAt
	}
	info, err := os.Stat(l.Path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (limit < 0 || info.Size() < limit) {
		return nil
	}
	if err != nil {
		return err
	}
	return regularfile.Rename(l.Path, l.Path+RotatedSuffix)
}

func (l Log) write(events []*loadout.Event) (err error) {
	f, _, err := regularfile.OpenFile(l.Path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	torn, err := endsTorn(f)
	if err != nil {
		return err
	}
	var text []byte
	if torn {
		text = append(text, '\n')
	}
	for _, e := range events {
		text = append(append(text, e.JSON()...), '\n')
	}
	_, err = f.Write(text)
	return err
}

// endsTorn reports whether a file ends in the middle of a line.
func endsTorn(f *os.File) (bool, error) {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 || !info.Mode().IsRegular() {
		return false, err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil && err != io.EOF {
		return false, err
	}
	return last[0] != '\n', nil
}

// plainEvent is an event whose members have the types that they should have: tokens that are not
// a number count nothing, and a word that is not a text is unknown. Sums and tables are made of
// them.
func plainEvent(e loadout.Event) loadout.Event {
	const unknown = "unknown"
	words := [...]*string{&e.Timestamp, &e.TaskHash, &e.Trigger, &e.Mode}
	changed := e.Raw.Get("tokensEst").Kind() != loadout.Number
	for i, key := range [...]string{"timestamp", "taskHash", "trigger", "mode"} {
		if e.Raw.Get(key).Kind() == loadout.String {
			continue
		}
		if changed = true; i > 0 {
			*words[i] = unknown
		}
	}
	if changed {
		e.Raw = ""
	}
	return e
}

// Read returns the events of the log, those of the rotated log first, and how many lines
// were not events: no JSON object, or one that names no entry (loadout section 15). A
// missing log is empty.
func (l Log) Read() (events []loadout.Event, skipped int, err error) {
	if l.Path == "" {
		return nil, 0, nil
	}
	for _, path := range []string{l.Path + RotatedSuffix, l.Path} {
		data, err := atomicfile.Read(path, maxLog)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, 0, fmt.Errorf("read the usage log: %w", err)
		}
		more, bad := indexjson.ParseUsage(data, false)
		skipped += bad
		for i := range more {
			if more[i].JSON().Get("entryId").Kind() == loadout.String {
				events = append(events, plainEvent(more[i]))
			} else {
				skipped++
			}
		}
	}
	return events, skipped, nil
}
