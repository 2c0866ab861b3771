package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// again builds a repository and reports whether that was told from memory.
func again(t *testing.T, dir string, args ...string) (recalled bool, stdout string) {
	t.Helper()
	return againIn(t, nil, dir, args...)
}

// againIn is again in another environment.
func againIn(t *testing.T, env map[string]string, dir string, args ...string) (recalled bool, stdout string) {
	t.Helper()
	code, stdout, stderr := runIn(t, env, append([]string{"-C", dir, "build"}, args...)...)
	if code != exitDone {
		t.Fatalf("build %v: exit %d\n%s%s", args, code, stdout, stderr)
	}
	return !strings.Contains(stderr, "compile "), stdout
}

// untilRecalled builds until nothing is left to do and the times of all files are
// old enough to be believed.
func untilRecalled(t *testing.T, dir string) string {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < 30*time.Second; time.Sleep(30 * time.Millisecond) {
		if recalled, out := again(t, dir); recalled {
			return out
		}
	}
	t.Fatal("no build was told from memory")
	return ""
}

func memoryRepo(t *testing.T) (dir string, c *crasher) {
	t.Helper()
	c = &crasher{tb: t, pack: crashPack}
	dir = filepath.Join(t.TempDir(), "repo")
	c.repo(dir, 0)
	write(t, dir, "packgen.yaml", "title: One\n")
	return dir, c
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	full := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestBuildThatChangesNothingIsToldFromMemory(t *testing.T) {
	t.Parallel()
	dir, c := memoryRepo(t)
	again(t, dir)
	_, want := again(t, dir)
	tree := c.tree(dir)
	if got := untilRecalled(t, dir); got != want {
		t.Errorf("from memory:\n%s\nwant:\n%s", got, want)
	}
	if !maps.Equal(tree, c.tree(dir)) {
		t.Error("files have changed")
	}
	for _, flag := range []string{"--dry-run", "--force", "-v"} {
		if recalled, _ := again(t, dir, flag); recalled {
			t.Errorf("build %s was told from memory", flag)
		}
	}
}

// Whatever a build rests on, and whatever it wrote, defeats the memory when it is
// not as it was.
func TestAnyChangeDefeatsTheMemory(t *testing.T) {
	t.Parallel()
	const page = "packs/p/wiki/b.md"
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, dir string)
		args   []string
		env    map[string]string
	}{
		{"a page of the same size", func(t *testing.T, dir string) { write(t, dir, page, "# B\n\nText of c.\n") }, nil, nil},
		{"a page that is touched", func(t *testing.T, dir string) {
			if err := os.Chtimes(filepath.Join(dir, page), time.Unix(1, 0), time.Unix(1, 0)); err != nil {
				t.Fatal(err)
			}
		}, nil, nil},
		{"a new page", func(t *testing.T, dir string) { write(t, dir, "packs/p/wiki/z.md", "# Z\n") }, nil, nil},
		{"a page that is gone", func(t *testing.T, dir string) { remove(t, dir, "packs/p/wiki/gone.md") }, nil, nil},
		{"a source", func(t *testing.T, dir string) { write(t, dir, "packs/p/sources/s.md", "two\ntwo\n") }, nil, nil},
		{"an eval", func(t *testing.T, dir string) { write(t, dir, "packs/p/evals/x.yaml", "a: b\n") }, nil, nil},
		{"a new pack", func(t *testing.T, dir string) {
			write(t, dir, "packs/q/KNOWLEDGE.md", strings.Replace(strings.Replace(crashEntry, "name: p", "name: q", 1), "  primaryDocument: documents/d.md\n", "  x: y\n", 1))
			write(t, dir, "packs/q/wiki/q.md", "# Q\n")
		}, nil, nil},
		{"the configuration", func(t *testing.T, dir string) { write(t, dir, "packgen.yaml", "title: Two\n") }, nil, nil},
		{"a stylesheet", func(t *testing.T, dir string) {
			write(t, dir, "own/site.css", "body { color: red }\n")
			write(t, dir, "packgen.yaml", "title: One\nsite:\n  css: own/site.css\n")
		}, nil, nil},
		{"the environment", func(*testing.T, string) {}, nil, map[string]string{"PACKGEN_TITLE": "Three"}},
		{"the time", func(*testing.T, string) {}, nil, map[string]string{"SOURCE_DATE_EPOCH": "1767225600"}},
		{"another directory", func(*testing.T, string) {}, []string{"--out", "other"}, nil},
		{"an edited view", func(t *testing.T, dir string) { write(t, dir, "packs/p/compiled/briefing.md", "Mine.\n") }, nil, nil},
		{"a run that is gone", func(t *testing.T, dir string) { remove(t, dir, "packs/p/runs") }, nil, nil},
		{"a page of the site of the same size", func(t *testing.T, dir string) {
			name := filepath.Join(dir, "public", "index.html")
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2] ^= 1
			write(t, dir, "public/index.html", string(data))
		}, nil, nil},
		{"a file of the site that is gone", func(t *testing.T, dir string) { remove(t, dir, "public/llms.txt") }, nil, nil},
		{"a damaged memory", func(t *testing.T, dir string) { write(t, dir, stateName+"/"+memoryName, "x") }, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir, c := memoryRepo(t)
			untilRecalled(t, dir)
			tt.change(t, dir)
			if recalled, _ := againIn(t, tt.env, dir, tt.args...); recalled {
				t.Fatal("the build was told from memory")
			}
			got := c.tree(dir)
			remove(t, dir, stateName)
			if recalled, _ := againIn(t, tt.env, dir, tt.args...); recalled {
				t.Fatal("a build without a memory was told from it")
			}
			if !maps.Equal(got, c.tree(dir)) {
				t.Error("a build without a memory gives another tree")
			}
		})
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// Lists of texts are told apart by where each text ends.
func TestTasksThatReadAlikeJoinedDefeatTheMemory(t *testing.T) {
	t.Parallel()
	dir, c := memoryRepo(t)
	write(t, dir, "packgen.yaml", "site:\n  examples: [fill the kettle]\n")
	untilRecalled(t, dir)
	write(t, dir, "packgen.yaml", "site:\n  examples: [fill, the kettle]\n")
	if recalled, _ := again(t, dir); recalled {
		t.Error("the build was told from memory")
	}
	got := c.tree(dir)
	remove(t, dir, stateName)
	again(t, dir)
	if !maps.Equal(got, c.tree(dir)) {
		t.Error("a build without a memory gives another tree")
	}
}
