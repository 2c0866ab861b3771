package main

import (
	"context"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
)

// countdown is a context that is cancelled when it has been asked a number of
// times: Ctrl-C at a moment that can be repeated.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newCountdown(asks int64) *countdown {
	ctx, cancel := context.WithCancel(context.Background())
	c := &countdown{Context: ctx, cancel: cancel}
	c.left.Store(asks)
	return c
}

func (c *countdown) tick() {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
}

func (c *countdown) Err() error {
	c.tick()
	return c.Context.Err()
}

func (c *countdown) Done() <-chan struct{} {
	c.tick()
	return c.Context.Done()
}

func (c *countdown) Deadline() (time.Time, bool) { return time.Time{}, false }

// A build that is interrupted at any moment leaves the earlier site as it was,
// or has written the new one wholly; the next build ends in the new one.
func TestFaultInterruptedBuildLeavesOneWholeSite(t *testing.T) {
	t.Parallel()
	build := func(ctx context.Context, dir string) (code int, stderr string) {
		var errs strings.Builder
		a := newApp(strings.NewReader(""), io.Discard, &errs)
		a.Environment = environ(map[string]string{"SOURCE_DATE_EPOCH": "1767225600"})
		return a.run(ctx, []string{"-C", dir, "build", "-q"}), errs.String()
	}
	buildOnce := func(dir string) {
		t.Helper()
		if code, stderr := build(t.Context(), dir); code != exitDone {
			t.Fatalf("exit code %d\n%s", code, stderr)
		}
	}
	dir := t.TempDir()
	pack := filepath.Join(dir, "packs", "generated")
	oktest.Check(t, packtest.Write(pack, packtest.Options{Pages: 12}))
	buildOnce(dir)
	before := oktest.Read(t, filepath.Join(dir, "public"))
	oktest.Check(t, packtest.Write(pack, packtest.Options{Pages: 14, Seed: 7}))

	fresh := t.TempDir()
	oktest.Check(t, os.CopyFS(fresh, os.DirFS(dir)))
	buildOnce(fresh)
	after := oktest.Read(t, filepath.Join(fresh, "public"))
	if maps.Equal(before, after) {
		t.Fatal("the change does not show in the site")
	}

	stopped := 0
	for asks := int64(1); asks < 4000; asks += 1 + asks/4 {
		ctx := newCountdown(asks)
		code, stderr := build(ctx, dir)
		ctx.cancel()
		got := oktest.Read(t, filepath.Join(dir, "public"))
		switch {
		case code == exitDone && maps.Equal(got, after):
			// The run ended before it was asked often enough.
		case code == exitMisuse && maps.Equal(got, before) && strings.Contains(stderr, "interrupted"):
			stopped++
			continue
		case code == exitMisuse && maps.Equal(got, after):
			stopped++ // interrupted after the commit, when the outcome was
		default:
			t.Fatalf("asks %d: exit code %d, site is neither the old nor the new one\n%s", asks, code, stderr)
		}
		break
	}
	if stopped < 3 {
		t.Errorf("only %d runs were interrupted", stopped)
	}
	buildOnce(dir)
	if got := oktest.Read(t, filepath.Join(dir, "public")); !maps.Equal(got, after) {
		t.Error("the next build does not end in the new site")
	}
}

// A command that has been interrupted and does not end is ended; one that ends is left
// alone.
func TestFaultInterruptedCommandsEnd(t *testing.T) {
	t.Parallel()
	exits := 0
	exit := func() { exits++ }
	if leave(make(chan struct{}), 0, exit); exits != 1 {
		t.Error("a command that does not end goes on")
	}
	ended := make(chan struct{})
	close(ended)
	if leave(ended, time.Hour, exit); exits != 1 {
		t.Error("a command that has ended is ended again")
	}
}
