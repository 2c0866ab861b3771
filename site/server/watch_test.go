package server

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// patience is how long a test waits for what must come; it does not measure how
// fast it comes.
const patience = 20 * time.Second

// writeFile writes a file, with the directories above it.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	oktest.Check(t, os.MkdirAll(filepath.Dir(path), 0o777))
	oktest.Check(t, os.WriteFile(path, []byte(text), 0o666))
}

// until reads changes until one names the path.
func until(t *testing.T, changes <-chan Change, path string) {
	t.Helper()
	limit := time.After(patience)
	var seen []string
	for {
		select {
		case c, ok := <-changes:
			if !ok {
				t.Fatal("the watch ended")
			}
			if slices.Contains(c.Paths, path) || c.Rescan {
				return
			}
			seen = append(seen, c.Paths...)
		case <-limit:
			t.Fatalf("no change of %s is reported, only %v", path, seen)
		}
	}
}

func TestWatchReportsWhatEditorsDo(t *testing.T) {
	for _, poll := range []bool{false, true} {
		t.Run(fmt.Sprintf("poll=%v", poll), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			docs, config := filepath.Join(dir, "docs"), filepath.Join(dir, "packgen.yaml")
			page := filepath.Join(docs, "a", "page.md")
			writeFile(t, page, "one")
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			changes := oktest.Value(watch(ctx, WatchOptions{Dirs: []string{docs}, Files: []string{config}, Poll: poll, Every: 10 * time.Millisecond}))(t)
			writeFile(t, page, "two, longer")
			until(t, changes, page)

			// Saved by a new file that takes the place of the old one.
			next := filepath.Join(dir, "next")
			writeFile(t, next, "three, longer still")
			oktest.Check(t, os.Rename(next, page))
			until(t, changes, page)

			// A directory that comes with content, and a change in it later.
			inside := filepath.Join(docs, "new", "deep", "x.md")
			writeFile(t, inside, "x")
			until(t, changes, map[bool]string{false: filepath.Join(docs, "new"), true: inside}[poll])
			writeFile(t, inside, "x, longer")
			until(t, changes, inside)

			writeFile(t, config, "title: x\n")
			until(t, changes, config)

			oktest.Check(t, os.Remove(page))
			until(t, changes, page)
			cancel()
			for range changes {
			}
		})
	}
}

func TestWatchLeavesOut(t *testing.T) {
	dir := t.TempDir()
	hidden, ignored, wanted := filepath.Join(dir, ".git", "index"), filepath.Join(dir, "compiled", "x.md"), filepath.Join(dir, "page.md")
	for _, path := range []string{hidden, ignored, wanted} {
		writeFile(t, path, "one")
	}
	o := WatchOptions{Dirs: []string{dir}, Ignore: func(path string) bool {
		return filepath.Base(path) == "compiled" || filepath.Base(filepath.Dir(path)) == "compiled"
	}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes := oktest.Value(watch(ctx, o))(t)
	writeFile(t, hidden, "two")
	writeFile(t, ignored, "two")
	writeFile(t, wanted, "two")
	select {
	case c := <-changes:
		if !slices.Equal(c.Paths, []string{wanted}) {
			t.Errorf("reported %v, want %s alone", c.Paths, wanted)
		}
	case <-time.After(patience):
		t.Fatal("no change is reported")
	}
}

// A branch switch touches thousands of files: nothing is lost, and one or a few
// changes say so.
func TestWatchTakesThousandsOfFiles(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	changes := oktest.Value(watch(ctx, WatchOptions{Dirs: []string{dir}}))(t)
	const files = 3000
	want := map[string]bool{}
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("p%d.md", i))
		want[path] = true
		oktest.Check(t, os.WriteFile(path, []byte("x"), 0o666))
	}
	limit := time.After(patience)
	for len(want) > 0 {
		select {
		case c := <-changes:
			if c.Rescan {
				return
			}
			for _, path := range c.Paths {
				delete(want, path)
			}
		case <-limit:
			t.Fatalf("%d of %d files are not reported", len(want), files)
		}
	}
}

