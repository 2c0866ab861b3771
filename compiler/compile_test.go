package compiler

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// clock is the time of all runs in tests.
var clock = time.Date(2026, 6, 1, 8, 0, 0, 0, time.UTC)

// tree is a set of files by slash path.
type tree map[string]string

// with returns the tree with other files laid over it; an empty path list is
// fine, and a value of "-" removes a file.
func (t tree) with(more tree) tree {
	out := maps.Clone(t)
	for name, text := range more {
		if text == "-" {
			delete(out, name)
		} else {
			out[name] = text
		}
	}
	return out
}

// write puts a tree into a directory.
func (t tree) write(tb testing.TB, dir string) {
	tb.Helper()
	oktest.Write(tb, dir, t)
}

// readTree reads every file below a directory, hidden ones left out.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	t := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		t[filepath.ToSlash(rel)] = string(data)
		return err
	})
	oktest.Check(tb, err)
	return t
}

// only returns the files below some directories.
func (t tree) only(dirs ...string) tree {
	out := tree{}
	for name, text := range t {
		if dir, _, _ := strings.Cut(name, "/"); slices.Contains(dirs, dir) {
			out[name] = text
		}
	}
	return out
}

// entry is the KNOWLEDGE.md of a pack called "p".
func entry(profile, grounding string, more ...string) string {
	lines := []string{
		"---", "name: p", "description: A pack for tests. Use it when a rule needs an example.",
		"type: domain-reference", "status: ready", "profile: " + profile,
	}
	if grounding != "" {
		lines = append(lines, "grounding: "+grounding)
	}
	text := strings.Join(append(lines, append(more, "---", "", "# P", "")...), "\n")
	const apart = "metadata:\n  compile: {join: 0}\n" // most tests look at each section by itself
	if head, rest, ok := strings.Cut(text, "metadata:\n"); ok {
		return head + apart + rest
	}
	return strings.Replace(text, "\n---\n", "\n"+apart+"---\n", 1)
}

// joining is an entry of a pack whose small sections are joined.
func joining(entry string) string {
	return strings.Replace(entry, "  compile: {join: 0}", "  own: {}", 1)
}

// packDir writes a pack called "p" into a fresh directory.
func packDir(tb testing.TB, files tree) string {
	tb.Helper()
	dir := filepath.Join(tb.TempDir(), "p")
	files.write(tb, dir)
	return dir
}

// compileDir opens and compiles a pack directory. The zero time of the options
// is the clock of the tests.
func compileDir(tb testing.TB, dir string, o Options) *Result {
	tb.Helper()
	r, err := tryCompile(tb, context.Background(), dir, o)
	if err != nil {
		tb.Fatalf("Compile: %v", err)
	}
	return r
}

func tryCompile(tb testing.TB, ctx context.Context, dir string, o Options) (*Result, error) {
	tb.Helper()
	p, found, err := pack.Open(dir)
	if err != nil {
		tb.Fatalf("Open: %v", err)
	}
	if p == nil {
		tb.Fatalf("Open: %v", found)
	}
	defer p.Close()
	o.Opened = append(found, o.Opened...)
	if o.Now.IsZero() {
		o.Now = clock
	}
	return Compile(ctx, p, o)
}

// compileFiles compiles a pack that holds some files.
func compileFiles(tb testing.TB, files tree) (*Result, tree) {
	tb.Helper()
	dir := packDir(tb, files)
	r := compileDir(tb, dir, Options{})
	return r, readTree(tb, dir)
}

// found lists the recorded diagnostics as "path [id] message".
func found(r *Result) []string {
	list := []string{}
	for _, d := range r.Run.Diagnostics {
		list = append(list, d.Path+" "+d.Message)
	}
	return list
}

// claims lists the claims as "status text <- anchor".
func claims(r *Result) []string {
	list := []string{}
	for _, c := range r.SourceMap.Claims {
		line := string(c.Status) + " " + c.Text
		if c.Source.Path != "" {
			line += " <- " + anchor{c.Source.Path, c.Source.Anchor}.String()
		}
		list = append(list, line)
	}
	return list
}

// splits lists the splits as "id|title".
func splits(r *Result) []string {
	list := []string{}
	for _, s := range r.Index.Splits {
		list = append(list, s.ID+"|"+s.Title)
	}
	return list
}

