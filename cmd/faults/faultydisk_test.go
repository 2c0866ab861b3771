package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// prepare makes a run on a repository that is not started yet; day is its clock.
func (c *crasher) prepare(dir string, day int) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(c.command, append(append([]string{"-C", dir, "-q"}, strings.Fields(c.verb)...), c.args...)...)
	cmd.Env = append(append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", 1767225600+86400*day), "NO_COLOR=1"), c.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	return cmd, &out
}

// Whichever write of a build fails, and however: every file is as before or as after,
// the error names the file, and the next build leaves what one leaves that nothing
// disturbed. A write of which the disk takes half is finished.
func TestFaultABuildOnADiskThatFails(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Parallel()
	c := newCrasher(t, "build")
	c.env = []string{"GOMAXPROCS=1"} // so that changes come in nearly the same order each time
	e, _ := c.edited(t)
	base, before, after := e.base, e.before, e.after
	for _, fault := range []Fault{Full, ReadOnly, Broken, Short, Unsynced, Unreadable} {
		t.Run(strings.NewReplacer(" ", "_", "/", "_").Replace(fault.String()), func(t *testing.T) {
			t.Parallel()
			c := *c
			c.tb = t
			run := func(dir string, at int) (*Report, string, error) {
				cmd, out := c.prepare(dir, 1)
				report, err := (&Disk{Dirs: []string{dir}, Fault: fault, At: at}).Run(cmd)
				if report == nil {
					t.Fatal(err)
				}
				return report, out.String(), err
			}
			first := copyRepo(t, base)
			report, out, err := run(first, 0)
			if err != nil || report.Count == 0 {
				t.Fatalf("%v\n%s", err, out)
			}
			count := torturetest.Start(t, "disk", fault.String(), 5, report.Count)
			step := max(1, report.Count/count.Rounds())
			for at := 1; at <= report.Count; at += step {
				dir := copyRepo(t, base)
				report, out, err := run(dir, at)
				got := c.tree(dir)
				count.Done(1)
				if wrong := diskFault(fault, report, out, err, got, before, after); wrong != nil {
					count.Wrong("change %d (%v): %v\n%v\n%s", at, failedChange(report, dir), wrong, err, out)
				}
				c.run(dir, 1)
				if got := c.tree(dir); !maps.Equal(got, after) {
					count.Wrong("change %d (%v): the next build leaves %d files, %d are right", at, failedChange(report, dir), len(got), equalFiles(got, after))
				}
				oktest.Check(t, os.RemoveAll(dir))
			}
		})
	}
}

// A record of a resolution is written whole or not at all.
func TestFaultARecordOnADiskThatIsFull(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Parallel()
	c := newCrasher(t, "resolve --write-run text of b")
	c.env = []string{"GOMAXPROCS=1"}
	base := packgentest.Repository(t)
	c.run(base, 1)
	for at := 1; ; at++ {
		dir := copyRepo(t, packgentest.Repository(t))
		cmd, out := c.prepare(dir, 1)
		report, err := (&Disk{Dirs: []string{filepath.Join(dir, "packs")}, Fault: Full, At: at}).Run(cmd)
		if report == nil {
			t.Fatal(err)
		}
		records, _ := filepath.Glob(filepath.Join(dir, "packs/p/runs/*"))
		for _, name := range records {
			if text, err := os.ReadFile(name); err != nil || !bytes.HasSuffix(text, []byte("}\n")) {
				t.Errorf("change %d: %s is half, %v", at, name, err)
			}
		}
		if report.Failed == nil {
			if err != nil || len(records) != 1 || at < 4 {
				t.Errorf("%d records after %d changes, %v\n%s", len(records), at, err, out)
			}
			return
		}
	}
}

// A check that does not find a file which it has listed, because a compile runs beside it,
// checks again by itself.
func TestFaultACheckLooksAgainForAFileThatIsGone(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip("SKIPPED:", err)
	}
	t.Parallel()
	c := newCrasher(t, "check --fail-on never")
	c.env = []string{"GOMAXPROCS=1"}
	base := packgentest.Repository(t)
	missing := 0
	for at := 1; ; at++ {
		dir := copyRepo(t, base)
		cmd, out := c.prepare(dir, 1)
		report, err := (&Disk{Dirs: []string{filepath.Join(dir, "packs/p/wiki")}, Fault: Missing, At: at}).Run(cmd)
		switch {
		case report == nil:
			t.Fatal(err)
		case err != nil:
			t.Errorf("without %v: %v\n%s", report.Failed, err, out)
		case report.Failed == nil:
			if missing < 4 {
				t.Errorf("only %d reads", missing)
			}
			return
		}
		missing++
	}
}

// failedChange says which change failed.
func failedChange(r *Report, dir string) string {
	if r.Failed == nil {
		return "none"
	}
	return string(r.Failed[0].Kind) + " " + strings.TrimPrefix(r.Failed[0].Path, dir)
}

// diskFault says what is wrong after a run on a disk that failed.
func diskFault(fault Fault, r *Report, out string, err error, got, before, after map[string]string) error {
	if err == nil {
		if !maps.Equal(got, after) {
			return fmt.Errorf("the run succeeds with %d files, of which %d are right", len(got), equalFiles(got, after))
		}
		return nil
	}
	if fault == Short {
		return errors.New("half a write is not finished")
	}
	for name, text := range got {
		if old, ok := before[name]; strings.Contains(name, "/.packgen") || ok && text == old {
			continue
		}
		if text, ok := after[name]; !ok || text != got[name] {
			return fmt.Errorf("%s is neither as before nor as after", name)
		}
	}
	for name := range before {
		if _, ok := got[name]; !ok && after[name] != "" {
			return fmt.Errorf("%s is lost", name)
		}
	}
	if r.Failed[0].Kind == Read && strings.Contains(r.Failed[0].Path, "/.packgen/store/") && strings.Contains(out, "no longer in the store") {
		return nil // it names the pack or page of which something is not there any more
	}
	if !slices.ContainsFunc(r.Failed, func(c Change) bool { return strings.Contains(out, filepath.Base(c.Path)) }) {
		return fmt.Errorf("the message names none of the files: %v", r.Failed)
	}
	return nil
}

// equalFiles counts the files that are equal in two trees.
func equalFiles(a, b map[string]string) int {
	n := 0
	for name, text := range a {
		if other, ok := b[name]; ok && other == text {
			n++
		}
	}
	return n
}

// differing lists what is not equal in two trees.
func differing(got, want map[string]string) string {
	var list []string
	for name, text := range got {
		switch other, ok := want[name]; {
		case !ok:
			list = append(list, name+" too many")
		case other != text:
			list = append(list, fmt.Sprintf("%s with %d bytes, not %d", name, len(text), len(other)))
		}
	}
	for name := range want {
		if _, ok := got[name]; !ok {
			list = append(list, "no "+name)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}
