//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// pipeLimit is how long a command may take that meets a pipe: far longer than any
// of them takes, so that only one that waits is cut.
const pipeLimit = 2 * time.Minute

// piped is a repository with all that packgen reads, and what commands make of it
// when one of its files is a pipe.
type piped struct {
	t    *testing.T
	top  string // holds repo, home and cache
	seen int
}

// pipes makes the repository.
func pipes(t *testing.T) *piped {
	t.Helper()
	p := &piped{t: t, top: t.TempDir()}
	for name, text := range map[string]string{
		"repo/packgen.yaml":                "title: Pipes\nroles: packs/*\nsite:\n  css: own/site.css\n  report: home/index.json\n",
		"repo/own/site.css":                "body { color: red }\n",
		"repo/home/index.json":             `{"version":"1.0.0","generated":"2026-01-01T00:00:00.000Z","entries":[{"id":"a","path":"x.md","keywords":["b"],"patterns":[],"priority":"domain","summary":"A","triggers":{},"tokens_est":1,"lines":1}],"budget":{"always_loaded_est":0,"on_demand_total_est":1,"avg_task_load_est":1,"avg_task_load_observed":null}}`,
		"repo/home/usage.jsonl":            `{"timestamp":"2026-01-01T00:00:00.000Z","taskHash":"a","entryId":"a","trigger":"UserPromptSubmit","mode":"lazy","score":1,"tokensEst":1}` + "\n",
		"repo/home/misses.jsonl":           `{"timestamp":"2026-01-01T00:00:00.000Z","words":["zebra"]}` + "\n",
		"repo/packs/p/KNOWLEDGE.md":        packgentest.Entry,
		"repo/packs/p/boot.yml":            "always:\n  briefs:\n    say:\n      - documents/d.md\n",
		"repo/packs/p/evals/routing.json":  `{"cases":[]}`,
		"repo/packs/p/skills/look.sh":      "#!/bin/sh\n# Looks.\n",
		"repo/packs/p/ontology/terms.json": "{}",
		"repo/CLAUDE.md":                   packgentest.Instructions(),
		"repo/memory/MEMORY.md":            "- Topic — about → `topic.md`\n",
		"repo/memory/topic.md":             "---\nid: topic\nkeywords: [topic]\n---\n# Topic\n",
		"repo/Makefile":                    "all:\n",
		"repo/.gitignore":                  "/public/\n",
	} {
		writeText(t, filepath.Join(p.top, filepath.FromSlash(name)), text)
	}
	for name, text := range packgentest.Pages[0] {
		writeText(t, filepath.Join(p.top, "repo/packs/p", filepath.FromSlash(name)), text)
	}
	for _, args := range [][]string{
		{"build", "-q"}, {"pull", "public/packs/p/pack.tar.gz"}, {"rules", "split", "--yes"},
		{"memory", "publish", "--store", "memory"}, {"hook", "install"}, {"hook", "--record-misses"},
	} {
		if code, out := p.run(args...); code != exitDone {
			t.Fatalf("packgen %s: exit code %d\n%s", strings.Join(args, " "), code, out)
		}
	}
	return p
}

