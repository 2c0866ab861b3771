package compiler

import (
	"cmp"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
)

// interrupt leaves a pack as a compile does that is cut short after some of its changes.
func interrupt(t *testing.T, dir, state string, before, after tree, done int) {
	t.Helper()
	tx := oktest.Value(publish.Begin(t.Context(), publish.Options{Target: dir, StateDir: state}))(t)
	defer func() { oktest.Check(t, tx.Abort()) }()
	put := func(path, text string) {
		oktest.Value(tx.PutFrom(publish.File{Path: path, Content: publish.Bytes([]byte(text)), Last: true}))(t)
	}
	var gone []string
	for i, path := range changes(before, after) {
		if i == done {
			put("in-the-way", "x")
		}
		if text, stays := after[path]; stays {
			put(path, text)
		} else {
			gone = append(gone, path)
		}
	}
	put("in-the-way-too", "x")
	for _, name := range gone {
		oktest.Check(t, tx.Delete(name))
	}
	for _, name := range []string{"in-the-way", "in-the-way-too"} {
		oktest.Write(t, filepath.Join(dir, name), map[string]string{"x": "somebody's"})
	}
	if _, err := tx.Commit(); !errors.Is(err, publish.ErrInterrupted) {
		t.Fatalf("the run is not interrupted: %v", err)
	}
	for _, name := range []string{"in-the-way", "in-the-way-too"} {
		oktest.Check(t, os.RemoveAll(filepath.Join(dir, name)))
	}
}

// changes are the paths that differ in the order of a commit: texts, records, deletions.
func changes(before, after tree) (list []string) {
	for _, name := range sortedKeys(after) {
		if text, known := before[name]; !known || text != after[name] {
			list = append(list, name)
		}
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(path.Ext(b), path.Ext(a)) })
	for _, name := range sortedKeys(before) {
		if _, stays := after[name]; !stays {
			list = append(list, name)
		}
	}
	return list
}

// A compile after one that was interrupted is one that nobody disturbed, its record included.
func TestACompileAfterAnInterruptedOneIsAFreshOne(t *testing.T) {
	old := wikiPack()
	edited := wikiPack().with(tree{"wiki/b.md": "# B\n\nAbout c.\n\n- Claim b. [source: sources/s.md#L1]\n- Claim c. [source: sources/s.md#L3]\n", "wiki/new.md": "# New\n\nText.\n"})
	delete(edited, "wiki/a.md")
	edited["KNOWLEDGE.md"] = entry("wiki-first", "required")
	for _, tt := range []struct {
		name  string
		first tree // nil: nothing was compiled before
		last  tree // nil: the sources are not edited again
	}{
		{"a first one", nil, nil},
		{"a second one", old, nil},
		{"one before an edit", old, edited.with(tree{"wiki/b.md": "# B\n\nAbout d.\n"})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			begin := func(sources tree) string {
				dir := packDir(t, sources)
				if tt.first != nil {
					dir = packDir(t, tt.first)
					compileDir(t, dir, Options{Now: clock.AddDate(0, 0, -1)})
					for path := range tt.first {
						oktest.Check(t, os.Remove(filepath.Join(dir, path)))
					}
					sources.write(t, dir)
				}
				return dir
			}
			fresh := begin(edited)
			before := readTree(t, fresh)
			compileDir(t, fresh, Options{})
			after := readTree(t, fresh)
			want, last := after, edited
			if tt.last != nil {
				last, fresh = tt.last, begin(tt.last)
				compileDir(t, fresh, Options{})
				want = readTree(t, fresh)
			}
			for done := range len(changes(before, after)) + 1 {
				dir, state := begin(edited), t.TempDir()
				interrupt(t, dir, state, before, after, done)
				last.write(t, dir)
				compileDir(t, dir, Options{StateDir: state})
				sameTree(t, strconv.Itoa(done)+" changes", readTree(t, dir), want)
				if left := oktest.Value(filepath.Glob(filepath.Join(state, "*", "pending")))(t); len(left) > 0 {
					t.Errorf("after %d changes %s is left", done, left)
				}
			}
			if !slices.Contains(changes(before, after), sourceMapPath) {
				t.Error("the source map does not change")
			}
		})
	}
}
