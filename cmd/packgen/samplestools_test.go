package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// draw compares a drawing of a tree with the files that exist. A place in it
// may be a path of several names.
func (p *samplePage) draw(ts *testscript.TestScript, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: draw LANGUAGE DIR")
	}
	f, text := p.next(ts, args[0])
	var want, above []string
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if i == 0 {
			continue // the name of the tree
		}
		bare := strings.TrimLeft(line, "│├└─ \u00a0")
		const step = 4 // characters of one level
		depth := (len([]rune(line)) - len([]rune(bare))) / step
		above = append(above[:min(len(above), depth-1)], strings.TrimSuffix(bare, "/"))
		if !strings.HasSuffix(bare, "/") {
			want = append(want, path.Join(above...))
		}
	}
	var got []string
	ts.Check(fs.WalkDir(os.DirFS(ts.MkAbs(args[1])), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			got = append(got, name)
		}
		return err
	}))
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		ts.Fatalf("%s:%d draws\n%s\nand there are\n%s", p.name, f.line, strings.Join(want, "\n"), strings.Join(got, "\n"))
	}
}

// rebuilt writes the line that packgen serve prints when a file changes.
func rebuilt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 4 {
		ts.Fatalf("usage: rebuilt OUT FILE OLD NEW")
	}
	cmd := exec.Command(lookPath(ts, "packgen"), "serve", "--port", "0")
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	var out lineLog
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}()
	ready := out.await(ts, func(line string) bool { return strings.Contains(line, "http://") })
	replaceText(ts, false, args[1:])
	line := out.await(ts, func(line string) bool { return strings.HasPrefix(line, args[1]) && line != ready })
	writeIn(ts, args[0], line+"\n")
}

// lineLog keeps what a command prints.
type lineLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// await returns the first whole line that is wanted.
func (l *lineLog) await(ts *testscript.TestScript, want func(line string) bool) string {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		l.mu.Lock()
		text := l.text.String()
		l.mu.Unlock()
		for line := range strings.Lines(text) {
			if whole, ok := strings.CutSuffix(line, "\n"); ok && want(whole) {
				return whole
			}
		}
	}
	ts.Fatalf("waited in vain; printed is\n%s", l.text.String())
	return ""
}

// copyOwnPacks copies the packs of this repository and their configuration.
func copyOwnPacks(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: own")
	}
	ts.Check(os.CopyFS(ts.MkAbs("packs"), os.DirFS("../../packs")))
	text, err := os.ReadFile("../../packgen.yaml")
	ts.Check(err)
	writeIn(ts, "packgen.yaml", string(text))
}

// findingOf writes the findings of one rule, each with its hint.
func findingOf(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: finding ID FILE ARG…")
	}
	if err := ts.Exec("packgen", args[2:]...); err != nil {
		ts.Logf("%v", err)
	}
	var out strings.Builder
	about := false
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if !strings.HasPrefix(line, " ") {
			about = strings.HasSuffix(line, " ["+args[0]+"]\n")
		}
		if about {
			out.WriteString(line)
		}
	}
	if out.Len() == 0 {
		ts.Fatalf("no finding of %s", args[0])
	}
	writeIn(ts, args[1], out.String())
}

// zipOfZeros writes an archive that unpacks to much more than it is.
func zipOfZeros(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: zeros FILE NAME MIB")
	}
	var buf bytes.Buffer
	archive := zip.NewWriter(&buf)
	w, err := archive.Create(args[1])
	ts.Check(err)
	size, err := strconv.Atoi(args[2])
	ts.Check(err)
	for range size {
		_, err := w.Write(make([]byte, 1<<20))
		ts.Check(err)
	}
	ts.Check(archive.Close())
	writeIn(ts, args[0], buf.String())
}

// jsonPart writes a part of a JSON file, with the order of its keys.
func jsonPart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: part FILE PATH OUT")
	}
	part := json.RawMessage(ts.ReadFile(args[0]))
	for step := range strings.SplitSeq(args[1], ".") {
		var list []json.RawMessage
		var object map[string]json.RawMessage
		switch {
		case json.Unmarshal(part, &object) == nil:
			part = object[step]
		case json.Unmarshal(part, &list) == nil:
			for i := range list {
				if step == itoa(i) {
					part = list[i]
				}
			}
		}
		if part == nil {
			ts.Fatalf("%s has no %s", args[0], args[1])
		}
	}
	var out bytes.Buffer
	ts.Check(json.Indent(&out, part, "", "  "))
	writeIn(ts, args[2], out.String()+"\n")
}

// replaceText replaces the one place of a file that has a text.
func replaceText(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	old, fresh := strings.ReplaceAll(args[1], `\n`, "\n"), strings.ReplaceAll(args[2], `\n`, "\n")
	if strings.Count(text, old) != 1 {
		ts.Fatalf("%s has %q %d times", args[0], old, strings.Count(text, old))
	}
	writeIn(ts, args[0], strings.Replace(text, old, fresh, 1))
}
