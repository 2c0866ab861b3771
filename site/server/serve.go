package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/site"
)

// Sink takes the files of one build. A file that is neither put nor kept is gone
// from the site.
type Sink interface {
	site.Sink
	site.Keeper
	site.Holder
	site.Chooser
	// Show makes what was put so far visible to open pages, before the build is done. It
	// may be called from several goroutines.
	Show()
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
	// once. Required.
	Build func(ctx context.Context, change Change, sink Sink) (Built, error)
	// Report is called after each build; nil reports to nobody.
	Report func(Event)
	// TempDir is where the site is kept; "" is the system's.
	TempDir string
}

// requestTimeout bounds how long a client may take to send the head of a request.
const requestTimeout = 10 * time.Second

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
	l := &loop{Options: o, tree: tree, events: &events{tree: tree}}
	server := &http.Server{
		Handler:           &handler{tree: tree, events: l.events, hosts: o.Hosts},
		ReadHeaderTimeout: requestTimeout,
	}
	served := make(chan error, 1)
	l.build(ctx, Change{}, true)
	go func() { served <- server.Serve(o.Listener) }()
	for {
		select {
		case change, ok := <-changes:
			if ok {
				l.build(ctx, change, false)
				continue
			}
			changes = nil // the context has ended
		case <-tree.ask:
			l.build(ctx, Change{Asked: true}, false)
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
	tree   *Tree
	events *events
}

// build makes the site once and tells everybody.
func (l *loop) build(ctx context.Context, change Change, first bool) {
	start := time.Now()
	if !change.Asked {
		l.tree.forget()
	}
	next := l.tree.Begin()
	defer next.Abort()
	e := Event{First: first, Change: change}
	shown := &shownDraft{draft: next, show: func(files []FileChange) {
		e.Files = append(e.Files, files...)
		if len(files) > 0 && e.Elapsed == 0 {
			e.Elapsed = time.Since(start)
		}
		l.events.changed(files)
	}}
	e.Built, e.Err = l.Build(ctx, change, shown)
	if ctx.Err() != nil {
		return
	}
	var files []FileChange
	if e.Err == nil && !e.Built.Failed {
		files, e.Err = next.Commit()
		e.Files = append(e.Files, files...)
	}
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
}

// shownDraft is a draft that says what it shows before it is done.
type shownDraft struct {
	*draft
	mu   sync.Mutex
	show func(files []FileChange)
}

// Show implements [Sink].
func (d *shownDraft) Show() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.show(d.draft.Show())
}

// isPage reports whether a change made or changed a page.
func isPage(f FileChange) bool {
	return f.Change != publish.Deleted && path.Ext(f.Path) == ".html"
}
