package suites

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

// Keep writes records and goldens where that is asked for.
func (e *Run) Keep() error {
	if e.Record {
		if err := e.writeRecords(); err != nil {
			return err
		}
	}
	if e.Update {
		return e.updateGoldens()
	}
	return nil
}

// Failed counts the cases and tasks that failed and the figures below what a suite
// asks for. Goldens that were rewritten count no longer.
func (e *Run) Failed() int {
	n := 0
	for _, s := range e.Suites {
		n += s.Result.Failed()
	}
	for _, c := range e.Contexts {
		n += len(c.Below)
	}
	if e.Update && !e.DryRun {
		return n
	}
	for _, g := range e.Goldens {
		n += g.missed()
	}
	return n
}

// missed counts the tasks that missed what is expected of them.
func (g *Goldens) missed() (n int) {
	for i := range g.Results {
		if len(g.Results[i].Misses) > 0 {
			n++
		}
	}
	return n
}

// writeRecords writes a run record for each suite (agent-knowledge section 11.2).
func (e *Run) writeRecords() error {
	for _, s := range e.Suites {
		data, err := schema.Encode(&s.Result.Record)
		if err != nil {
			return err
		}
		dir := e.ws.Paths.Abs(s.Member.Dir)
		name := ""
		for n := 1; ; n++ {
			name = "runs/" + schema.RunName{Kind: "eval-discovery", Time: e.At, N: n}.String() + ".json"
			if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name))); errors.Is(err, os.ErrNotExist) && !e.wrote(s.Member.Dir+"/"+name) {
				break
			}
		}
		if err := e.write(dir, s.Member.Dir+"/"+name, name, data); err != nil {
			return err
		}
	}
	return nil
}

// wrote reports whether this run has written, or would have written, a file.
func (e *Run) wrote(shown string) bool { return slices.Contains(e.Written, shown) }

// write writes one file below a directory, all or nothing, unless it is a dry
// run.
func (e *Run) write(dir, shown, name string, data []byte) error {
	if !e.DryRun {
		if err := atomicfile.WriteBelow(dir, name, data, false); err != nil {
			return repo.ExplainWrite(fmt.Errorf("write %s: %w", diag.Printable(shown), err))
		}
	}
	if !e.wrote(shown) {
		e.Written = append(e.Written, shown)
	}
	return nil
}

// updateGoldens rewrites the goldens that were missed.
func (e *Run) updateGoldens() error {
	for _, g := range e.Goldens {
		text, changed, err := g.routing.Update(g.Results)
		if err != nil {
			return err
		}
		if changed {
			if err := e.write(filepath.Dir(g.file), g.Name, filepath.Base(g.file), text); err != nil {
				return err
			}
		}
	}
	return nil
}
