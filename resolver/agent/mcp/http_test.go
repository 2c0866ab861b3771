package mcp

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// served serves a repository over HTTP and returns its address.
func served(t *testing.T, o Options) string {
	t.Helper()
	dir := t.TempDir()
	oktest.Write(t, dir, repository())
	l := oktest.Value(ListenHTTP("0"))(t)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- ServeHTTP(ctx, New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}, o), l)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return Address(l)
}

func TestTheClientOfTheSDKOverHTTP(t *testing.T) {
	log := filepath.Join(t.TempDir(), "usage.jsonl")
	addr := served(t, Options{Version: "1", Log: log})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for range 2 { // several sessions at one time
		session := oktest.Value(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &sdk.StreamableClientTransport{Endpoint: addr}, nil))(t)
		defer session.Close()
		tools, err := session.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 6 {
			t.Fatalf("%d tools, %v", len(tools.Tools), err)
		}
		r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "resolve_context", Arguments: map[string]any{"task": "how often should I descale the kettle"}})
		if err != nil || r.IsError || r.StructuredContent == nil {
			t.Fatalf("%+v, %v", r, err)
		}
		resources, err := session.ListResources(ctx, nil)
		if err != nil || len(resources.Resources) == 0 {
			t.Errorf("%+v, %v", resources, err)
		}
	}
	data, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(data), `"trigger":"mcp:resolve_context","mode":"lazy"`) {
		t.Errorf("the usage log holds %s, %v", data, err)
	}
}

func TestRequestsFromElsewhereAreRefused(t *testing.T) {
	addr := served(t, Options{Version: "1"})
	const body = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for name, c := range map[string]struct {
		host, origin, path, body string
		want                     int
	}{
		"no origin":          {body: body, want: 200},
		"its own origin":     {body: body, origin: "http://localhost:1234", want: 200},
		"another origin":     {body: body, origin: "https://evil.example", want: 403},
		"no real origin":     {body: body, origin: "null", want: 403},
		"another scheme":     {body: body, origin: "file://localhost", want: 403},
		"another host":       {body: body, host: "evil.example", want: 403},
		"a host with a port": {body: body, host: "localhost:99", want: 200},
		"another path":       {body: body, path: "/", want: 404},
		"no JSON":            {body: "{", want: 400},
		"a flood":            {body: `"` + strings.Repeat("x", maxBody+1) + `"`, want: 413},
	} {
		target := addr
		if c.path != "" {
			target = strings.TrimSuffix(addr, endpoint) + c.path
		}
		req := oktest.Value(http.NewRequest(http.MethodPost, target, bytes.NewReader([]byte(c.body))))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		req.Host = c.host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		if resp.StatusCode != c.want && !(c.want >= 400 && c.want != 403 && resp.StatusCode >= 400) {
			t.Errorf("%s: %d, want %d", name, resp.StatusCode, c.want)
		}
	}
}

func TestAddressesToListenAt(t *testing.T) {
	for _, bad := range []string{"", "x:y:z", "host", "127.0.0.1:99999"} {
		if l, err := ListenHTTP(bad); err == nil {
			l.Close()
			t.Errorf("%q is taken", bad)
		}
	}
	l := oktest.Value(ListenHTTP(":0"))(t)
	defer l.Close()
	if !strings.HasPrefix(Address(l), "http://127.0.0.1:") {
		t.Errorf("without a host it is at %s", Address(l))
	}
}

// slowly sends the beginning of a request, and returns the connection that waits.
func slowly(t *testing.T, addr, begin string) net.Conn {
	t.Helper()
	conn := oktest.Value(net.Dial("tcp", strings.TrimPrefix(strings.TrimSuffix(addr, endpoint), "http://")))(t)
	t.Cleanup(func() { conn.Close() })
	if _, err := io.WriteString(conn, begin); err != nil {
		t.Fatal(err)
	}
	return conn
}

const slowHead = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 4000000\r\n\r\n{"

// Clients that send slowly, and streams that stay open, keep nobody from an answer.
func TestSlowClientsDoNotKeepOthersFromAnswers(t *testing.T) {
	addr := served(t, Options{Version: "1"})
	start := func() string {
		req := oktest.Value(http.NewRequest(http.MethodPost, addr, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp := oktest.Value(http.DefaultClient.Do(req))(t)
		defer resp.Body.Close()
		if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("initialize is answered with %d, %s, %v", resp.StatusCode, text, err)
		}
		return resp.Header.Get("Mcp-Session-Id")
	}
	for range 2 * maxAnswering {
		slowly(t, addr, slowHead)
	}
	large := strings.Repeat(" ", smallBody)
	for range 2 * maxLarge {
		slowly(t, addr, slowHead+large)
	}
	for range maxStreams + 1 {
		slowly(t, addr, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: "+start()+"\r\n\r\n")
	}
	start()
}

// The body of a request has a time to arrive in, whoever refuses it and whatever else is
// wrong with it, and so has the answer of the program.
func TestBodiesAndAnswersHaveATime(t *testing.T) {
	g := newGuard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		http.Error(w, "late", http.StatusGatewayTimeout)
	}), []string{"localhost"})
	g.bodyWait, g.answerWait = time.Millisecond, time.Millisecond
	server := httptest.NewServer(g)
	defer server.Close()
	for begin, want := range map[string]string{
		slowHead: "408 Request Timeout",
		slowHead + strings.Repeat(" ", smallBody):                                                 "408 Request Timeout",
		strings.Replace(slowHead, "localhost", "elsewhere", 1):                                    "403 Forbidden",
		strings.Replace(slowHead, "/mcp", "/", 1):                                                 "404 Not Found",
		strings.Replace(slowHead, "POST", "GET", 1):                                               "408 Request Timeout",
		strings.Replace(slowHead, "POST", "DELETE", 1):                                            "408 Request Timeout",
		"POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n": "504 Gateway Timeout",
	} {
		said, err := io.ReadAll(slowly(t, server.URL, begin)) // until the server closes the connection
		if err != nil || !strings.HasPrefix(string(said), "HTTP/1.1 "+want) {
			t.Errorf("%.40q is answered with %.80q, %v; want %s", begin, said, err, want)
		}
	}
}
