//go:build unix

package publish

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestAFileSystemWithoutLocksIsNamed(t *testing.T) {
	for _, err := range []error{syscall.ENOLCK, syscall.ENOTSUP, syscall.ENOSYS} {
		if got := lockFault("/far/.packgen/lock", &fs.PathError{Op: "lock", Path: "/far/.packgen/lock", Err: err}); !errors.Is(got, ErrNoLocks) || !strings.Contains(got.Error(), "/far/.packgen/lock") {
			t.Errorf("%v: %v", err, got)
		}
	}
	if got := lockFault("lock", fs.ErrPermission); errors.Is(got, ErrNoLocks) || !errors.Is(got, fs.ErrPermission) {
		t.Errorf("a lock that may not be taken: %v", got)
	}
}
