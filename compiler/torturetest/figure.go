package torturetest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	// variable holds the greatest number of rounds of a test, or "all". Without it tests
	// do the few rounds of an ordinary run and write no figures.
	variable = "PACKGEN_TORTURE"
	// rows holds the rows of the table to run, with a comma between them: a fault, or a
	// fault and a part of it with a slash between them. Without it all run.
	rows = "PACKGEN_TORTURE_ROWS"
	// dir is where the figures are, below the root of the repository.
	dir = "testdata/torture"
	// fuzzName is the file there with the figures of all fuzz targets.
	fuzzName = "fuzz.json"
)

// Figure is what one test found, as its file has it.
type Figure struct {
	Fault string `json:"fault"` // a row of the table
	Part  string `json:"part"`  // of that row: the command, door or kind
	Count int64  `json:"count"` // rounds that were done
	Found int64  `json:"found"` // those in which something was wrong

	Seconds int64 `json:"seconds,omitempty"` // of a fuzz target: how long it ran; rounds are executions
}

// Count counts the rounds of one test.
type Count struct {
	tb           testing.TB
	fault, part  string
	rounds       int
	done, broken atomic.Int64
}

// Start begins a test of a part of a fault: few rounds in an ordinary run, many in make
// torture. When a run of make torture ends, its figure is written.
func Start(tb testing.TB, fault, part string, few, many int) *Count {
	tb.Helper()
	c := &Count{tb: tb, fault: fault, part: part, rounds: few}
	most := os.Getenv(variable)
	if most == "" {
		return c
	}
	if !wanted(fault, part) {
		tb.Skip("another row is run")
	}
	c.rounds = many
	if n, err := strconv.Atoi(most); err == nil {
		c.rounds = min(many, n)
	} else if most != "all" {
		tb.Fatalf("%s is %q: it is a number or \"all\"", variable, most)
	}
	tb.Cleanup(func() {
		if err := c.write(); err != nil {
			tb.Errorf("write the figure: %v", err)
		}
	})
	return c
}

// Wanted reports whether this is a run of make torture that runs a row, and skips the test
// in one that runs others.
func Wanted(tb testing.TB, fault string) bool {
	tb.Helper()
	if os.Getenv(variable) == "" {
		return false
	}
	if !wanted(fault, "") {
		tb.Skip("another row is run")
	}
	return true
}

func wanted(fault, part string) bool {
	list := os.Getenv(rows)
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), func(row string) bool {
		return row == fault || row == fault+"/"+part
	})
}

// Rounds is how many rounds to do.
func (c *Count) Rounds() int { return c.rounds }

// Done counts rounds that were done.
func (c *Count) Done(n int) { c.done.Add(int64(n)) }

// Wrong counts a round in which something was wrong, and fails the test.
func (c *Count) Wrong(format string, args ...any) {
	c.tb.Helper()
	c.broken.Add(1)
	c.tb.Errorf(format, args...)
}

// write keeps the figure. A test that did nothing, or failed otherwise, has none.
func (c *Count) write() error {
	if c.tb.Skipped() || c.done.Load() == 0 || c.tb.Failed() && c.broken.Load() == 0 {
		return nil
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	name := filepath.Join(root, filepath.FromSlash(dir), strings.NewReplacer(" ", "-", "/", "-").Replace(c.fault+" "+c.part)+".json")
	return save(name, Figure{Fault: c.fault, Part: c.part, Count: c.done.Load(), Found: c.broken.Load()})
}

// save writes figures under their name when they are whole: a run may end at any time.
func save(name string, figures any) error {
	text, err := json.MarshalIndent(figures, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name+".new", append(text, '\n'), 0o666), os.Rename(name+".new", name))
}

// findRoot is the root of the repository, as seen from a test of any of its packages.
func findRoot() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(at, filepath.FromSlash(dir))); err == nil {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", errors.New("no directory above the working one has " + dir)
		}
		at = filepath.Dir(at)
	}
}

// FuzzFigures reads the figures of the fuzz targets. Their part is the folder of a target
// and its name.
func FuzzFigures(root string) (list []Figure, err error) {
	err = load(filepath.Join(root, filepath.FromSlash(dir), fuzzName), &list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return list, err
}

// RecordFuzz writes the figure of a fuzz target in place of an older one.
func RecordFuzz(root string, f Figure) error {
	list, err := FuzzFigures(root)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(old Figure) bool { return old.Part == f.Part })
	list = append(list, f)
	slices.SortFunc(list, func(a, b Figure) int { return cmp.Compare(a.Part, b.Part) })
	return save(filepath.Join(root, filepath.FromSlash(dir), fuzzName), list)
}

func load(name string, into any) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
