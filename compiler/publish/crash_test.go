package publish

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

var errKilled = errors.New("killed")

// killed fails operation number at and all after it, as if the process had
// ended there. A write that is cut leaves half of its bytes.
type killed struct {
	osLayer
	at, count int
	once      error  // fail only that one operation, with this error
	state     string // when set, a directory on another file system
}

func (k *killed) step() error {
	k.count++
	switch {
	case k.count == k.at && k.once != nil:
		return k.once
	case k.count >= k.at && k.once == nil:
		return errKilled
	}
	return nil
}

func (k *killed) MkdirAll(dir string) error {
	if err := k.step(); err != nil {
		return err
	}
	return k.osLayer.MkdirAll(dir)
}

func (k *killed) Write(path string, data []byte) error {
	if err := k.step(); err != nil {
		if k.count == k.at {
			_ = k.osLayer.Write(path, data[:len(data)/2])
		}
		return err
	}
	return k.osLayer.Write(path, data)
}

func (k *killed) Create(path string) (io.WriteCloser, error) {
	if err := k.step(); err != nil {
		return nil, err
	}
	return k.osLayer.Create(path)
}

func (k *killed) Rename(from, to string) error {
	if err := k.step(); err != nil {
		return err
	}
	return otherFileSystem{state: k.state}.Rename(from, to)
}

func (k *killed) Remove(path string) error {
	if err := k.step(); err != nil {
		return err
	}
	return k.osLayer.Remove(path)
}

func (k *killed) RemoveAll(dir string) error {
	if err := k.step(); err != nil {
		return err
	}
	return k.osLayer.RemoveAll(dir)
}

func (k *killed) Sync(string, int, iter.Seq[string]) error {
	return k.step() // flushing is the disk's business and slow
}

func (k *killed) Writable(dir string) error {
	if err := k.step(); err != nil {
		return err
	}
	return k.osLayer.Writable(dir)
}

// disk is a layer that is killed at an operation; apart puts the state directory
// on another file system.
func disk(o Options, at int, apart bool) *killed {
	k := &killed{at: at}
	if apart {
		k.state = o.StateDir
	}
	return k
}

// steps is the number of operations of a run that is not disturbed.
func steps(t *testing.T, manifest string, apart bool, deletes []string) int {
	o := options(t, manifest)
	count := disk(o, 1<<30, apart)
	if _, err := publishAll(o, count, first); err != nil {
		t.Fatal(err)
	}
	count.count = 0
	if _, err := publishAll(o, count, second, deletes...); err != nil {
		t.Fatal(err)
	}
	return count.count
}

// whole fails when a file is neither as the first run nor as the second wrote it.
func whole(t *testing.T, got map[string]string) {
	t.Helper()
	for path, text := range got {
		if strings.HasSuffix(path, "/") || path == "manifest.json" || strings.HasPrefix(path, stageInTarget) {
			continue
		}
		if text != first[path] && text != second[path] {
			t.Errorf("%s holds %q", path, text)
		}
	}
	if m, ok := got["manifest.json"]; ok {
		if _, err := decodeManifest([]byte(m)); err != nil {
			t.Errorf("manifest is torn: %v", err)
		}
	}
}

// gone are the files of first that second has not.
var gone = []string{"b/d/e.html", "swap", "turn/x", "Case.md"}

// third is what an edit of the sources makes of second.
var third = map[string]string{
	"a.html": "edited", "b/c.html": "c", "swap/in": "dir", "turn": "file", "case.md": "new", "index.json": "2",
	"new/deep/x.html": "x", "b/more/m.html": "edited", "new/index.json": "3",
}

func TestKilledAtAnyStepTheNextRunEndsInTheNewTree(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, manifest string
		apart          bool
		deletes        []string
	}{
		{"with manifest", "manifest.json", false, nil},
		{"without", "", false, gone},
		{"on two file systems", "manifest.json", true, nil},
	} {
		fresh := options(t, tt.manifest)
		mustPublish(t, fresh, third)
		want := tree(t, fresh.Target)
		for at := 1; at <= steps(t, tt.manifest, tt.apart, tt.deletes); at++ {
			t.Run(tt.name+" "+strconv.Itoa(at), func(t *testing.T) {
				t.Parallel()
				o := options(t, tt.manifest)
				quick, deletes := disk(o, 1<<30, tt.apart), tt.deletes
				if tt.manifest == "" {
					deletes = append([]string{"new/n.html"}, deletes...)
				}
				if _, err := publishAll(o, quick, first); err != nil {
					t.Fatal(err)
				}
				if _, err := publishAll(o, disk(o, at, tt.apart), second, tt.deletes...); err == nil {
					t.Error("the killed run says it succeeded")
				}
				whole(t, tree(t, o.Target))
				// The run after is killed at the same place again.
				_, _ = publishAll(o, disk(o, at, tt.apart), second, tt.deletes...)
				whole(t, tree(t, o.Target))
				oktest.Check(t, os.WriteFile(filepath.Join(o.Target, "b", "c.html"), []byte("by hand"), 0o666))
				if _, err := publishAll(o, quick, third, deletes...); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, tree(t, o.Target)); diff != "" {
					t.Errorf("tree (-fresh +after the kill):\n%s", diff)
				}
				for path := range tree(t, o.StateDir) {
					if base := filepath.Base(path); base != "lock" && base != ".gitignore" {
						t.Errorf("left behind: %s", path)
					}
				}
			})
		}
	}
}

