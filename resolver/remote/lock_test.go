package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
)

func lockEntry(ref, pack, tree string) schema.LockedRef {
	return schema.LockedRef{Ref: ref, Pack: pack, Source: "file", Tree: "h1:" + strings.Repeat(tree, 43) + "="}
}

func TestALockIsSortedAndWrittenOnlyWhenItChanges(t *testing.T) {
	dir, c := t.TempDir(), NewCache(t.TempDir())
	name := filepath.Join(dir, schema.LockName)
	if lock, found, err := ReadLock(dir); err != nil || found || len(lock.References) != 0 {
		t.Fatalf("%+v, %v, %v", lock, found, err)
	}
	put := func(want bool, entries ...schema.LockedRef) string {
		t.Helper()
		changed, err := c.WriteLock(context.Background(), dir, entries)
		if err != nil || changed != want {
			t.Fatalf("changed %v, %v", changed, err)
		}
		return string(oktest.Value(os.ReadFile(name))(t))
	}
	put(true, lockEntry("b.zip", "b", "B"), lockEntry("a.zip", "a", "A"))
	text := put(true, lockEntry("aa.zip", "b", "C"))
	if i, j, k := strings.Index(text, "a.zip"), strings.Index(text, "aa.zip"), strings.Index(text, "b.zip"); i > j || j > k {
		t.Errorf("not sorted:\n%s", text)
	}
	if again := put(false, lockEntry("a.zip", "a", "A")); again != text {
		t.Errorf("changed to\n%s", again)
	}
	put(true, lockEntry("a.zip", "a", "D"))
	lock, found, err := ReadLock(dir)
	if err != nil || !found || Locked(lock, "a.zip").Tree != lockEntry("", "", "D").Tree || Locked(lock, "c.zip") != nil {
		t.Errorf("%+v, %v", lock, err)
	}
	if refs := LockedNames(lock, "b"); !slices.Equal(refs, []string{"aa.zip", "b.zip"}) {
		t.Errorf("%v", refs)
	}
}

// What was found in a pack is written where nothing says it yet, and stays what it
// was when the entry was made: another packgen may find more in the same files.
func TestWhatWasFoundIsLockedOnce(t *testing.T) {
	dir, c := t.TempDir(), NewCache(t.TempDir())
	old := oktest.Value(schema.Encode(&schema.Lock{SchemaVersion: schema.LockVersion, References: []schema.LockedRef{lockEntry("a.zip", "a", "A"), lockEntry("b.zip", "b", "B")}}))(t)
	write(t, filepath.Join(dir, schema.LockName), old)
	looked := func(ref, pack, tree string, count int) schema.LockedRef {
		e := lockEntry(ref, pack, tree)
		e.Inspection = &schema.LockedInspection{Findings: []schema.LockedFinding{}}
		if count > 0 {
			e.Inspection.Findings = append(e.Inspection.Findings, schema.LockedFinding{Rule: "r", Severity: diag.Warning, Count: count, First: "a.md:1"})
		}
		return e
	}
	for _, tt := range []struct {
		name    string
		entry   schema.LockedRef
		changed bool
		counts  string // of a.zip and b.zip; - for no inspection
	}{
		{"without a look nothing changes", lockEntry("a.zip", "a", "A"), false, "--"},
		{"the first look", looked("a.zip", "a", "A", 1), true, "1-"},
		{"another look", looked("a.zip", "a", "A", 2), false, "1-"},
		{"nothing found", looked("b.zip", "b", "B", 0), true, "10"},
		{"another tree", looked("a.zip", "a", "C", 3), true, "30"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			changed, err := c.WriteLock(context.Background(), dir, []schema.LockedRef{tt.entry})
			if err != nil || changed != tt.changed {
				t.Errorf("changed %v, %v", changed, err)
			}
			lock, _, err := ReadLock(dir)
			oktest.Check(t, err)
			counts := ""
			for _, r := range lock.References {
				switch {
				case r.Inspection == nil:
					counts += "-"
				case len(r.Inspection.Findings) == 0:
					counts += "0"
				default:
					counts += fmt.Sprint(r.Inspection.Findings[0].Count)
				}
			}
			if counts != tt.counts {
				t.Errorf("the lock says %s, want %s", counts, tt.counts)
			}
			if changes := Changes(lock, []schema.LockedRef{tt.entry}); len(changes) > 0 {
				t.Errorf("a frozen lock would change: %+v", changes)
			}
		})
	}
}

func TestALockThatCannotBeReadStaysAsItIs(t *testing.T) {
	dir, c := t.TempDir(), NewCache(t.TempDir())
	for _, text := range []string{"", "{}", `{"schema_version":5,"references":[]}`, `{"schema_version":3,"references":[],"more":1}`} {
		write(t, filepath.Join(dir, schema.LockName), []byte(text))
		var fault *schema.DecodeError
		if _, _, err := ReadLock(dir); !errors.As(err, &fault) {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := c.WriteLock(context.Background(), dir, []schema.LockedRef{lockEntry("a", "a", "A")}); !errors.As(err, &fault) {
			t.Errorf("%q: %v", text, err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, schema.LockName)); err != nil || string(data) != text {
			t.Errorf("%q became %q", text, data)
		}
	}
}

func TestALockThatLiesOutsideOfTheRepositoryIsNotRead(t *testing.T) {
	for _, text := range []string{`{"schema_version":3,"references":[]}`, `{"secret":"x"}`} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), schema.LockName)
		regularfile.Protect(dir)
		write(t, elsewhere, []byte(text))
		if err := os.Symlink(elsewhere, filepath.Join(dir, schema.LockName)); err != nil {
			t.Skip(err)
		}
		if lock, _, err := ReadLock(dir); lock != nil || !errors.Is(err, regularfile.ErrOutside) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWritersOfALockLoseNothing(t *testing.T) {
	dir, c := t.TempDir(), NewCache(t.TempDir())
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			if _, err := c.WriteLock(context.Background(), dir, []schema.LockedRef{lockEntry(fmt.Sprintf("%d.zip", i), "p", "A")}); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if lock, _, err := ReadLock(dir); err != nil || len(lock.References) != 20 {
		t.Errorf("%+v, %v", lock, err)
	}
	if list := listTree(t, dir); !slices.Equal(list, []string{schema.LockName}) {
		t.Errorf("the repository holds %v", list)
	}
}

func TestACancelledWriteChangesNoLock(t *testing.T) {
	dir, c := t.TempDir(), NewCache(t.TempDir())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.WriteLock(ctx, dir, []schema.LockedRef{lockEntry("a", "a", "A")}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if list := listTree(t, dir); len(list) != 0 {
		t.Errorf("%v", list)
	}
}