// run runs a command in the repository. It fails the test when that does not end.
func (p *piped) run(args ...string) (code int, out string) {
	p.t.Helper()
	values := map[string]string{"HOME": filepath.Join(p.top, "home"), repo.CacheVariable: filepath.Join(p.top, "cache"), "NO_COLOR": "1"}
	late := time.NewTimer(pipeLimit)
	defer late.Stop()
	done := make(chan func() (int, string), 1)
	stop := func() {}
	if needsHome(args[0]) {
		cmd := exec.Command(program(p.t), args...)
		cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(p.top, "repo"), os.Environ(), strings.NewReader(`{"prompt":"the topic of b, and a zebra"}`)
		for name, value := range values {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
		stop = func() { _ = cmd.Process.Kill() }
		go func() {
			text, err := cmd.CombinedOutput()
			done <- func() (int, string) {
				var exit *exec.ExitError
				if err != nil && !errors.As(err, &exit) {
					p.t.Fatal(err)
				}
				return cmd.ProcessState.ExitCode(), string(text)
			}
		}()
	} else {
		go func() {
			code, stdout, stderr := runIn(p.t, values, append([]string{"-C", filepath.Join(p.top, "repo")}, args...)...)
			done <- func() (int, string) { return code, stdout + stderr }
		}()
	}
	select {
	case ended := <-done:
		return ended()
	case <-late.C:
		stop()
		p.t.Fatalf("packgen %s waits", strings.Join(args, " "))
		return 0, ""
	}
}

// needsHome reports whether a command reads what is below the home directory of its
// process: then it is one of its own.
func needsHome(verb string) bool {
	return slices.Contains([]string{"hook", "plan", "layers", "usage", "memory", "doctor"}, verb)
}

// fileKind is the same for files that are read by the same code.
func fileKind(file string) string {
	switch dir := path.Dir(file); dir {
	case "repo", "repo/public", "repo/home", "repo/memory", "home/.ai-loadout":
		return file
	}
	file = regexp.MustCompile(`(/splits|/assets)/.*`).ReplaceAllString(file, "$1")
	file = regexp.MustCompile(`[0-9a-f]{16,}(-[0-9]+)?`).ReplaceAllString(file, "hash")
	return path.Dir(file) + "/*" + path.Ext(file)
}

// files lists the files of the repository, the home and the cache, one of a kind.
func (p *piped) files() []string {
	p.t.Helper()
	kinds := map[string]bool{}
	var list []string
	err := filepath.WalkDir(p.top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(p.top, name)
		rel = filepath.ToSlash(rel)
		if kind := fileKind(rel); !kinds[kind] {
			kinds[kind] = true
			list = append(list, rel)
		}
		return err
	})
	oktest.Check(p.t, err)
	return list
}

// readers are the commands that may read a file.
func readers(file string) [][]string {
	packs := [][]string{
		{"check"}, {"resolve", "text of b"}, {"activate", "p"}, {"eval"}, {"pack", "p", "--dry-run"}, {"boot", "packs/p"},
		{"check", "--record", "../" + file}, {"compile"}, {"prune", "runs", "--dry-run"}, {"build"},
	}
	elsewhere := [][]string{{"resolve", "--from", "p", "text of b"}, {"pull"}, {"prune", "cache", "--dry-run"}, {"pull", "--update"}}
	agents := [][]string{
		{"hook"}, {"plan", "topic"}, {"usage", "summary"}, {"memory", "check", "memory"}, {"rules", "check"}, {"rules", "analyze"},
		{"doctor", "--store", "memory"}, {"hook", "uninstall", "--dry-run"}, {"memory", "publish", "--store", "memory"},
	}
	site := [][]string{{"match", "text"}, {"verify", "public"}, {"diff", "public", "public"}, {"match", "--from", "public", "text"}, {"pull", "public"}, {"build"}}
	switch {
	case strings.HasPrefix(file, "repo/public/"):
		return site
	case strings.HasPrefix(file, "cache/"), file == "repo/packgen.lock":
		return elsewhere
	case strings.HasPrefix(file, "home/"), strings.HasPrefix(file, "repo/memory/"), strings.HasPrefix(file, "repo/.claude/"), file == "repo/CLAUDE.md":
		return agents
	case strings.HasPrefix(file, "repo/packs/"):
		return packs
	case strings.HasPrefix(file, "repo/home/"):
		return [][]string{{"usage", "report", "--index", "home/index.json"}, {"build"}}
	}
	return [][]string{{"check"}, {"init", "--dry-run"}, {"match", "text"}, {"build"}}
}

// Whatever file is a pipe, of the repository, its state, its site, the home and the
// cache: every command that reads it ends.
func TestFaultNoCommandWaitsForAPipe(t *testing.T) {
	t.Parallel()
	p := pipes(t)
	for _, file := range p.files() {
		name := filepath.Join(p.top, filepath.FromSlash(file))
		text, err := os.ReadFile(name)
		if err != nil {
			continue // a command before has removed it
		}
		for _, args := range readers(file) {
			// What the command before it made takes the place of the pipe, or not.
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			oktest.Check(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), syscall.Mkfifo(name, 0o666)))
			p.seen++
			code, out := p.run(args...)
			if code > exitMismatch || strings.Contains(out, "goroutine ") {
				t.Errorf("%s is a pipe: packgen %s: exit code %d\n%s", file, strings.Join(args, " "), code, out)
			}
		}
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		writeText(t, name, string(text))
	}
	t.Logf("%d runs", p.seen)
	if p.seen < 200 {
		t.Errorf("only %d runs", p.seen)
	}
}
