package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// asked is what a client of any version asks, and what the answer has.
var asked = []struct{ method, params, want string }{
	{"tools/list", `{}`, `"name":"resolve_context"`},
	{"tools/call", `{"name":"resolve_context","arguments":{"task":"how often is the kettle descaled"}}`, "Descale monthly"},
	{"tools/call", `{"name":"search","arguments":{"query":"kettle"}}`, `\"results\"`},
	{"tools/call", `{"name":"read_entry","arguments":{"path":"kettle:documents/kettle.md"}}`, "one litre"},
	{"tools/call", `{"name":"read_entry","arguments":{"path":"kettle:../outside.md"}}`, `"isError":true`},
	{"resources/list", `{}`, "knowledge://kettle/"},
	{"resources/templates/list", `{}`, "knowledge://{pack}/{+path}"},
	{"resources/read", `{"uri":"knowledge://kettle/documents/kettle.md"}`, "one litre"},
	{"prompts/list", `{}`, "use_pack"},
	{"prompts/get", `{"name":"use_pack","arguments":{"name":"kettle","task":"descale it"}}`, "Descale monthly"},
}

// Clients of each version of the protocol that starts with initialize get the same, over
// a pipe and, from the version on that has it, over streamable HTTP.
func TestClientsOfEachVersion(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			p := pipe(t, version)
			for i, a := range asked {
				p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, a.method, a.params))
				got := p.receive()
				for strings.Contains(got, `"method":"notifications/`) { // what is read shows that a pack is new
					got = p.receive()
				}
				if !strings.Contains(got, a.want) || !strings.Contains(got, fmt.Sprintf(`"id":%d`, i)) {
					t.Errorf("%s %s: %.600s", a.method, a.params, got)
				}
			}
			if version == "2024-11-05" {
				return
			}
			addr := served(t, Options{Version: "1"})
			session := ""
			post := func(body string) string {
				req := oktest.Value(http.NewRequest(http.MethodPost, addr, strings.NewReader(body)))(t)
				req.Header.Set("Content-Type", "application/json")
				req.Header.Set("Accept", "application/json, text/event-stream")
				if session != "" {
					req.Header.Set("Mcp-Session-Id", session)
					req.Header.Set("Mcp-Protocol-Version", version)
				}
				resp := oktest.Value(http.DefaultClient.Do(req))(t)
				defer resp.Body.Close()
				data := oktest.Value(io.ReadAll(io.LimitReader(resp.Body, 1<<20)))(t)
				if id := resp.Header.Get("Mcp-Session-Id"); id != "" {
					session = id
				}
				return string(data)
			}
			if got := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version)); !strings.Contains(got, version) {
				t.Fatalf("the session starts with %s", got)
			}
			post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			for i, a := range asked {
				if got := post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, a.method, a.params)); !strings.Contains(got, a.want) {
					t.Errorf("http, %s %s: %.600s", a.method, a.params, got)
				}
			}
			got := post(`[{"jsonrpc":"2.0","id":"one","method":"ping"},{"jsonrpc":"2.0","id":"two","method":"tools/list"}]`)
			if both := strings.Contains(got, `"id":"one"`) && strings.Contains(got, `"id":"two"`); both != (version == batchVersion) {
				t.Errorf("http, a batch is answered with %.300s", got)
			}
		})
	}
}

// The newest version has no start: the SDK's own client speaks it.
func TestClientOfTheNewestVersion(t *testing.T) {
	_, session := serve(t, repository())
	if got := session.InitializeResult().ProtocolVersion; got != "2026-07-28" {
		t.Fatalf("the client speaks %s", got)
	}
	if text := call(t, session, "resolve_context", values{"task": "how often is the kettle descaled"}, nil); !strings.Contains(text, "Descale monthly") {
		t.Error(text)
	}
}

