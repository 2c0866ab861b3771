package diag

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
)

func TestHintOfIsThatOfTheOutermostHint(t *testing.T) {
	plain := errors.New("no file")
	inner := WithHint(plain, "name %s", "one")
	outer := fmt.Errorf("open: %w", WithHint(fmt.Errorf("read: %w", inner), "run again"))
	for _, c := range []struct {
		err           error
		hint, without string
	}{{plain, "", "no file"}, {inner, "name one", "no file"}, {outer, "run again", "read: no file"}} {
		if got := HintOf(c.err); got != c.hint {
			t.Errorf("hint of %v: %q, want %q", c.err, got, c.hint)
		}
		if got := WithoutHint(c.err).Error(); got != c.without {
			t.Errorf("%v without a hint: %q, want %q", c.err, got, c.without)
		}
		if !errors.Is(c.err, plain) {
			t.Errorf("%v has lost what it wraps", c.err)
		}
	}
}

func TestClassOfSurvivesHintsAndWrapping(t *testing.T) {
	plain := errors.New("no")
	for _, c := range []struct {
		err  error
		want Class
	}{
		{plain, Misuse}, {Refuse(plain), Refused}, {WithHint(Refuse(plain), "later"), Refused},
		{fmt.Errorf("pull: %w", WithClass(Mismatch, WithHint(plain, "again"))), Mismatch},
	} {
		if got := ClassOf(c.err); got != c.want {
			t.Errorf("class of %v: %d, want %d", c.err, got, c.want)
		}
	}
}

// A quota that is used up is a full disk.
func TestAQuotaIsADiskThatIsFull(t *testing.T) {
	for errno, full := range map[syscall.Errno]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false} {
		err := WithHint(fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "x", Err: errno}), "wait")
		if DiskFull(err) != full {
			t.Errorf("%v is full: %t", errno, !full)
		}
	}
}
