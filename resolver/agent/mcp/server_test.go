package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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

// oddValues are values in JSON that a field of a request may have.
func oddValues() []string {
	list := []string{
		// No text.
		`null`, `true`, `0`, `-1`, `1.5`, `1e308`, `-1e308`, `9007199254740993`, `123456789012345678901234567890`, `{}`, `[]`, `[null]`, `{"a":{"a":[1]}}`,
		strings.Repeat("[", 900) + strings.Repeat("]", 900), strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000),
		// Texts that cannot be read.
		`""`, `" "`, `"\ud800"`, `"\udc41\udb40"`, "\"\xff\xfe\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"",
		// Long ones.
		`"` + strings.Repeat("a", 200_000) + `"`, `"` + strings.Repeat(`\u0007`, 20_000) + `"`,
		// URIs.
		`"%"`, `"%zz"`, `"%00"`, `"knowledge:"`, `"knowledge://"`, `"knowledge://%zz/a"`, `"knowledge://kettle/%"`, `"knowledge://kettle/%07"`, `"knowledge://kettle/%00"`, `"knowledge://kettle/%ff"`,
		`"knowledge://kettle/../../outside.md"`, `"knowledge://[::1"`, `"://"`, `"http://"`, `"knowledge://kettle:x/a"`, `"knowledge://a b/c"`, `"knowledge://kettle/documents/kettle.md?a#b"`, `"knowledge://{pack}/{+path}"`,
	}
	for _, c := range []string{
		`\u0000`, `\u0007`, `\u000a`, `\u001b`, `\u007f`, `\u0080`, `\u009b`, `\u00ad`, `\u0378`, `\u200b`, `\u202e`, `\u2028`, `\ufeff`, `\ufffd`, `\ufffe`, `\uffff`,
		`\udb40\udc41`, `\udb40\udd00`, `\ud800`, `\udfff`, `\udbff\udfff`, `\ue000`, `\ud83f\udfff`, `\u0300`,
	} {
		list = append(list, `"knowledge://kettle/`+c+`"`, `"kettle`+c+`"`)
	}
	return list
}

// oddRequests are requests with a value in each field that a client fills in; VALUE is
// where it goes.
func oddRequests() []string {
	list := []string{
		`{"jsonrpc":"2.0","id":VALUE,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":VALUE}`,
		`{"jsonrpc":"2.0","method":VALUE,"params":{}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":VALUE}`,
		`{"jsonrpc":"2.0","id":VALUE,"result":VALUE}`,
		`{"jsonrpc":"2.0","id":7,"error":VALUE}`,
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":VALUE,"capabilities":VALUE,"clientInfo":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":VALUE}`,
		`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":VALUE},"argument":{"name":"pack","value":"k"}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":VALUE},"argument":{"name":VALUE,"value":VALUE}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":VALUE,"arguments":{}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"search","arguments":{"query":"kettle"},"_meta":{"progressToken":VALUE}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"prompts/get","params":{"name":"use_pack","arguments":{"name":VALUE,"task":VALUE}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":VALUE}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":VALUE,"reason":VALUE}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":VALUE,"progress":VALUE}}`,
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed","params":VALUE}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":VALUE}}`,
		`{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":VALUE}}}`,
		`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":VALUE}}`,
	}
	for _, method := range []string{"resources/read", "resources/subscribe", "resources/unsubscribe"} {
		list = append(list, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"uri":VALUE}}`)
	}
	for _, method := range []string{"resources/list", "resources/templates/list", "tools/list", "prompts/list"} {
		list = append(list, `{"jsonrpc":"2.0","id":7,"method":"`+method+`","params":{"cursor":VALUE}}`)
	}
	for tool, fields := range map[string][]string{
		"resolve_context": {"task", "budget", "packs", "mode", "also"}, "match_knowledge": {"task", "limit", "min_score", "also"}, "explain_match": {"task", "id"},
		"read_entry": {"id", "path", "offset", "limit"}, "search": {"query"}, "fetch": {"id"},
	} {
		for _, field := range fields {
			others := ""
			if field != "task" && (tool == "resolve_context" || tool == "match_knowledge" || tool == "explain_match") {
				others = `"task":"descale the kettle",`
			}
			if tool == "read_entry" && field != "id" && field != "path" {
				others = `"id":"kettle:documents/kettle.md",`
			}
			list = append(list, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"`+tool+`","arguments":{`+others+`"`+field+`":VALUE}}}`)
		}
	}
	return list
}

