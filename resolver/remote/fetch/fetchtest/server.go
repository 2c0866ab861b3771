package fetchtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Server is a loopback HTTP server that remembers what it was asked.
type Server struct {
	URL  string // without a final slash
	HTTP *httptest.Server

	inner http.Handler
	quit  chan struct{} // closed when the test is over: stalled answers end

	mu     sync.Mutex
	asked  []Request
	faults []*Fault
}

// Request is what came from a client.
type Request struct {
	Path   string // decoded
	Query  string
	Header http.Header
}

// Fault says how answers go wrong. The first fault whose Path fits counts.
type Fault struct {
	Path  string // part of the request's path; "" fits every request
	Times int    // requests it spoils; 0 means one, negative all

	Status   int               // answer this status, with Body
	Header   map[string]string // set in the answer
	Body     string            // with Status
	Redirect string            // answer 302 to this address

	Drop        bool  // close the connection without an answer
	Cut         int64 // close the connection after that many bytes of the body; 0 means never
	Stall       int64 // after that many bytes send nothing more; 0 means never
	Length      int64 // announce this length, and never send more; 0 means the right one
	IgnoreRange bool  // answer as if the request had no Range
	WrongRange  bool  // answer a Range with bytes from elsewhere
	Corrupt     bool  // change the first byte of the body
	Chunked     bool  // announce no length
}

// NewServer starts a server that ends with the test.
func NewServer(t testing.TB, handler http.Handler) *Server {
	t.Helper()
	return newServer(t, handler, (*httptest.Server).Start)
}

// NewTLSServer is NewServer over https, with the certificate of
// httptest.NewTLSServer: HTTP.Client trusts it, nobody else does.
func NewTLSServer(t testing.TB, handler http.Handler) *Server {
	t.Helper()
	return newServer(t, handler, (*httptest.Server).StartTLS)
}

func newServer(t testing.TB, handler http.Handler, start func(*httptest.Server)) *Server {
	s := &Server{inner: handler, quit: make(chan struct{})}
	s.HTTP = httptest.NewUnstartedServer(s)
	s.HTTP.Config.ErrorLog = log.New(io.Discard, "", 0) // it would log refused handshakes
	start(s.HTTP)
	s.URL = s.HTTP.URL
	t.Cleanup(func() {
		close(s.quit)
		s.HTTP.Close()
	})
	return s
}

// NewSite serves files below a path, such as "/docs", as a plain file server
// does: with Range, entity tags left out, and nothing for a directory.
func NewSite(t testing.TB, prefix string, files fs.FS) *Server {
	t.Helper()
	s := NewServer(t, http.StripPrefix(prefix, http.FileServerFS(files)))
	s.URL += prefix
	return s
}

// Spoil adds faults.
func (s *Server) Spoil(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range faults {
		f.Times = cmp.Or(f.Times, 1)
		s.faults = append(s.faults, &f)
	}
}

// Requests returns what was asked so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.asked...)
}

// ServeHTTP answers a request, spoiled or not.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	fault := s.note(r)
	if fault == nil {
		s.inner.ServeHTTP(w, r)
		return
	}
	fault.answer(w, r, s)
}

// note remembers a request and finds the fault that spoils it.
func (s *Server) note(r *http.Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, Request{r.URL.Path, r.URL.RawQuery, r.Header.Clone()})
	for _, f := range s.faults {
		if f.Times != 0 && strings.Contains(r.URL.Path, f.Path) {
			f.Times--
			return f
		}
	}
	return nil
}

// answer spoils one answer.
func (f *Fault) answer(w http.ResponseWriter, r *http.Request, s *Server) {
	for name, value := range f.Header {
		w.Header().Set(name, value)
	}
	switch {
	case f.Drop:
		panic(http.ErrAbortHandler)
	case f.Redirect != "":
		w.Header().Set("Location", f.Redirect)
		w.WriteHeader(http.StatusFound)
		return
	case f.Status != 0:
		w.WriteHeader(f.Status)
		_, _ = w.Write([]byte(f.Body))
		return
	}
	f.spoilBody(w, r, s)
}

// spoilBody asks the handler and passes its answer on, spoiled.
func (f *Fault) spoilBody(w http.ResponseWriter, r *http.Request, s *Server) {
	if f.IgnoreRange {
		r.Header.Del("Range")
	}
	if f.WrongRange && r.Header.Get("Range") != "" {
		r.Header.Set("Range", "bytes=0-")
	}
	whole := httptest.NewRecorder()
	s.inner.ServeHTTP(whole, r)
	for name, values := range whole.Header() {
		if _, set := f.Header[name]; !set {
			w.Header()[name] = values
		}
	}
	body := bytes.Clone(whole.Body.Bytes())
	if f.Corrupt && len(body) > 0 {
		body[0] ^= 0xff
	}
	length := cmp.Or(f.Length, int64(len(body)))
	w.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	if f.Chunked {
		w.Header().Del("Content-Length")
	}
	w.WriteHeader(whole.Code)
	f.send(w, r, s, body[:min(length, int64(len(body)))])
}

// send writes a body up to where the fault stops it.
func (f *Fault) send(w http.ResponseWriter, r *http.Request, s *Server, body []byte) {
	stop := int64(len(body))
	for _, limit := range []int64{f.Cut, f.Stall} {
		if limit > 0 {
			stop = min(stop, limit)
		}
	}
	_, _ = w.Write(body[:stop])
	if err := http.NewResponseController(w).Flush(); err != nil {
		panic(fmt.Sprintf("fetchtest: flush: %v", err))
	}
	switch {
	case f.Stall > 0:
		select {
		case <-r.Context().Done():
		case <-s.quit:
		}
	case f.Cut > 0:
		panic(http.ErrAbortHandler)
	}
}
