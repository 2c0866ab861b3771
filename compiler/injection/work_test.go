//go:build linux

package injection

import (
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// processor returns the time that the processor spends on a call, on its thread alone.
func processor(t *testing.T, call func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var used [2]syscall.Rusage
	const thread = 1 // RUSAGE_THREAD
	err := syscall.Getrusage(thread, &used[0])
	call()
	if err == nil {
		err = syscall.Getrusage(thread, &used[1])
	}
	oktest.Check(t, err)
	return time.Duration(used[1].Utime.Nano() + used[1].Stime.Nano() - used[0].Utime.Nano() - used[0].Stime.Nano())
}

// Four times as much of a construct costs about four times the time.
func TestHostileMarkupIsWalkedOnce(t *testing.T) {
	for _, unit := range []string{"[a](", "[", "]", "](", "][", "[^", "<a", "<!--", "| ", "\\u00", "_", "~", "==", "![", "[[", "[[k|", "|[[", "[source:", "[source: ]", "](a \"", "](<", "](()", "](a](", "<a\n\n", "a\u0301", "\u0301", "<!-- -->", "](a (b"} {
		cost := func(n int) time.Duration {
			text := []byte(strings.Repeat(unit, n/len(unit)))
			return processor(t, func() { Find(text, Options{}) })
		}
		small, big := cost(100_000), cost(400_000)
		if big > 10*small+300*time.Millisecond {
			t.Errorf("%q: %v, four times as much: %v", unit, small, big)
		}
	}
}
