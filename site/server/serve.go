package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
)

// Sink takes the files of one build. A file that is neither put nor kept is gone
// from the site. A committed build is shown as soon as Options.Build has returned.
type Sink interface {
	publish.Target
	// Show makes what was put so far visible to open pages, before the build is done. It
	// may be called from several goroutines.
	Show()
	// Preview makes one file visible to open pages, before it is put. The build puts it,
	// with the same bytes.
	Preview(path string, data []byte) error
	// Pause waits a moment when Preview has changed a page that is open: its browser needs
	// the processors to paint it, and nobody waits for the rest of the build yet.
	Pause(ctx context.Context)
}

// Built is what one build came to.
type Built struct {
	// Findings are shown over the open pages.
	Findings []Finding
	// Failed says that the files are not to be shown: the last good site stays.
	Failed bool
}

// Event is what Options.Report receives after each build.
type Event struct {
	First   bool          // it is the first build
	Change  Change        // what the build was for; empty for the first
	Files   []FileChange  // what it changed
	Pages   int           // of these, pages that were made or changed
	Elapsed time.Duration // until the pages were to be seen
	Built   Built
	Err     error // why there was no build
}

// Options say what is served, and how.
type Options struct {
	// Listener takes the requests. Required; Serve closes it.
	Listener net.Listener
	// Hosts are the names besides loopback and addresses that requests may be for.
	Hosts []string
	// Watch is what a build is made of.
	Watch WatchOptions
	// Build makes the site. It is called again after each change, never twice at
	// once. Its context ends when files change meanwhile: the next call is for both
	// changes. Required.
	Build func(ctx context.Context, change Change, sink Sink) (Built, error)
	// Report is called after each build; nil reports to nobody.
	Report func(Event)
	// TempDir is where the site is kept; "" is the system's.
	TempDir string

	cancelFor time.Duration // takes the place of the constant in tests; 0 leaves it
	paintFor  time.Duration // the same
}

// cancelFor is how long changes that follow each other cancel the builds before them.
// After that a build is completed, so that files which change without pause do not keep
// the rest of the site from being made.
const cancelFor = 5 * time.Second

// paintFor is how long a build waits once an open page shows what was saved: about what a
// browser takes to fetch the page, to lay it out and to paint it.
const paintFor = 40 * time.Millisecond

// How long a client may take.
const (
	requestTimeout = 10 * time.Second // to send the head of a request, and then its body
	idleTimeout    = 2 * time.Minute  // until the next request
	pieceTimeout   = 30 * time.Second // to read a piece of an answer
)