// A client that sends and never reads holds a bounded number of requests, and the server
// ends when it is interrupted.
func TestClientThatNeverReads(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, repository())
	server := New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}, Options{Version: "1"})
	in, fromClient := io.Pipe()
	_, out := io.Pipe() // nobody reads
	ctx, cancel := context.WithCancel(t.Context())
	ends := make(chan error, 1)
	go func() { ends <- Serve(ctx, server, in, out) }()
	var sent atomic.Int64
	done := make(chan bool)
	go func() {
		defer close(done)
		for n := range 100 * maxCalls {
			if _, err := fmt.Fprintf(fromClient, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", n); err != nil {
				return
			}
			sent.Add(1)
		}
	}()
	for sent.Load() < maxCalls {
		runtime.Gosched()
	}
	for range 10_000 { // more would be taken now, if they were
		runtime.Gosched()
	}
	cancel()
	in.Close()
	out.Close()
	if err := <-ends; err != nil {
		t.Error(err)
	}
	<-done
	if n := sent.Load(); n > 10*maxCalls {
		t.Errorf("%d requests were taken from a client that reads no answer", n)
	}
}

// A message of 100 MB is refused without being kept, and the session continues.
func TestMessageOf100MB(t *testing.T) {
	p := pipe(t, "2025-06-18")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	go func() {
		_, _ = io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"ping","params":"`)
		_, _ = io.Copy(p.in, io.LimitReader(zeros{}, 100<<20))
		_, _ = io.WriteString(p.in, `"}`+"\n")
	}()
	if got := p.receive(); !strings.Contains(got, "the message is larger than 4 MiB") {
		t.Errorf("it is answered with %s", got)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 10*maxMessage {
		t.Errorf("%d bytes were allocated for it", grown)
	}
	if said := p.answers(); len(said) > 0 {
		t.Errorf("the session continues with %v", said)
	}
	addr := served(t, Options{Version: "1"})
	resp, err := http.Post(addr, "application/json", io.LimitReader(zeros{}, 100<<20))
	if err == nil { // otherwise the server has closed the connection
		if resp.Body.Close(); resp.StatusCode < 400 {
			t.Errorf("over HTTP it is answered with %d", resp.StatusCode)
		}
	}
	if resp, err = http.Post(addr, "application/json", bytes.NewReader([]byte("{}"))); err != nil {
		t.Errorf("the server is gone: %v", err)
	} else {
		resp.Body.Close()
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

// A pack that goes while it is served is gone for all tools with a clear error, and back
// when it is back.
func TestPackThatDisappears(t *testing.T) {
	dir, session := serve(t, repository())
	asks := func() (texts []string) {
		for _, a := range []struct {
			tool string
			args values
		}{
			{"resolve_context", values{"task": "how often is the kettle descaled", "packs": []string{"kettle"}}},
			{"read_entry", values{"path": "kettle:documents/kettle.md"}},
			{"search", values{"query": "kettle"}},
			{"match_knowledge", values{"task": "descale the kettle"}},
		} {
			texts = append(texts, call(t, session, a.tool, a.args, nil))
		}
		return texts
	}
	whole := asks()
	if !strings.Contains(whole[0], "Descale monthly") || !strings.Contains(whole[1], "one litre") {
		t.Fatal(whole)
	}
	at, away := filepath.Join(dir, "packs", "kettle"), filepath.Join(t.TempDir(), "kettle")
	oktest.Check(t, os.Rename(at, away))
	for i, text := range asks() {
		if strings.Contains(text, "Descale monthly") || strings.Contains(text, "one litre") || i < 2 && !strings.HasPrefix(text, "error: ") {
			t.Errorf("%d: %s", i, text)
		}
	}
	if _, err := session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "knowledge://kettle/documents/kettle.md"}); err == nil {
		t.Error("the resource of a pack that is gone is read")
	}
	oktest.Check(t, os.Rename(away, at))
	again := asks()
	one, _ := json.Marshal(whole)
	two, _ := json.Marshal(again)
	if !bytes.Equal(one, two) {
		t.Errorf("when it is back: %s\nbefore: %s", two, one)
	}
}
