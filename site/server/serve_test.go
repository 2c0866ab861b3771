package server

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/publish"
)

// served is a server of one file, page.md, which becomes index.html.
type served struct {
	file, address string
	events        chan Event
}

func start(t *testing.T) *served {
	t.Helper()
	dir := t.TempDir()
	s := &served{file: filepath.Join(dir, "page.md"), events: make(chan Event, 16)}
	writeFile(t, s.file, "first")
	l := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	s.address = "http://" + l.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, Options{
			Listener: l, Watch: WatchOptions{Dirs: []string{dir}}, TempDir: t.TempDir(),
			Report: func(e Event) { s.events <- e },
			Build: func(_ context.Context, _ Change, sink Sink) (Built, error) {
				text, err := os.ReadFile(s.file)
				if err != nil {
					return Built{}, err
				}
				if strings.Contains(string(text), "broken") {
					return Built{Failed: true, Findings: []Finding{{Frame: "broken"}}}, nil
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
	s.wait(t, func(e Event) bool { return e.First })
	return s
}

// wait returns the first event that fits.
func (s *served) wait(t *testing.T, fits func(Event) bool) Event {
	t.Helper()
	limit := time.After(patience)
	for {
		select {
		case e := <-s.events:
			if fits(e) {
				return e
			}
		case <-limit:
			t.Fatal("no such build is reported")
		}
	}
}

func (s *served) get(t *testing.T) string {
	t.Helper()
	r := oktest.Value(http.Get(s.address + "/"))(t)
	defer r.Body.Close()
	line, _ := bufio.NewReader(r.Body).ReadString('\n')
	return strings.TrimSpace(line)
}

// listen opens the stream of events of a page.
func (s *served) listen(t *testing.T, query string) <-chan message {
	t.Helper()
	r := oktest.Value(http.Get(s.address + "/_packgen/events?" + query))(t)
	t.Cleanup(func() { r.Body.Close() })
	messages := make(chan message, 16)
	go func() {
		defer close(messages)
		lines := bufio.NewScanner(r.Body)
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				var m message
				if json.Unmarshal([]byte(text), &m) == nil {
					messages <- m
				}
			}
		}
	}()
	return messages
}

func next(t *testing.T, messages <-chan message) message {
	t.Helper()
	select {
	case m := <-messages:
		return m
	case <-time.After(patience):
		t.Fatal("no message comes")
	}
	return message{}
}

func TestServeSendsOpenPagesWhatChanged(t *testing.T) {
	s := start(t)
	mine, other := s.listen(t, "page=index.html"), s.listen(t, "page=elsewhere.html")
	next(t, mine)
	next(t, other)
	writeFile(t, s.file, "second")
	e := s.wait(t, func(e Event) bool { return len(e.Files) > 0 })
	if e.Pages != 1 || len(e.Change.Paths) == 0 || e.Change.Paths[0] != s.file {
		t.Errorf("event %+v; want one page for %s", e, s.file)
	}
	if m := next(t, mine); !m.Reload {
		t.Errorf("the page that changed is told %+v, want a reload", m)
	}
	if m := next(t, other); m.Reload {
		t.Error("a page that did not change is reloaded")
	}
	if got := s.get(t); got != "second" {
		t.Errorf("the page is %q, want second", got)
	}
}

func TestPageThatIsOlderThanTheSiteIsReloaded(t *testing.T) {
	s := start(t)
	if m := next(t, s.listen(t, "page=index.html&sum=0000000000000000")); !m.Reload {
		t.Error("an old page is not reloaded")
	}
	if m := next(t, s.listen(t, "page=index.html")); m.Reload {
		t.Error("a page that does not say what it is, is reloaded")
	}
}

func TestLastGoodSiteStays(t *testing.T) {
	s := start(t)
	mine := s.listen(t, "page=index.html")
	next(t, mine)
	writeFile(t, s.file, "broken")
	s.wait(t, func(e Event) bool { return e.Built.Failed })
	if m := next(t, mine); m.Reload || len(m.Findings) != 1 {
		t.Errorf("the page is told %+v, want one finding and no reload", m)
	}
	if got := s.get(t); got != "first" {
		t.Errorf("the page is %q, want first", got)
	}
	if m := next(t, s.listen(t, "page=index.html")); len(m.Findings) != 1 {
		t.Errorf("a page that comes later is told %+v, want the finding", m)
	}
	oktest.Check(t, os.Remove(s.file))
	e := s.wait(t, func(e Event) bool { return e.Err != nil })
	if !errors.Is(e.Err, os.ErrNotExist) {
		t.Errorf("error %v", e.Err)
	}
	writeFile(t, s.file, "third")
	s.wait(t, func(e Event) bool { return e.Err == nil && len(e.Files) > 0 })
	if got := s.get(t); got != "third" {
		t.Errorf("the page is %q, want third", got)
	}
}

func TestTooManyPagesAreRefused(t *testing.T) {
	e := &events{tree: newTree(t)}
	for range maxPages {
		if _, ok := e.join(&listener{send: make(chan message, 1)}, ""); !ok {
			t.Fatal("refused too early")
		}
	}
	if _, ok := e.join(&listener{send: make(chan message, 1)}, ""); ok {
		t.Errorf("more than %d pages are told of changes", maxPages)
	}
}

func TestPageThatDoesNotReadIsDropped(t *testing.T) {
	e := &events{tree: newTree(t)}
	slow := &listener{send: make(chan message, 1)}
	e.join(slow, "")
	for range 3 {
		e.publish(message{}, nil)
	}
	if len(e.pages) != 0 {
		t.Error("a page that does not read keeps its place")
	}
}

func TestRenamedStyles(t *testing.T) {
	change := func(path string, what publish.Change) FileChange {
		return FileChange{PathChange: publish.PathChange{Path: path, Change: what}}
	}
	swap := renamedStyles([]FileChange{change("assets/site-A.css", publish.Deleted), change("assets/site-B.css", publish.Created), change("x.html", publish.Created)})
	if len(swap) != 1 || swap["assets/site-A.css"] != "assets/site-B.css" {
		t.Errorf("swap is %v", swap)
	}
	if swap := renamedStyles([]FileChange{change("assets/site-A.css", publish.Deleted), change("assets/site-B.css", publish.Created), change("assets/site-C.js", publish.Created)}); swap != nil {
		t.Errorf("a changed script is taken for a change of style: %v", swap)
	}
}