// Serve builds the site, serves it, and builds it again on every change until the
// context ends. The error is for what makes serving impossible; a build that
// fails is reported and the last good site stays.
func Serve(ctx context.Context, o Options) (err error) {
	tree, err := makeTree(o.TempDir)
	if err != nil {
		return errors.Join(err, o.Listener.Close())
	}
	defer func() { err = errors.Join(err, tree.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The watch comes before the first build: a file that is saved during it is
	// not missed.
	changes, err := watch(ctx, o.Watch)
	if err != nil {
		return errors.Join(err, o.Listener.Close())
	}
	l := &loop{Options: o, tree: tree, events: &events{tree: tree}, changes: changes}
	l.cancelFor, l.paintFor = cmp.Or(l.cancelFor, cancelFor), cmp.Or(l.paintFor, paintFor)
	server := &http.Server{
		Handler:           &handler{tree: tree, events: l.events, hosts: o.Hosts},
		ReadHeaderTimeout: requestTimeout, IdleTimeout: idleTimeout,
	}
	served := make(chan error, 1)
	l.build(ctx, Change{}, true)
	go func() { served <- server.Serve(o.Listener) }()
	for {
		select {
		case change, ok := <-l.changes:
			if ok {
				l.rebuild(ctx, change)
				continue
			}
			l.changes = nil // the context has ended
		case <-tree.ask:
			l.rebuild(ctx, Change{Asked: true})
		case err := <-served:
			return fmt.Errorf("serve the site: %w", err)
		case <-ctx.Done():
			l.events.close()
			return server.Close()
		}
	}
}

// loop is the builds of one server, one after another.
type loop struct {
	Options
	tree    *siteTree
	events  *events
	changes <-chan Change
	shown   []FileChange // what cancelled builds have shown already
}

// rebuild makes the site for a change. Another change cancels the build, and the next one
// is for both.
func (l *loop) rebuild(ctx context.Context, change Change) {
	for begin := time.Now(); ; {
		changes := l.changes
		if time.Since(begin) > l.cancelFor {
			changes = nil
		}
		building, cancel := context.WithCancel(ctx)
		done := make(chan bool, 1)
		go func() { done <- l.build(building, change, false) }()
		select {
		case <-done:
			cancel()
			return
		case next, ok := <-changes:
			cancel()
			if <-done { // it was as good as done
				change = Change{}
			}
			if !ok {
				return // the context has ended
			}
			change = change.with(next)
		}
	}
}

// build makes the site once and notifies everybody. It returns false when it was cancelled.
func (l *loop) build(ctx context.Context, change Change, first bool) bool {
	start := time.Now()
	if !change.Asked {
		l.tree.forget()
	}
	next := l.tree.Begin()
	defer next.Abort()
	e := Event{First: first, Change: change, Files: l.shown}
	shown := &shownDraft{draft: next, paintFor: l.paintFor, show: func(files []FileChange) bool {
		if len(files) == 0 {
			return false
		}
		e.Files = append(e.Files, files...)
		if e.Elapsed == 0 {
			e.Elapsed = time.Since(start)
		}
		return l.events.changed(files)
	}}
	e.Built, e.Err = l.Build(ctx, change, shown)
	if ctx.Err() != nil {
		l.shown = e.Files
		return false
	}
	l.shown = nil
	var files []FileChange
	if e.Err == nil && next.complete {
		files, e.Err = next.publish()
		e.Files = append(e.Files, files...)
	}
	e.Files = once(e.Files)
	for _, f := range e.Files {
		if isPage(f) {
			e.Pages++
		}
	}
	m := message{Findings: e.Built.Findings}
	if m.Findings == nil {
		m.Findings = []Finding{}
	}
	if e.Err != nil {
		m.Error = e.Err.Error()
	}
	l.events.publish(m, files)
	if e.Elapsed == 0 || e.Err != nil || e.Built.Failed {
		e.Elapsed = time.Since(start)
	}
	if l.Report != nil && !change.Asked {
		l.Report(e)
	}
	return true
}

// once returns changes in the order of their paths, of each path the last.
func once(files []FileChange) []FileChange {
	slices.Reverse(files)
	slices.SortStableFunc(files, func(a, b FileChange) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b FileChange) bool { return a.Path == b.Path })
}

// shownDraft is a draft that says what it shows before it is done.
type shownDraft struct {
	*draft
	paintFor time.Duration

	mu   sync.Mutex
	show func(files []FileChange) bool // reports whether an open page is among them
	open bool                          // a previewed page is open
}

// Show implements [Sink].
func (d *shownDraft) Show() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.show(d.draft.Show())
}

// Preview implements [Sink].
func (d *shownDraft) Preview(path string, data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := d.draft.preview(path, data)
	if d.show(files) {
		d.open = true
	}
	return err
}

func (d *shownDraft) Pause(ctx context.Context) {
	d.mu.Lock()
	open := d.open
	d.open = false
	d.mu.Unlock()
	if !open {
		return
	}
	select {
	case <-time.After(d.paintFor):
	case <-ctx.Done():
	}
}

// isPage reports whether a change made or changed a page.
func isPage(f FileChange) bool {
	return f.Change != publish.Deleted && path.Ext(f.Path) == ".html"
}

// portsTried is how many ports after the first are tried.
const portsTried = 20

// Listen opens the port, or the next free one if the port is not fixed.
func Listen(host string, first int, fixed bool) (net.Listener, error) {
	if host == "" {
		host = "127.0.0.1"
	}
	for port := first; ; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, diag.WithHint(fmt.Errorf("listen on %s: %w", net.JoinHostPort(host, strconv.Itoa(port)), err), "name another address with --host and --port")
		case fixed || port >= first+portsTried:
			return nil, diag.WithHint(fmt.Errorf("port %d is taken by another program", port), "name another one with --port N; 0 is any free one")
		}
	}
}
