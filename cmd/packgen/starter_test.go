package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/starter"
)

// initNames are names that are hard for YAML, for titles or for the evals.
var initNames = []string{"a", "0", "007", "1e3", "0x1f", "null", "true", "yes", "2026-11-20", "x-y-z", "claim-source", "insurance", "insurance-source", "weather-tomorrow", strings.Repeat("n", starter.MaxPackName)}

// Whatever the pack is called, a new repository has no finding and its evals pass.
func TestInitIsCleanUnderEveryName(t *testing.T) {
	t.Parallel()
	for i, name := range initNames {
		profile := starter.Profiles[i%len(starter.Profiles)]
		t.Run(name+" "+profile, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "new")
			for _, args := range [][]string{{"init", "--name", name, "--profile", profile, dir}, {"-C", dir, "check", "--fail-on=warning"}, {"-C", dir, "eval"}} {
				var stdout, stderr bytes.Buffer
				if code := run(args, strings.NewReader(""), &stdout, &stderr); code != exitDone {
					t.Fatalf("%q: exit %d\n%s%s", args, code, &stdout, &stderr)
				}
				if args[len(args)-1] == "--fail-on=warning" && !strings.HasSuffix(stdout.String(), "0 errors, 0 warnings, 0 remarks\n") {
					t.Errorf("check says\n%s", &stdout)
				}
			}
		})
	}
}

// Of several runs at once in one directory one writes, and the others find its
// pack there: whole, or not at all.
func TestFaultInitAtOnce(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"new", "."} {
		for range 2 {
			dir := filepath.Join(t.TempDir(), where)
			codes := make([]int, 8)
			var running sync.WaitGroup
			for i := range codes {
				running.Go(func() {
					codes[i] = run([]string{"init", "--profile", starter.Profiles[i%2], dir}, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{})
				})
			}
			running.Wait()
			var stdout, stderr bytes.Buffer
			code := run([]string{"-C", dir, "check", "--fail-on=warning"}, strings.NewReader(""), &stdout, &stderr)
			if code != exitDone || !slices.Contains(codes, exitDone) {
				t.Errorf("runs ended with %d, and check says\n%s%s", codes, &stdout, &stderr)
			}
			got := map[string]bool{}
			err := fs.WalkDir(os.DirFS(dir), ".", func(name string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() && !strings.HasPrefix(name, ".packgen/") {
					got[name] = true
				}
				return err
			})
			oktest.Check(t, err)
			for i := range 2 {
				files := oktest.Value(starter.FilesOf("handbook", starter.Profiles[i]))(t)
				whole := len(got) == len(files) && !slices.ContainsFunc(files, func(f starter.File) bool { return !got[f.Path] })
				if wrote := slices.Contains([]int{codes[i], codes[i+2], codes[i+4], codes[i+6]}, exitDone); wrote != whole {
					t.Errorf("%s: a run wrote: %v, all of it is there and nothing else: %v", starter.Profiles[i], wrote, whole)
				}
			}
		}
	}
}
