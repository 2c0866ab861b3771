package publish

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
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
