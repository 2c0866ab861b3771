package server

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// slow is a server whose builds take as long as a test wants: a build shows index.html,
// says that it has begun, and is done once it is released or cancelled.
type slow struct {
	*served
	dir               string
	begun             chan Change
	release           chan struct{}
	atOnce, cancelled atomic.Int64
}

func startSlow(t *testing.T, o Options) *slow {
	t.Helper()
	dir := t.TempDir()
	s := &slow{
		served: &served{file: filepath.Join(dir, "page.md"), events: make(chan Event, 16)},
		dir:    dir, begun: make(chan Change, 16), release: make(chan struct{}, 16),
	}
	writeFile(t, s.file, "first")
	l := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	s.address = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	s.release <- struct{}{}
	go func() {
		done <- Serve(ctx, Options{
			Listener: l, Watch: WatchOptions{Dirs: []string{dir}}, TempDir: t.TempDir(),
			cancelFor: o.cancelFor, paintFor: o.paintFor,
			Report: func(e Event) { s.events <- e },
			Build: func(ctx context.Context, c Change, sink Sink) (Built, error) {
				if s.atOnce.Add(1) > 1 {
					t.Error("two builds run at once")
				}
				defer s.atOnce.Add(-1)
				text, err := os.ReadFile(s.file)
				if err != nil {
					return Built{}, err
				}
				if err := sink.Preview("index.html", text); err != nil {
					return Built{}, err
				}
				sink.Pause(ctx)
				s.begun <- c
				select {
				case <-ctx.Done():
					s.cancelled.Add(1)
					return Built{}, ctx.Err()
				case <-s.release:
				}
				_, err = sink.Put("index.html", text)
				if err == nil {
					_, err = sink.Commit()
				}
				return Built{}, err
			},
		})
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(patience):
			t.Error("Serve does not end")
		}
	})
	s.next(t)
	s.wait(t, func(e Event) bool { return e.First })
	return s
}

// next returns the change that the next build is for.
func (s *slow) next(t *testing.T) Change {
	t.Helper()
	select {
	case c := <-s.begun:
		return c
	case <-time.After(patience):
		t.Fatal("no build begins")
	}
	return Change{}
}

func TestASaveDuringABuildCancelsIt(t *testing.T) {
	s := startSlow(t, Options{})
	mine := s.listen(t, "page=index.html")
	next(t, mine)
	writeFile(t, s.file, "second")
	s.next(t)
	if m := next(t, mine); !m.Reload || s.get(t) != "second" {
		t.Error("the page is not shown while the rest is built")
	}
	other := filepath.Join(s.dir, "other.md")
	writeFile(t, other, "other")
	c := s.next(t)
	if !slices.Contains(c.Paths, s.file) || !slices.Contains(c.Paths, other) {
		t.Errorf("the build after a cancelled one is for %q; want %s and %s", c.Paths, s.file, other)
	}
	if n := s.cancelled.Load(); n != 1 {
		t.Errorf("%d builds are cancelled, want 1", n)
	}
	s.release <- struct{}{}
	e := s.wait(t, func(Event) bool { return true })
	if e.Err != nil || e.Pages != 1 || len(e.Files) != 1 || !slices.Equal(e.Change.Paths, c.Paths) {
		t.Errorf("the first build that is reported is %+v; want one for both changes, with the page that was shown before", e)
	}
	if got := s.get(t); got != "second" {
		t.Errorf("the page is %q, want second", got)
	}
}

func TestChangesWithoutPauseLetABuildEnd(t *testing.T) {
	s := startSlow(t, Options{cancelFor: time.Nanosecond})
	writeFile(t, s.file, "second")
	s.next(t)
	writeFile(t, s.file, "third")
	time.Sleep(4 * quietFor) // the change waits for the build to end
	if n := s.cancelled.Load(); n != 0 {
		t.Errorf("%d builds are cancelled, want none", n)
	}
	s.release <- struct{}{}
	s.wait(t, func(Event) bool { return true })
	s.next(t)
	s.release <- struct{}{}
	s.wait(t, func(Event) bool { return true })
	if got := s.get(t); got != "third" {
		t.Errorf("the page is %q, want third", got)
	}
}

func TestAChangeIsJoinedWithTheNext(t *testing.T) {
	both := Change{Paths: []string{"b", "c"}, Asked: true}.with(Change{Paths: []string{"a", "b"}, Rescan: true})
	if !slices.Equal(both.Paths, []string{"a", "b", "c"}) || !both.Rescan || both.Asked {
		t.Errorf("got %+v", both)
	}
}

func TestTheRestOfABuildWaitsForOpenPagesThatChanged(t *testing.T) {
	s := startSlow(t, Options{paintFor: time.Hour})
	save := func(text string) { writeFile(t, s.file, text) }
	save("nobody looks")
	s.next(t)
	s.release <- struct{}{}
	s.wait(t, func(Event) bool { return true })

	other := s.listen(t, "page=elsewhere.html")
	next(t, other)
	save("somebody looks at another page")
	s.next(t)
	s.release <- struct{}{}
	s.wait(t, func(Event) bool { return true })

	mine := s.listen(t, "page=index.html")
	next(t, mine)
	save("second")
	if m := next(t, mine); !m.Reload {
		t.Errorf("the open page is told %+v, want a reload", m)
	}
	for range 3 {
		if got := s.get(t); got != "second" {
			t.Errorf("the page is %q, want second", got)
		}
	}
	if len(s.begun) > 0 {
		t.Error("the build goes on while the page is painted")
	}
	writeFile(t, filepath.Join(s.dir, "other.md"), "a save ends the wait")
	s.next(t)
	if c := s.next(t); len(c.Paths) != 2 {
		t.Errorf("the next build is for %q, want both files", c.Paths)
	}
	s.release <- struct{}{}
	s.wait(t, func(Event) bool { return true })
}
