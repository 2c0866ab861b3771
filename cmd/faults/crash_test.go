package faults_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// editedPack is a repository of which one page is edited.
func editedPack() [2]map[string]string {
	edited := maps.Clone(packgentest.Pages[0])
	edited["wiki/b.md"] = "# B\n\nText of b, and more.\n\n- A claim. [source: sources/s.md#L2]\n"
	before := maps.Clone(packgentest.Pages[0])
	before["wiki/b.md"] = "# B\n\nText of b.\n\n- Another. [source: sources/s.md#L2]\n"
	return [2]map[string]string{before, edited}
}

// crasher runs the program and kills it.
type crasher struct {
	tb      testing.TB
	env     []string // on top of the usual one
	command string
	verb    string
	args    []string              // after the verb
	pack    [2]map[string]string  // the pack in two versions
	begun   func(dir string) bool // whether a run has begun to write
	*rand.Rand
}

func newCrasher(t *testing.T, verb string) *crasher {
	t.Helper()
	return &crasher{tb: t, command: packgentest.Program(t, "packgen"), verb: verb, begun: staging, pack: packgentest.Pages, Rand: rand.New(rand.NewPCG(uint64(len(verb)), 4))}
}

// start begins a run on a repository; day is its clock.
func (c *crasher) start(dir string, day int) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(c.command, slices.Concat([]string{"-C", dir, "-q"}, strings.Fields(c.verb), c.args)...)
	cmd.Env = append(append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", 1767225600+86400*day), "NO_COLOR=1"), c.env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	oktest.Check(c.tb, cmd.Start())
	return cmd, &out
}

func (c *crasher) run(dir string, day int) time.Duration {
	began := time.Now()
	cmd, out := c.start(dir, day)
	if err := cmd.Wait(); err != nil {
		c.tb.Fatalf("packgen %s: %v\n%s", c.verb, err, out)
	}
	return time.Since(began)
}

// kill begins a run and ends it at a moment by chance: some time after its start,
// or shortly after it began to stage files. It reports whether the run was cut.
func (c *crasher) kill(dir string, day int, usual time.Duration) bool {
	cmd, _ := c.start(dir, day)
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	wait := time.Duration(c.Float64() * float64(usual))
	if c.IntN(2) == 0 {
		wait = time.Duration(c.IntN(3000)) * time.Microsecond
		for until := time.Now().Add(usual); time.Now().Before(until) && !c.begun(dir); {
			time.Sleep(50 * time.Microsecond)
		}
	}
	select {
	case <-done:
		return false
	case <-time.After(wait):
	}
	_ = cmd.Process.Kill() // it may have ended by itself
	err := <-done
	var exit *exec.ExitError
	return errors.As(err, &exit) && !exit.Exited()
}

// staging reports whether a run has begun to write.
func staging(dir string) bool {
	for _, pattern := range []string{"publish-*/*", "packs/*/publish-*/*"} {
		if list, _ := filepath.Glob(filepath.Join(dir, repo.StateName, pattern)); len(list) > 1 {
			return true
		}
	}
	return false
}

// repo writes one version of the repository's inputs.
func (c *crasher) repo(dir string, version int) {
	pack := filepath.Join(dir, "packs", "p")
	for _, layer := range []string{"wiki", "documents", "sources"} {
		oktest.Check(c.tb, os.RemoveAll(filepath.Join(pack, layer)))
	}
	files := map[string]string{"KNOWLEDGE.md": packgentest.Entry}
	for name, text := range c.pack[version] {
		files[name] = text
	}
	for name, text := range files {
		full := filepath.Join(pack, filepath.FromSlash(name))
		oktest.Check(c.tb, os.MkdirAll(filepath.Dir(full), 0o777))
		oktest.Check(c.tb, os.WriteFile(full, []byte(text), 0o666))
	}
}

// tree reads all files of a repository but those of the state directory.
func (c *crasher) tree(dir string) map[string]string {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == repo.StateName:
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(dir))] = string(data)
		return err
	})
	oktest.Check(c.tb, err)
	return files
}

// whole checks that every file is as one of two runs wrote it.
func (c *crasher) whole(got, before, after map[string]string) {
	for name, text := range got {
		if strings.Contains(name, "/.packgen") {
			continue // a stage beside the target
		}
		if text != before[name] && text != after[name] {
			c.tb.Errorf("%s is neither as before nor as after the run:\n%s", name, text)
		}
	}
	for name := range before {
		if _, there := got[name]; !there && after[name] != "" {
			c.tb.Errorf("%s is lost", name)
		}
	}
}

// A run that is killed at any moment leaves every file whole, and the run after it
// ends in the tree that a run gives which nobody disturbed.
func TestFaultKilledRunsLeaveWholeFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, verb string
		pack       [2]map[string]string
	}{
		{"compile", "compile", packgentest.Pages},
		{"compile of one page", "compile", editedPack()},
		{"build", "build", packgentest.Pages},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := newCrasher(t, tt.verb)
			c.pack = tt.pack
			e, usual := c.edited(t)
			base, before, after := e.base, e.before, e.after

			count := kills(t, tt.name, 12)
			killed := 0
			for tries := 0; killed < count.Rounds() && tries < 15*count.Rounds(); tries++ {
				dir := copyRepo(t, base)
				for range 1 + c.IntN(2) {
					if c.kill(dir, 1, usual) {
						killed++
						count.Done(1)
					}
					c.whole(c.tree(dir), before, after)
				}
				c.run(dir, 1)
				got := c.tree(dir)
				c.whole(got, nil, after)
				if len(got) != len(after) {
					t.Errorf("%d files, want %d", len(got), len(after))
				}
				if t.Failed() {
					count.Wrong("after %d kills", killed)
					return
				}
				oktest.Check(t, os.RemoveAll(dir))
			}
			if killed < count.Rounds() {
				t.Errorf("only %d runs were killed in time", killed)
			}
		})
	}
}

// edition is a repository that was run on and edited since, and one with another run.
type edition struct {
	base, fresh   string            // directories
	before, after map[string]string // their files
}

// edited makes an edition; usual is what the other run took.
func (c *crasher) edited(t *testing.T) (e edition, usual time.Duration) {
	t.Helper()
	e.base = filepath.Join(t.TempDir(), "base")
	c.repo(e.base, 0)
	c.run(e.base, 0)
	c.repo(e.base, 1)
	e.before = c.tree(e.base)
	e.fresh = copyRepo(t, e.base)
	usual = c.run(e.fresh, 1)
	e.after = c.tree(e.fresh)
	return e, usual
}

func copyRepo(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repo")
	oktest.Check(t, os.CopyFS(dir, os.DirFS(from)))
	return dir
}
