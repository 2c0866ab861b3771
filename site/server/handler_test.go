package server

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// ask sends one request to a handler of a small site.
func ask(t *testing.T, method, host, target string) (status int, header http.Header, body string) {
	t.Helper()
	tree := newTree(t)
	fill(t, tree, map[string]string{
		"index.html": "<!doctype html>start", "404.html": "<!doctype html>lost", "packs/a/index.html": "pack a",
		"packs/a/x.md": "# X", "assets/m.wasm.gz": "packed",
	})
	h := &handler{tree: tree, events: &events{tree: tree}, hosts: []string{"box.example"}}
	r := httptest.NewRequest(method, target, nil)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	data := oktest.Value(io.ReadAll(w.Result().Body))(t)
	return w.Code, w.Header(), string(data)
}

func TestHandlerAnswersForThisMachineAlone(t *testing.T) {
	for host, want := range map[string]int{
		"localhost:4321": 200, "LOCALHOST": 200, "127.0.0.1:4321": 200, "[::1]:4321": 200, "::1": 200, "192.168.1.5:4321": 200,
		"site.localhost:1": 200, "box.example:4321": 200,
		"evil.example": 403, "localhost.evil.example": 403, "evillocalhost": 403, "127.0.0.1.evil.example": 403, "": 403,
	} {
		if status, _, _ := ask(t, "GET", host, "/"); status != want {
			t.Errorf("Host %q: status %d, want %d", host, status, want)
		}
	}
}

func TestHandlerFindsFiles(t *testing.T) {
	for _, test := range []struct {
		method, target string
		status         int
		kind, body     string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", "start"},
		{"GET", "/packs/a/", 200, "text/html; charset=utf-8", "pack a"},
		{"GET", "/packs/a", 302, "text/html; charset=utf-8", ""},
		{"GET", "/packs/a/x.md", 200, "text/plain; charset=utf-8", "# X"},
		{"GET", "/assets/m.wasm.gz", 200, "application/gzip", "packed"},
		{"GET", "/nothing", 404, "text/html; charset=utf-8", "lost"},
		{"GET", "/../../etc/passwd", 404, "text/html; charset=utf-8", "lost"},
		{"GET", "/%2e%2e/secret", 404, "text/html; charset=utf-8", "lost"},
		{"HEAD", "/", 200, "text/html; charset=utf-8", ""},
		{"POST", "/", 405, "text/plain; charset=utf-8", "only GET"},
		{"GET", "/_packgen/other", 404, "text/plain; charset=utf-8", "not found"},
		{"GET", "/_packgen/live.js", 200, "text/javascript; charset=utf-8", "EventSource"},
		{"GET", "/_packgen/live.css", 200, "text/css; charset=utf-8", ".panel"},
	} {
		status, header, body := ask(t, test.method, "localhost", test.target)
		if status != test.status || header.Get("Content-Type") != test.kind || !strings.Contains(body, test.body) {
			t.Errorf("%s %s: %d %q %q; want %d %q with %q", test.method, test.target, status, header.Get("Content-Type"), body, test.status, test.kind, test.body)
		}
	}
}

func TestOnlyPagesGetTheScript(t *testing.T) {
	if _, _, body := ask(t, "GET", "localhost", "/"); !strings.Contains(body, `<script src=/_packgen/live.js data-page="index.html" data-sum=`) {
		t.Errorf("the page has no script: %s", body)
	}
	if _, _, body := ask(t, "GET", "localhost", "/packs/a/x.md"); body != "# X" {
		t.Errorf("a raw file is changed: %q", body)
	}
}

// A client that sends a body slowly, or does not read its answer, is given up; one that
// reads gets all of it.
func TestSlowClientsAreGivenUp(t *testing.T) {
	tree := newTree(t)
	big := strings.Repeat("x", 20*maxPiece)
	fill(t, tree, map[string]string{"index.html": "start", "big.txt": big})
	start := func(h *handler) (send func(text string) net.Conn, ended chan string) {
		ended = make(chan string, 10)
		server := httptest.NewUnstartedServer(h)
		server.Config.ConnState = func(c net.Conn, s http.ConnState) {
			if s == http.StateClosed {
				ended <- c.RemoteAddr().String()
			}
		}
		server.Start()
		t.Cleanup(server.Close)
		return func(text string) net.Conn {
			conn := oktest.Value(net.Dial("tcp", server.Listener.Addr().String()))(t)
			t.Cleanup(func() { conn.Close() })
			if _, err := io.WriteString(conn, text); err != nil {
				t.Fatal(err)
			}
			return conn
		}, ended
	}
	send, ended := start(&handler{tree: tree, events: &events{tree: tree}, bodyTimeout: time.Millisecond})
	said, err := io.ReadAll(send("GET /big.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
	if err != nil || !strings.HasSuffix(string(said), "\r\n\r\n"+big) {
		t.Errorf("%d bytes, %v", len(said), err)
	}
	<-ended
	for _, begin := range []string{"POST", "GET"} {
		said, err := io.ReadAll(send(begin + " / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx"))
		if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 ") {
			t.Errorf("%s: %.80q, %v", begin, said, err)
		}
		<-ended
	}
	// Nobody reads this: more than the buffers of both ends hold.
	send, ended = start(&handler{tree: tree, events: &events{tree: tree}, pieceTimeout: time.Millisecond})
	quiet := send(strings.Repeat("GET /big.txt HTTP/1.1\r\nHost: localhost\r\n\r\n", 200))
	if got := <-ended; got != quiet.LocalAddr().String() {
		t.Errorf("the connection of %s ended", got)
	}
}
