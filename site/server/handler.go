package server

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"html"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/packgen/packgen/assets"
)

// ownDir is the path below which the server's own files are. No page of a
// site can be there: a site has no file that begins with an underscore.
const ownDir = "/_packgen/"

// handler serves a tree to browsers on this machine.
type handler struct {
	tree   *siteTree
	events *events
	hosts  []string // names besides loopback that a request may be for

	bodyTimeout, pieceTimeout time.Duration // take the place of the constants in tests; 0 leaves them
}

// maxPiece is how many bytes of an answer a client is given at one time.
const maxPiece = 64 << 10

// patient gives a client a time for each piece of an answer: a slow one gets all of it,
// and one that does not read is given up.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
	timeout time.Duration
}

func (p *patient) Write(b []byte) (n int, err error) {
	for n < len(b) && err == nil {
		var written int
		_ = p.control.SetWriteDeadline(time.Now().Add(p.timeout))
		written, err = p.ResponseWriter.Write(b[n:min(n+maxPiece, len(b))])
		n += written
	}
	return n, err
}

// WriteHeader writes the head of an answer, which may be all of it.
func (p *patient) WriteHeader(code int) {
	_ = p.control.SetWriteDeadline(time.Now().Add(p.timeout))
	p.ResponseWriter.WriteHeader(code)
}

func (p *patient) Flush() { _ = p.control.Flush() }

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// ServeHTTP answers with a file of the tree, or with 404.html and status 404.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if r.ContentLength != 0 { // a body that nobody reads has to end, too
		_ = control.SetReadDeadline(time.Now().Add(cmp.Or(h.bodyTimeout, requestTimeout)))
	}
	w = &patient{w, control, cmp.Or(h.pieceTimeout, pieceTimeout)}
	if !h.allows(r.Host) {
		http.Error(w, "this server answers only for this machine; name other hosts with --host", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD are answered", http.StatusMethodNotAllowed)
		return
	}
	if own, ok := strings.CutPrefix(r.URL.Path, ownDir); ok {
		h.serveOwn(w, r, own)
		return
	}
	h.serveFile(w, r)
}

// allows reports whether a request for that host may be answered. A web page
// from elsewhere can have its name resolve to this machine; it cannot do so with
// an address or with localhost, so those are answered.
func (h *handler) allows(host string) bool {
	name := host
	if n, _, err := net.SplitHostPort(host); err == nil {
		name = n
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") || net.ParseIP(name) != nil {
		return true
	}
	for _, allowed := range h.hosts {
		if strings.EqualFold(name, allowed) {
			return true
		}
	}
	return false
}

// serveOwn answers for what the server adds to a site: the script, its
// stylesheet, the stream of events.
func (h *handler) serveOwn(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Cache-Control", "no-store")
	switch name {
	case "live.js", "live.css":
		script, style, err := assets.Live()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		data, kind := script, "text/javascript; charset=utf-8"
		if name == "live.css" {
			data, kind = style, "text/css; charset=utf-8"
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data)
	case "events":
		h.events.serve(w, r)
	default:
		http.NotFound(w, r)
	}
}

// askedFor is how long a request waits for a file that is made when it is asked for.
const askedFor = 2 * time.Minute

// serveFile answers with a file of the site.
func (h *handler) serveFile(w http.ResponseWriter, r *http.Request) {
	name, status := fileOf(r.URL.Path), http.StatusOK
	data, sum, found, err := h.tree.Read(name)
	for late := time.After(askedFor); !found && err == nil; data, sum, found, err = h.tree.Read(name) {
		made := h.tree.Ask(name)
		if made == nil {
			break
		}
		select {
		case <-made:
		case <-r.Context().Done():
			return
		case <-late:
			http.Error(w, "the file is not made yet: ask again", http.StatusServiceUnavailable)
			return
		}
	}
	if !found && err == nil {
		if !strings.HasSuffix(r.URL.Path, "/") {
			if _, dir := h.tree.Sum(name + "/index.html"); dir {
				http.Redirect(w, r, path.Base(r.URL.Path)+"/", http.StatusFound)
				return
			}
		}
		name, status = "404.html", http.StatusNotFound
		data, sum, found, err = h.tree.Read(name)
	}
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case !found:
		data, name = []byte("<!doctype html>\n<title>packgen serve</title>\n<p>No page of this address exists yet.\n"), "404.html"
	}
	kind := kindOf(name)
	if strings.HasPrefix(kind, "text/html") {
		data = withScript(data, name, sum)
	}
	header := w.Header()
	header.Set("Content-Type", kind)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Length", fmt.Sprint(len(data)))
	w.WriteHeader(status)
	if r.Method == http.MethodGet {
		_, _ = w.Write(data)
	}
}

// fileOf returns the path in the tree that an address is about.
func fileOf(address string) string {
	name := path.Clean("/" + address)[1:]
	switch {
	case name == "":
		return "index.html"
	case strings.HasSuffix(address, "/"):
		return name + "/index.html"
	}
	return name
}

// kindOf returns the media type of a file by its name. The types that a site has
// are listed here, since those of the system differ from machine to machine.
func kindOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".md", ".txt":
		return "text/plain; charset=utf-8"
	case ".json":
		return "application/json"
	case ".svg":
		return "image/svg+xml"
	case ".xml":
		return "application/xml"
	case ".gz":
		return "application/gzip" // before the table below, which may call it an encoding
	}
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

// withScript adds the script that listens for changes to a page. It carries what
// the page is, so that a page that changed between its download and the first
// event is reloaded all the same.
func withScript(page []byte, name string, sum digest) []byte {
	tag := fmt.Sprintf("\n<script src=%slive.js data-page=\"%s\" data-sum=%s></script>\n",
		ownDir, html.EscapeString(name), hex.EncodeToString(sum[:8]))
	return append(page[:len(page):len(page)], tag...)
}