// sameStrings compares two lists.
func sameStrings(tb testing.TB, what string, got, want []string) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("%s:\n got  %s\n want %s", what, strings.Join(got, "\n      "), strings.Join(want, "\n      "))
	}
}

// sameTree compares two sets of files and names every difference.
func sameTree(tb testing.TB, what string, got, want tree) {
	tb.Helper()
	for _, name := range sortedKeys(want) {
		text, ok := got[name]
		switch {
		case !ok:
			tb.Errorf("%s: %s is missing", what, name)
		case text != want[name]:
			tb.Errorf("%s: %s differs\n--- got\n%s\n--- want\n%s", what, name, text, want[name])
		}
	}
	for _, name := range sortedKeys(got) {
		if _, ok := want[name]; !ok {
			tb.Errorf("%s: %s should not be there:\n%s", what, name, got[name])
		}
	}
}

// checkRecords decodes the records of a pack and checks that everything they
// name exists.
func checkRecords(tb testing.TB, files tree, r *Result) {
	tb.Helper()
	if _, err := schema.DecodeIndex([]byte(files[indexPath])); err != nil {
		tb.Errorf("%s: %v", indexPath, err)
	}
	if _, err := schema.DecodeSourceMap([]byte(files[sourceMapPath])); err != nil {
		tb.Errorf("%s: %v", sourceMapPath, err)
	}
	if r.RunPath != "" {
		if _, err := schema.DecodeRun([]byte(files[r.RunPath])); err != nil {
			tb.Errorf("%s: %v", r.RunPath, err)
		}
	}
	ids := map[string]bool{}
	for _, c := range r.SourceMap.Claims {
		if ids[c.ClaimID] {
			tb.Errorf("claim id %s is used twice", c.ClaimID)
		}
		ids[c.ClaimID] = true
		for _, name := range c.CompiledInto {
			if name, _, _ = strings.Cut(name, "#"); files[name] == "" {
				tb.Errorf("claim %s was compiled into %s, which does not exist", c.ClaimID, name)
			}
		}
	}
	for _, s := range r.Index.Splits {
		if files[s.Path] == "" {
			tb.Errorf("split %s does not exist", s.Path)
		}
	}
}

// A store is shared by machines: the same program must have the same identity on each.
func TestACopyOfTheProgramIsTheSameProgram(t *testing.T) {
	name := oktest.Value(os.Executable())(t)
	data := oktest.Value(os.ReadFile(name))(t)
	other := filepath.Join(t.TempDir(), "copy")
	oktest.Check(t, os.WriteFile(other, data, 0o777))
	long := time.Now().Add(-1000 * time.Hour)
	oktest.Check(t, os.Chtimes(other, long, long))
	if got := programAt(other); got == "" || got != Program() {
		t.Errorf("the copy is %q, the program %q", got, Program())
	}
	if linkedID(data[:min(len(data), idWithin)]) == "" {
		t.Error("the id of the linker is not found")
	}
}

func TestAProgramWithoutAnIDIsKnownByItsContent(t *testing.T) {
	dir := t.TempDir()
	id := func(text string) string {
		name := filepath.Join(dir, "program")
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o777))
		return programAt(name)
	}
	if a, b := id("one"), id("two"); a == "" || a == b || a != id("one") {
		t.Errorf("programs are known as %q and %q", a, b)
	}
	long := strings.Repeat("x", idWithin)
	if id(long+"a") == id(long+"b") {
		t.Error("the end of a program does not count")
	}
	if id(id("a")) == "" {
		t.Error("text of an id is a program, too")
	}
}

func TestAMarkOfTheLinkerIsFoundInFilesOfOtherSystems(t *testing.T) {
	if got := linkedID([]byte("MZ....\xff Go build ID: \"a/b\"\n \xff code")); got != "a/b" {
		t.Errorf("it is %q", got)
	}
	for _, cut := range []string{"", "\xff Go build ID: \"a/b", "\x04\x00\x00\x00\xff\xff\xff\xff\x04\x00\x00\x00Go\x00\x00x", "\x04\x00\x00\x00Go\x00\x00"} {
		if got := linkedID([]byte(cut)); got != "" {
			t.Errorf("%q has the id %q", cut, got)
		}
	}
}