// Whatever a field of a request holds, the next request is answered.
func TestNoFieldEndsTheSession(t *testing.T) {
	p := pipe(t, "2025-06-18")
	for _, request := range oddRequests() {
		for _, value := range oddValues() {
			line := strings.ReplaceAll(request, "VALUE", value)
			p.send(line)
			for _, said := range p.answers() {
				if !json.Valid([]byte(said)) {
					t.Errorf("%.200q is answered with %.200q", line, said)
				}
			}
		}
	}
	p.in.Close()
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Error(err)
	}
	if err := <-p.ends; err != nil {
		t.Error(err)
	}
}

// The same over HTTP, for the fields that lead to an error with what they hold.
func TestNoFieldEndsTheSessionOverHTTP(t *testing.T) {
	addr := served(t, Options{Version: "1"})
	session := ""
	post := func(body string) (int, string) {
		req := oktest.Value(http.NewRequest(http.MethodPost, addr, strings.NewReader(body)))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("%.200q: %v", body, err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatalf("%.200q: %v", body, err)
		}
		if session == "" {
			session = resp.Header.Get("Mcp-Session-Id")
		}
		return resp.StatusCode, string(text)
	}
	post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for _, request := range oddRequests() {
		if strings.Contains(request, "tools/call") && !strings.Contains(request, `"name":VALUE`) {
			continue // the pipe has had those
		}
		for _, value := range oddValues() {
			post(strings.ReplaceAll(request, "VALUE", value))
		}
		if code, text := post(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`); code != http.StatusOK || !strings.Contains(text, `"id":"alive","result":{}`) {
			t.Fatalf("after %s a ping is answered with %d, %s", request, code, text)
		}
	}
}

func TestURIs(t *testing.T) {
	for uri, want := range map[string]string{
		"knowledge://kettle/documents/größe.md": "", "knowledge://kettle/a%20b.md": "", "knowledge://kettle/a b.md": "", "none": "", "": "",
		"knowledge://kettle/\a":                          "U+0007 at byte 19",
		"knowledge://kettle/\U000e0041":                  "U+E0041",
		"knowledge://kettle/\u009b":                      "U+009B",
		"knowledge://kettle/\u202e":                      "U+202E",
		"knowledge://kettle/\xff":                        "U+FFFD",
		"knowledge://kettle/%zz":                         "cannot be read",
		"knowledge://" + strings.Repeat("a", maxAddress): "at most 4096",
	} {
		err := checkURI(uri)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", uri, err, want)
		}
	}
}

// codeOf is the code that an error has for a client.
func codeOf(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

// A fault of the program, and an answer that JSON cannot hold, are internal errors of one
// request.
func TestFaultsAreInternalErrorsOfOneRequest(t *testing.T) {
	for name, handler := range map[string]sdk.MethodHandler{
		"a panic": func(context.Context, string, sdk.Request) (sdk.Result, error) { panic("fault") },
		"not a number": func(context.Context, string, sdk.Request) (sdk.Result, error) {
			return &sdk.CallToolResult{StructuredContent: math.NaN()}, nil
		},
		"data that is no JSON": func(context.Context, string, sdk.Request) (sdk.Result, error) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "m", Data: json.RawMessage(`{"uri":"\a"}`)}
		},
	} {
		result, err := withoutPanic(encodable(handler))(t.Context(), "tools/call", nil)
		if result != nil || codeOf(err) != jsonrpc.CodeInternalError || !strings.Contains(err.Error(), "tools/call") {
			t.Errorf("%s: %v, %v", name, result, err)
		}
	}
	id := oktest.Value(jsonrpc.MakeID("x"))(t)
	data, err := encoded(&jsonrpc.Response{ID: id, Result: json.RawMessage("{")})
	if err != nil || !strings.Contains(string(data), `"id":"x","error":{"code":-32603`) {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := encoded(&jsonrpc.Request{Method: "notifications/x", Params: json.RawMessage("{")}); codeOf(err) != codeRejected {
		t.Errorf("a notification that JSON cannot hold: %v", err)
	}
}
