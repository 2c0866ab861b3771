//go:build unix

package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// onePackFaults are things that may be wrong with the files of one pack, by what they are:
// each gets the directory of the pack.
func onePackFaults() map[string]func(dir string) error {
	pipe := func(name string) func(string) error {
		return func(dir string) error {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.RemoveAll(at); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				return err
			}
			return syscall.Mkfifo(at, 0o666)
		}
	}
	page := func(names ...string) func(string) error {
		return func(dir string) error {
			at := filepath.Join(append([]string{dir, "documents"}, names...)...)
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				return err
			}
			return os.WriteFile(at, []byte("# A\n\n## B\n\nText.\n"), 0o666)
		}
	}
	large := func(name string, size int64) func(string) error {
		return func(dir string) error {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
				return err
			}
			f, err := os.OpenFile(at, os.O_CREATE|os.O_WRONLY, 0o666)
			return errors.Join(err, f.Truncate(size), f.Close())
		}
	}
	folder := strings.Repeat("a", 200)
	faults := map[string]func(string) error{
		"a page whose outputs have long paths": page(folder, folder, folder, folder, strings.Repeat("b", 190)+".md"),
		"a page with a long name":              page(strings.Repeat("n", 252) + ".md"),
		"a page that is no UTF-8":              page("\xff\xfe.md"),
		"a guide that links to itself": func(dir string) error {
			at := filepath.Join(dir, "KNOWLEDGE.md")
			if err := os.Remove(at); err != nil {
				return err
			}
			return os.Symlink("KNOWLEDGE.md", at)
		},
		"a guide that is a directory": func(dir string) error {
			at := filepath.Join(dir, "KNOWLEDGE.md")
			if err := os.Remove(at); err != nil {
				return err
			}
			return os.Mkdir(at, 0o777)
		},
	}
	faults["a directory that is no UTF-8"] = func(dir string) error { return os.Mkdir(dir+"\xff", 0o777) }
	faults["a guide beside the packs"] = func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "../KNOWLEDGE.md"), nil, 0o666)
	}
	for _, name := range []string{
		"KNOWLEDGE.md", "documents/x.md", "sources", "compiled", "compiled/index.json", "compiled/stray", "compiled/splits", "compiled/splits/guide/fill.md",
		"indexes", "indexes/source-map.json", "runs", "runs/compile-2026-01-01T00-00-00Z.json",
	} {
		faults["a pipe at "+name] = pipe(name)
	}
	faults["a pipe at a page of the site"] = pipe("../../public/packs/bad/index.html")
	faults["a directory at a changed page of the site"] = func(dir string) error {
		at := filepath.Join(dir, "../../public/packs/bad/documents/guide.html")
		return errors.Join(os.Remove(at), os.Mkdir(at, 0o777), os.WriteFile(filepath.Join(at, "mine"), nil, 0o666), os.WriteFile(filepath.Join(dir, "documents/guide.md"), []byte("# Guide\n"), 0o666))
	}
	for _, name := range []string{"evals/context.yaml", "evals/routing.yaml", "evals/discovery.train.json", "documents/large.md"} {
		faults["a large file at "+name] = large(name, 65<<20)
	}
	if os.Getuid() > 0 {
		for _, name := range []string{".", "KNOWLEDGE.md", "documents", "documents/guide.md", "compiled", "compiled/index.json", "runs"} {
			faults["no right to read "+name] = func(dir string) error { return os.Chmod(filepath.Join(dir, name), 0) }
		}
	}
	return faults
}

// expected is what a build with a fault ends with, and what it names. Evals that cannot be
// read are a warning, since the pages do not depend on them.
func expected(fault string) (code int, named string) {
	switch {
	case strings.Contains(fault, "evals/"):
		return exitDone, "packs/bad"
	case strings.Contains(fault, "beside the packs"):
		return exitDone, "packs/KNOWLEDGE.md"
	}
	return exitFindings, "packs/bad"
}

// A fault in the files of one pack is a finding of it: the other pack is built.
func TestAFaultOfOnePackLeavesTheOthers(t *testing.T) {
	faults := onePackFaults()
	for _, what := range slices.Sorted(maps.Keys(faults)) {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "packs/bad"), 0o777) })
			files := map[string]string{"packgen.yaml": "title: T\n"}
			for _, name := range []string{"bad", "good"} {
				for path, text := range packtest.Files(packtest.Options{Name: name, Profile: "hybrid", Pages: 1}) {
					files["packs/"+name+"/"+path] = text
				}
				files["packs/"+name+"/documents/guide.md"] = "# Guide\n\n## Fill\n\nTwo litres.\n"
			}
			oktest.Write(t, dir, files)
			for _, again := range []bool{false, true} {
				if again { // the site has both packs
					oktest.Check(t, os.RemoveAll(filepath.Join(dir, "packs")))
					oktest.Write(t, dir, files)
					if code, stdout, stderr := runIn(t, nil, "-C", dir, "build"); code != exitDone {
						t.Fatal(code, stdout, stderr)
					}
				}
				if !again && strings.Contains(what, "of the site") {
					continue
				}
				oktest.Check(t, faults[what](filepath.Join(dir, "packs/bad")))
				text := "# Guide\n\n## Fill\n\nThree litres.\n"
				oktest.Write(t, dir, map[string]string{"packs/good/documents/guide.md": text})
				code, stdout, stderr := runIn(t, nil, "-C", dir, "build")
				page, err := os.ReadFile(filepath.Join(dir, "public/packs/good/documents/guide.html"))
				want, named := expected(what)
				if code != want || err != nil || !strings.Contains(string(page), "Three litres") {
					t.Errorf("exit %d, %v:\n%s%s", code, err, stdout, stderr)
				}
				if !strings.Contains(stdout+stderr, named) {
					t.Errorf("the pack is not named:\n%s%s", stdout, stderr)
				}
			}
		})
	}
}