// After a run that was interrupted, the next one knows each file that it has put or was to
// delete and that nobody has changed since.
func TestWhatAnInterruptedRunHasPutIsKnown(t *testing.T) {
	t.Parallel()
	for at := 1; at <= steps(t, "", false, gone); at++ {
		o := options(t, "")
		quick := &killed{at: 1 << 30}
		if _, err := publishAll(o, quick, first); err != nil {
			t.Fatal(err)
		}
		_, _ = publishAll(o, &killed{at: at}, second, gone...)
		pending := oktest.Value(filepath.Glob(filepath.Join(o.StateDir, "*", pendingName)))(t)
		want, now := map[string]Change{}, tree(t, o.Target)
		for path, text := range second {
			if old, existed := first[path]; len(pending) > 0 && now[path] == text && old != text {
				want[path] = Updated
				if !existed {
					want[path] = Created
				}
			}
		}
		for _, path := range gone {
			if len(pending) > 0 {
				want[path] = Deleted
			}
		}
		oktest.Check(t, os.WriteFile(filepath.Join(o.Target, "a.html"), []byte("edited"), 0o666))
		delete(want, "a.html")
		// Another caller, who does not ask, changes nothing of that.
		other := oktest.Value(begin(context.Background(), o, quick))(t)
		oktest.Value(other.Put("other", []byte("o")))(t)
		oktest.Value(other.Commit())(t)
		for range 2 {
			tx, err := begin(context.Background(), o, quick)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]Change{}
			for _, f := range tx.Interrupted() {
				if f.Path != "other" {
					got[f.Path] = f.Change
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("killed at %d (-want +got):\n%s", at, diff)
			}
			if _, err := tx.Commit(); err != nil {
				t.Fatal(err)
			}
			for path, change := range want {
				if now := tree(t, o.Target)[path]; change == Created && now != "" {
					t.Errorf("killed at %d: %s is left", at, path)
				}
			}
			want = map[string]Change{} // they are settled
		}
	}
}

// A full disk fails one operation; the process lives on and cleans up.
func TestFullDiskLeavesTheOldOutput(t *testing.T) {
	t.Parallel()
	for at := 1; at <= steps(t, "manifest.json", false, nil); at++ {
		o := options(t, "manifest.json")
		quick := &killed{at: 1 << 30}
		if _, err := publishAll(o, quick, first); err != nil {
			t.Fatal(err)
		}
		was := tree(t, o.Target)
		_, err := publishAll(o, &killed{at: at, once: syscall.ENOSPC}, second)
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("failing at %d: %v", at, err)
		}
		if !errors.Is(err, ErrInterrupted) {
			if diff := cmp.Diff(was, tree(t, o.Target)); diff != "" {
				t.Errorf("failing at %d changed the target:\n%s", at, diff)
			}
		}
		if _, err := publishAll(o, quick, second); err != nil {
			t.Errorf("run after failing at %d: %v", at, err)
		}
	}
}

// otherFileSystem refuses renames from the state directory into the target.
type otherFileSystem struct {
	osLayer
	state string
}

func (l otherFileSystem) Rename(from, to string) error {
	if l.state != "" && strings.HasPrefix(from, l.state) && !strings.HasPrefix(to, l.state) {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	return l.osLayer.Rename(from, to)
}

func TestAbortOnAnotherFileSystemLeavesNoTarget(t *testing.T) {
	o := options(t, "manifest.json")
	tx := oktest.Value(begin(context.Background(), o, otherFileSystem{state: o.StateDir}))(t)
	if _, err := tx.Put("a", []byte("a")); err != nil {
		t.Fatal(err)
	}
	oktest.Check(t, tx.Abort())
	if _, err := os.Lstat(o.Target); err == nil {
		t.Error("the target was made")
	}
}

// readOnly is a disk on which nothing below the target may be changed.
type readOnly struct {
	osLayer
	dir string
}

func (l readOnly) Writable(dir string) error {
	if strings.HasPrefix(dir, l.dir) {
		return &os.PathError{Op: "write into", Path: dir, Err: syscall.EACCES}
	}
	return nil
}

func TestDirectoryThatCannotBeWrittenStopsBeforeTheFirstRename(t *testing.T) {
	o := options(t, "manifest.json")
	mustPublish(t, o, first)
	was := tree(t, o.Target)
	_, err := publishAll(o, readOnly{dir: filepath.Join(o.Target, "b")}, second)
	if !errors.Is(err, syscall.EACCES) || !strings.Contains(err.Error(), filepath.Join("out", "b")) {
		t.Errorf("error is %v", err)
	}
	if diff := cmp.Diff(was, tree(t, o.Target)); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecodeManifest(f *testing.F) {
	var data bytes.Buffer
	one := newEntries()
	one.add(&entry{path: "a", size: 1}, "a")
	oktest.Check(f, writeManifest(&data, one.inOrder()))
	f.Add(data.Bytes())
	f.Add([]byte(`{"schema_version":1,"files":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeManifest(data)
		if err != nil {
			return
		}
		for _, file := range m {
			if err := checkPath(file.Path); err != nil {
				t.Error(err)
			}
		}
	})
}
