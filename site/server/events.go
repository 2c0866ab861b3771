package server

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
)

// message is what an open page receives after a build.
type message struct {
	// Reload says that the page itself changed.
	Reload bool `json:"reload,omitempty"`
	// Styles maps each stylesheet that changed to the one that replaces it, both
	// below the site root: the page swaps them without a reload.
	Styles map[string]string `json:"styles,omitempty"`
	// Findings are those to show over the page; empty when all is well.
	Findings []Finding `json:"findings"`
	// Error is why there was no build; "" when there was one.
	Error string `json:"error,omitempty"`
}

// Finding is a diagnostic as a page shows it; its path is relative to the
// repository root.
type Finding struct {
	diag.Finding
	Frame string `json:"frame,omitempty"` // the line it is about, with a caret
}

// events hands messages to the pages that are open. The zero value is ready.
type events struct {
	tree *siteTree

	mu    sync.Mutex
	pages map[*listener]struct{}
	last  message // for pages that come later: without Reload and Styles
}

// listener is one open page.
type listener struct {
	page string // its path in the tree
	send chan message
}

// maxPages is how many open pages are notified of changes; more are refused, which
// costs them only that.
const maxPages = 256

// keepAlive is how often a comment is sent on a stream without messages, so that
// a page that is gone is noticed.
const keepAlive = 20 * time.Second

// serve is one stream of server-sent events.
func (e *events) serve(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "this connection cannot stream", http.StatusInternalServerError)
		return
	}
	page := r.URL.Query().Get("page")
	l := &listener{page: page, send: make(chan message, 8)}
	first, ok := e.join(l, r.URL.Query().Get("sum"))
	if !ok {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer e.leave(l)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	if write(w, first) != nil {
		return
	}
	flusher.Flush()
	alive := time.NewTicker(keepAlive)
	defer alive.Stop()
	for {
		var err error
		select {
		case <-r.Context().Done():
			return
		case <-alive.C:
			_, err = fmt.Fprint(w, ":\n\n")
		case m, open := <-l.send:
			if !open {
				return
			}
			err = write(w, m)
		}
		if err != nil {
			return
		}
		flusher.Flush()
	}
}

func write(w http.ResponseWriter, m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "data: %s\n\n", data)
	return err
}

// join adds a page and returns its first message: what there is to show, and a
// reload when the page changed since it was sent. It reports false when too many
// pages are open.
func (e *events) join(l *listener, sum string) (message, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.pages) >= maxPages {
		return message{}, false
	}
	if e.pages == nil {
		e.pages = map[*listener]struct{}{}
	}
	e.pages[l] = struct{}{}
	first := e.last
	if now, ok := e.tree.Sum(l.page); ok && sum != "" {
		first.Reload = hex.EncodeToString(now[:8]) != sum
	}
	return first, true
}

func (e *events) leave(l *listener) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.pages, l)
}

// changed notifies open pages of files that changed while the rest is still being built;
// findings stay as they were. It reports whether one of the files is an open page.
func (e *events) changed(changes []FileChange) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.send(e.last, changes)
}

// publish sends each open page what a build means for it.
func (e *events) publish(m message, changes []FileChange) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.send(m, changes)
}

// send sends a message to each open page, and reports whether one of them changed.
func (e *events) send(m message, changes []FileChange) (open bool) {
	e.last = message{Findings: m.Findings, Error: m.Error}
	styles := renamedStyles(changes)
	changed := map[string]FileChange{}
	for _, c := range changes {
		changed[c.Path] = c
	}
	for l := range e.pages {
		mine := m
		if c, ok := changed[l.page]; ok {
			open = true
			if c.Style && styles != nil {
				mine.Styles = styles
			} else {
				mine.Reload = true
			}
		}
		select {
		case l.send <- mine:
		default: // a page that does not read is dropped; it asks again by itself
			delete(e.pages, l)
			close(l.send)
		}
	}
	return open
}

// renamedStyles finds stylesheets that were replaced: their names end in a hash
// of their bytes, so a changed one is a new file beside a deleted one. It is nil
// when anything else of the assets changed, which only a reload can show.
func renamedStyles(changes []FileChange) map[string]string {
	gone, come := map[string]string{}, map[string]string{}
	for _, c := range changes {
		stem, isStyle := styleStem(c.Path)
		switch {
		case !strings.HasPrefix(c.Path, "assets/"):
		case !isStyle:
			return nil
		case c.Change == publish.Deleted:
			gone[stem] = c.Path
		default:
			come[stem] = c.Path
		}
	}
	var styles map[string]string
	for stem, from := range gone {
		if to, ok := come[stem]; ok {
			if styles == nil {
				styles = map[string]string{}
			}
			styles[from] = to
		}
	}
	return styles
}

// styleStem returns the name of a stylesheet without its hash.
func styleStem(name string) (stem string, ok bool) {
	base := path.Base(name)
	dash := strings.LastIndexByte(base, '-')
	if path.Ext(base) != ".css" || dash < 0 {
		return "", false
	}
	return base[:dash], true
}

// close ends all streams.
func (e *events) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for l := range e.pages {
		delete(e.pages, l)
		close(l.send)
	}
}