// A watched folder may be replaced by another one, or come back after it was removed: edits in
// it are seen as before.
func TestWatchFollowsAReplacedFolder(t *testing.T) {
	for _, tt := range []struct {
		name    string
		replace func(t *testing.T, dir string) // dir/docs, with page.md, by another one
	}{
		{"by a rename", func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "new", "page.md"), "two")
			rename(t, filepath.Join(dir, "docs"), filepath.Join(dir, "old"))
			rename(t, filepath.Join(dir, "new"), filepath.Join(dir, "docs"))
		}},
		{"removed and made again", func(t *testing.T, dir string) {
			oktest.Check(t, os.RemoveAll(filepath.Join(dir, "docs")))
			writeFile(t, filepath.Join(dir, "docs", "page.md"), "two")
		}},
		{"with the folder above it", func(t *testing.T, dir string) {
			rename(t, dir, dir+".old")
			writeFile(t, filepath.Join(dir, "docs", "page.md"), "two")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "repo")
			docs := filepath.Join(dir, "docs")
			page := filepath.Join(docs, "page.md")
			writeFile(t, page, "one")
			changes := oktest.Value(watch(t.Context(), WatchOptions{Dirs: []string{docs}}))(t)
			tt.replace(t, dir)
			until(t, changes, docs)
			for i := range 2 {
				writeFile(t, page, fmt.Sprintf("edit %d", i))
				until(t, changes, page)
			}
		})
	}
}

// A folder in a watched one that was swapped by renames is watched in its place.
func TestASwappedFolderBelowIsWatched(t *testing.T) {
	t.Parallel()
	docs := t.TempDir()
	page := filepath.Join(docs, "sub", "page.md")
	writeFile(t, page, "one")
	changes := oktest.Value(watch(t.Context(), WatchOptions{Dirs: []string{docs}}))(t)
	writeFile(t, filepath.Join(docs, "next", "page.md"), "two")
	rename(t, filepath.Join(docs, "sub"), filepath.Join(docs, "old"))
	rename(t, filepath.Join(docs, "next"), filepath.Join(docs, "sub"))
	oktest.Check(t, os.RemoveAll(filepath.Join(docs, "old")))
	until(t, changes, filepath.Join(docs, "sub"))
	for i := range 2 {
		writeFile(t, page, fmt.Sprintf("edit %d", i))
		until(t, changes, page)
	}
}

// After a change of the configuration, the folders that it names now are watched.
func TestAChangedFileSaysAnewWhatIsWatched(t *testing.T) {
	for _, poll := range []bool{false, true} {
		t.Run(fmt.Sprintf("poll=%v", poll), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			config, page := filepath.Join(dir, "packgen.yaml"), filepath.Join(dir, "more", "page.md")
			writeFile(t, page, "one")
			o := WatchOptions{Dirs: []string{filepath.Join(dir, "docs")}, Files: []string{config}, Poll: poll, Every: 10 * time.Millisecond}
			o.Again = func() (WatchOptions, bool) {
				text, err := os.ReadFile(config)
				return WatchOptions{Dirs: []string{filepath.Join(dir, string(text))}, Files: o.Files}, err == nil && string(text) == "more"
			}
			changes := oktest.Value(watch(t.Context(), o))(t)
			for _, text := range []string{"broken", "more"} {
				writeFile(t, config, text)
				until(t, changes, config)
			}
			writeFile(t, page, "two, longer")
			until(t, changes, page)
		})
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	oktest.Check(t, os.Rename(from, to))
}

func TestIsTemporary(t *testing.T) {
	for name, want := range map[string]bool{
		"sedljA5FN": true, "sedQx81Zk": true, "4913": true, "page.md~": true, "#page.md#": true, "page.md.swp": true, "page.md___jb_tmp___": true,
		"~$page.docx": true, "page.md.tmp.4321": true, "page.md.sb-1a2b-x": true,
		"page.md": false, "sedentary": false, "sediment.md": false, "sedA1.b2": false, "491": false, "notes#1.md": false, "#1.md": false,
	} {
		if got := isTemporary(name); got != want {
			t.Errorf("isTemporary(%q) = %v, want %v", name, got, want)
		}
	}
}
