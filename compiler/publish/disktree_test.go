package publish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// A directory that another process makes while the path is looked at is a
// directory, and not a link to nothing.
func TestADirectoryMadeWhileThePathIsFollowedIsNoLink(t *testing.T) {
	base := oktest.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	want := filepath.Join(base, "made", "out")
	made := 0
	dir, existing, err := resolveBy(func(path string) (string, error) {
		real, err := filepath.EvalSymlinks(path)
		if errors.Is(err, fs.ErrNotExist) {
			made++
			oktest.Check(t, os.MkdirAll(path, 0o777))
		}
		return real, err
	}, want)
	if err != nil || dir != want || made == 0 {
		t.Errorf("%s, %v; made %d", dir, err, made)
	}
	if existing != filepath.Dir(want) && existing != base {
		t.Errorf("the nearest directory is %s", existing)
	}
}

// The state directory has one name before it is made and after, also where the
// repository is reached through a link: else the second run would not find the
// pending manifest of the first, nor its lock.
func TestTheStateDirectoryKeepsItsName(t *testing.T) {
	top := t.TempDir()
	oktest.Check(t, os.Mkdir(filepath.Join(top, "real"), 0o777))
	if err := os.Symlink("real", filepath.Join(top, "link")); err != nil {
		t.Skip("no links here: ", err)
	}
	o := Options{Target: filepath.Join(top, "link", "public"), StateDir: filepath.Join(top, "link", ".state")}
	first := oktest.Value(Begin(context.Background(), o))(t)
	defer first.Abort()
	if second, err := Begin(context.Background(), o); !errors.Is(err, ErrLocked) {
		t.Errorf("the second run does not see the first: %v", errors.Join(err, second.Abort()))
	}
}
