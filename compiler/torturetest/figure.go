package torturetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

const (
	// variable holds the greatest number of rounds of a test, or "all". Without it tests
	// do the few rounds of an ordinary run and write no figures.
	variable = "PACKGEN_TORTURE"
	// dir is where the figures are, below the root of the repository.
	dir = "testdata/torture"
)

// Figure is what one test found, as its file has it.
type Figure struct {
	Fault string `json:"fault"` // a row of the table
	Part  string `json:"part"`  // of that row: the command, door or kind
	Count int64  `json:"count"` // rounds that were done
	Found int64  `json:"found"` // those in which something was wrong
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
	root, err := Root()
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(Figure{c.fault, c.part, c.done.Load(), c.broken.Load()}, "", "  ")
	if err != nil {
		return err
	}
	name := filepath.Join(root, filepath.FromSlash(dir), strings.NewReplacer(" ", "-", "/", "-").Replace(c.fault+" "+c.part)+".json")
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// Root is the root of the repository, as seen from a test of any of its packages.
func Root() (string, error) {
	at, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", errors.New("no go.mod is above the working directory")
		}
		at = filepath.Dir(at)
	}
}

// Figures reads all figures.
func Figures(root string) ([]Figure, error) {
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.json"))
	if err != nil {
		return nil, err
	}
	var list []Figure
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		var f Figure
		if err := json.Unmarshal(text, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list = append(list, f)
	}
	return list, nil
}
