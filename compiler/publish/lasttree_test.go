package publish

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store"
)

// What the last run wrote can be taken over as it is, remembered or not; a file that
// somebody has touched since cannot.
func TestFilesOfTheLastRunAreKept(t *testing.T) {
	for _, remember := range []bool{false, true} {
		o := options(t, "manifest.json")
		o.Remember = remember
		mustPublish(t, o, map[string]string{"a/x": "one", "a/y": "two", "a/z": "three", "ab": "four", "b/x": "five"})
		oktest.Write(t, o.Target, map[string]string{"a/y": "TWO", "a/other": "somebody's"})
		oktest.Check(t, os.Remove(filepath.Join(o.Target, "a/z")))
		tx := oktest.Value(Begin(context.Background(), o))(t)
		if diff := cmp.Diff([]string{"a/x", "a/y", "a/z"}, tx.Last("a/")); diff != "" {
			t.Errorf("files of a/ (-want +got):\n%s", diff)
		}
		for path, want := range map[string]bool{"a/x": true, "a/y": false, "a/z": false, "a/other": false, "manifest.json": false} {
			if data, err := tx.ReadLast(path); (err == nil) != want || want && string(data) != "one" {
				t.Errorf("remember %t: %s is read as %q, %v", remember, path, data, err)
			}
			last, got := tx.LastSum(path)
			if got = got && tx.Keep(last); got != want {
				t.Errorf("remember %t: %s is kept: %t", remember, path, got)
			}
		}
		if _, err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		got := tree(t, o.Target)
		delete(got, "manifest.json")
		if diff := cmp.Diff(map[string]string{"a/x": "one", "a/other": "somebody's"}, got); diff != "" {
			t.Errorf("the target (-want +got):\n%s", diff)
		}
		if sum := mustPublish(t, o, map[string]string{"a/x": "one"}); sum.Unchanged.Files != 2 || len(slices.Collect(sum.Paths())) != 0 {
			t.Errorf("the kept file is no longer known: %+v", sum)
		}
	}
}

// decodeManifest reads all of a manifest.
func decodeManifest(data []byte) ([]store.File, error) {
	var list []store.File
	for f, err := range newManifestReader(bytes.NewReader(data)).files {
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

func TestAManifestIsReadAsWhatItIs(t *testing.T) {
	sum := fmt.Sprintf("%x", sha256.Sum256(nil))
	file := func(path string) string { return `{"path":"` + path + `","size":1,"sha256":"` + sum + `"}` }
	long := strings.Repeat("x", 4*maxManifestFile)
	for _, c := range []struct{ what, text, want string }{
		{"two files", `{"schema_version":1,"files":[` + file("a") + ",\n" + file("b") + `]}`, ""},
		{"the version after the files", `{"files":[` + file("a") + `],"schema_version":1}`, ""},
		{"no file", `{"schema_version":1,"files":[]}`, ""},
		{"another version", `{"schema_version":2,"files":[]}`, "schema_version is 2"},
		{"no version", `{"files":[]}`, "schema_version is 0"},
		{"another key", `{"schema_version":1,"files":[],"more":1}`, "does not belong"},
		{"another key of a file", `{"schema_version":1,"files":[{"path":"a","mode":1}]}`, "unknown field"},
		{"two lists", `{"schema_version":1,"files":[],"files":[]}`, "does not belong"},
		{"a path that leads out", `{"schema_version":1,"files":[` + file("../a") + `]}`, "../a"},
		{"not in order", `{"schema_version":1,"files":[` + file("b") + "," + file("a") + `]}`, "path order"},
		{"a file twice", `{"schema_version":1,"files":[` + file("a") + "," + file("a") + `]}`, "path order"},
		{"no digest", `{"schema_version":1,"files":[{"path":"a","size":1,"sha256":"1"}]}`, "sha256"},
		{"a path without an end", `{"schema_version":1,"files":[{"path":"` + long, "too long"},
		{"a key without an end", `{"` + long, "too long"},
		{"space without an end", `{"schema_version":1,"files":[` + strings.Repeat(" ", 4*maxManifestFile) + `]}`, "too long"},
		{"depth", `{"schema_version":1,"files":[` + strings.Repeat("[", 4*maxManifestFile), "max depth"},
		{"cut off", `{"schema_version":1,"files":[` + file("a"), "EOF"},
		{"a list", `[]`, "expected"},
		{"nothing", ``, "EOF"},
	} {
		_, err := decodeManifest([]byte(c.text))
		if got := fmt.Sprint(err); (err == nil) != (c.want == "") || err != nil && !strings.Contains(got, c.want) {
			t.Errorf("%s: %v, want %q", c.what, err, c.want)
		}
	}
}

// A manifest of any length is read in little memory.
func TestAManifestIsNotHeld(t *testing.T) {
	const files = 200_000
	name := filepath.Join(t.TempDir(), "manifest.json")
	f := oktest.Value(os.Create(name))(t)
	_, _ = io.WriteString(f, `{"schema_version":1,"files":[`)
	var b bytes.Buffer
	for i := range files {
		if b.Reset(); i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n{\"path\":\"packs/pack-%04d/wiki/area/page-%06d.html\",\"size\":%d,\"sha256\":\"%x\"}", i/10000, i, i, sha256.Sum256([]byte{byte(i)}))
		_, _ = f.Write(b.Bytes())
	}
	_, _ = io.WriteString(f, "]}\n")
	oktest.Check(t, f.Close())
	before := inUse()
	list, err := readManifest(newDiskTree(filepath.Dir(name)), "manifest.json")
	if err != nil || list.Len() != files {
		t.Fatal(list.Len(), err)
	}
	defer list.Close()
	held := inUse() - before
	t.Logf("%d bytes a file", held/files)
	if held > 16*files+(6<<20) {
		t.Errorf("%d bytes are held of %d files", held, files)
	}
	for _, i := range []int{0, 77_777, files - 1} {
		path := fmt.Sprintf("packs/pack-%04d/wiki/area/page-%06d.html", i/10000, i)
		if f := list.Find(path); f == nil || f.Stat.Size != int64(i) || f.Sum != sha256.Sum256([]byte{byte(i)}) {
			t.Errorf("%s is %v", path, f)
		}
	}
}

// inUse is how many bytes are in use.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Of a file of the new tree little is held.
func TestLittleIsHeldOfAFileOfANewTree(t *testing.T) {
	if testing.Short() {
		t.Skip("many files")
	}
	e := newEntries()
	defer e.close()
	const files = 400_000
	before := inUse()
	for i := range files {
		path := fmt.Sprintf("packs/pack-%04d/wiki/area-%02d/page-%07d.html", i/20000, i/1000%20, i*7919%files)
		e.add(&entry{path: path, size: int64(i), stat: &store.Stat{Size: int64(i)}, change: Unchanged}, path)
	}
	held := inUse() - before
	t.Logf("%d bytes a file", held/files)
	if held > 24*files+3*(3<<20) {
		t.Errorf("%d bytes are held of %d files", held, files)
	}
	last, n := "", 0
	for e := range e.inOrder().all {
		if e.path <= last || e.stat == nil || e.stat.Size != e.size {
			t.Fatalf("%s of %d bytes follows %s", e.path, e.size, last)
		}
		last = e.path
		n++
	}
	if n != files || e.err != nil {
		t.Error(n, e.err)
	}
}
