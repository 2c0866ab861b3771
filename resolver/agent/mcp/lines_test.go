package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// piped is a server behind a pair of pipes, written to line by line.
type piped struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	ends chan error
	n    int
}

// pipe serves a repository, and speaks a version of the protocol with it.
func pipe(t *testing.T, version string) *piped {
	t.Helper()
	dir := t.TempDir()
	oktest.Write(t, dir, repository())
	server := New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}, Options{Version: "1.2.3"})
	inReader, inWriter := io.Pipe()
	outReader, outWriter := io.Pipe()
	p := &piped{t: t, in: inWriter, out: bufio.NewReader(outReader), ends: make(chan error, 1)}
	go func() {
		p.ends <- Serve(context.Background(), server, inReader, outWriter)
		outWriter.Close()
	}()
	t.Cleanup(func() { inWriter.Close() })
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"start","method":"initialize","params":{"protocolVersion":%q,"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, version))
	if got := p.receive(); !strings.Contains(got, fmt.Sprintf(`"protocolVersion":%q`, version)) {
		t.Fatalf("the session starts with %s", got)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

// send writes a line, beside what is read.
func (p *piped) send(line string) {
	go func() { _, _ = io.WriteString(p.in, line+"\n") }()
}

func (p *piped) receive() string {
	p.t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("the server says nothing more: %v", err)
	}
	return line
}

// answers reports whether the server still answers, and returns what it said before.
func (p *piped) answers() []string {
	p.t.Helper()
	p.n++
	id := fmt.Sprintf("alive-%d", p.n)
	p.send(`{"jsonrpc":"2.0","id":"` + id + `","method":"ping"}`)
	var before []string
	for {
		line := p.receive()
		if strings.Contains(line, id) {
			if !strings.Contains(line, `"result":{`) {
				p.t.Fatalf("ping is answered with %s", line)
			}
			return before
		}
		before = append(before, line)
	}
}

// malformed are lines that no client should send.
func malformed() []string {
	list := []string{
		// No JSON.
		"x", "{", "}", "]", "[", `"`, "'", "{]", "{}}", "{} {}", `{"a":}`, `{"a"}`, `{,}`, `{"a":1,}`, "[1,]", "nul", "tru", "+1", "01", "1.", ".5", "1e", "0x1", "NaN", "-", "--1",
		"\x00", "\x01\x02", "\xff\xfe", "\xef\xbb\xbf{}", "{\x00}", "\"\x1b\"", `"\x"`, `"\u12"`, "//", "/* */", "{/**/}", "<xml/>", "---", "a: b", "GET / HTTP/1.1", "Content-Length: 2",
		`{"jsonrpc":"2.0","id":1,"method":"ping"`, `"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, `{'jsonrpc':'2.0'}`, `{jsonrpc:"2.0"}`,
		strings.Repeat("[", 20_000), strings.Repeat(`{"a":`, 20_000), strings.Repeat("{", 100_000), strings.Repeat(" ", 100_000) + "x",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + "}",
		`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("a", maxMessage) + `"}`,
		// JSON, and no object.
		"null", "true", "false", "0", "-1", "1e999", `""`, `"ping"`, "[]", "[[]]", "[null]", "[1,2,3]", `["jsonrpc"]`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[{"jsonrpc":"2.0","method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `[{"jsonrpc":"2.0","id":1,"method":"ping"},1]`,
		// Objects, and no messages.
		"{}", `{"a":1}`, `{"id":1}`, `{"method":"ping"}`, `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","id":1}`, `{"jsonrpc":"2.0","id":null}`,
		`{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `{"jsonrpc":"","id":1,"method":"ping"}`, `{"jsonrpc":null,"id":1,"method":"ping"}`, `{"JSONRPC":"2.0","id":1,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":""}`, `{"jsonrpc":"2.0","id":1,"method":null}`, `{"jsonrpc":"2.0","id":1,"method":7}`, `{"jsonrpc":"2.0","id":1,"method":["ping"]}`, `{"jsonrpc":"2.0","id":1,"method":{}}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `{"jsonrpc":"2.0","id":[],"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `{"jsonrpc":"2.0","id":1e300,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":"","method":"ping"}`, `{"jsonrpc":"2.0","id":-1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 10_000) + `","method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`,
		// Answers to what nobody asked.
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":"x","result":null}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","id":1,"error":7}`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`, `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, `{"jsonrpc":"2.0","result":{}}`, `{"jsonrpc":"2.0","error":{"code":1,"message":"m"}}`,
		// A start in the middle, cancellations and progress of nothing.
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","method":"notifications/initialized","params":7}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"x"}}`, `{"jsonrpc":"2.0","method":"notifications/none"}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"search"}}`,
	}
	params := []string{"", "null", "7", `"x"`, "[]", "[1]", "{}", `{"name":7}`, `{"name":"none","uri":"none"}`, `{"name":"search","arguments":7}`, `{"uri":{},"cursor":[]}`, `{"cursor":"garbage","_meta":7}`, `{"name":"search","arguments":{"query":{}},"_meta":{"progressToken":{}}}`}
	for _, method := range []string{"none", "initialize", "ping", "tools/list", "tools/call", "resources/list", "resources/read", "resources/subscribe", "prompts/list", "prompts/get", "completion/complete", "logging/setLevel", "server/discover"} {
		for i, p := range params {
			if p != "" {
				p = `,"params":` + p
			}
			list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s-%d","method":%q%s}`, method, i, method, p))
		}
	}
	return list
}

// An id that the SDK would give back as another one is refused under its own.
func TestAnIdThatWouldComeBackAsAnotherIsRefused(t *testing.T) {
	for id, want := range map[string]bool{
		"1.5": false, "1e2": false, "1": true, `"1.5"`: true, "-3": true, "-0": false, "9007199254740993": false,
		"123456789012345678901234567890": false, "999999999999999": true, `"\ud800"`: false, `"\u0007"`: true, `"ü"`: true,
	} {
		if m, why := decoded([]byte(`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`)); (why == "") != want {
			t.Errorf("id %s: %v, %s", id, m, why)
		}
	}
}

func TestNoMessageEndsTheSession(t *testing.T) {
	lines := malformed()
	if len(lines) < 200 {
		t.Fatalf("%d messages: at least 200 are tried", len(lines))
	}
	t.Logf("%d messages", len(lines))
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		p := pipe(t, version)
		for _, line := range lines {
			p.send(line)
			for _, said := range p.answers() {
				var m struct {
					Version string          `json:"jsonrpc"`
					ID      json.RawMessage `json:"id"`
					Error   any             `json:"error"`
				}
				if version == batchVersion && strings.HasPrefix(said, "[") {
					continue // TestBatches looks into them
				}
				if err := json.Unmarshal([]byte(said), &m); err != nil || m.Version != "2.0" {
					t.Errorf("%.80q is answered with %.200q", line, said)
				}
			}
		}
		p.in.Close()
		// Answers that a ping overtook are still to be read: the server waits for that.
		if _, err := io.Copy(io.Discard, p.out); err != nil {
			t.Error(err)
		}
		if err := <-p.ends; err != nil {
			t.Errorf("%s: the session ended with %v", version, err)
		}
	}
}

func TestLinesThatAreNoMessageAreAnswered(t *testing.T) {
	p := pipe(t, "2025-06-18")
	for line, want := range map[string]string{
		"x":  `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the line is not JSON"}}`,
		"7":  `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a message is an object"}}`,
		"[]": `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not read: send each message in a line of its own"}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not read: send each message in a line of its own"}}`,
		`{"jsonrpc":"1.0","id":"a","method":"ping"}`: `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the object is not a message of JSON-RPC 2.0"}}`,
		strings.Repeat("x", maxMessage+1):            `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is larger than 4 MiB"}}`,
	} {
		p.send(line)
		if got := p.receive(); got != want+"\n" {
			t.Errorf("%.40q is answered with %s, want %s", line, got, want)
		}
	}
	for _, line := range []string{"", " ", "\t", "\r"} {
		p.send(line)
		if said := p.answers(); len(said) > 0 {
			t.Errorf("%q is answered with %v", line, said)
		}
	}
}

// Requests beyond those that may wait are read when others are answered, cancelled ones
// too, and the end of the input waits for all answers.
func TestEveryRequestIsAnswered(t *testing.T) {
	p := pipe(t, "2025-06-18")
	const n = 3 * maxCalls
	go func() {
		for i := range n {
			fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search","arguments":{"query":"kettle"}}}`+"\n", i)
			fmt.Fprintf(p.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", i-1)
		}
		p.in.Close()
	}()
	var ids []int
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			break
		}
		var m struct {
			ID int `json:"id"`
		}
		oktest.Check(t, json.Unmarshal([]byte(line), &m))
		ids = append(ids, m.ID)
	}
	if err := <-p.ends; err != nil {
		t.Error(err)
	}
	slices.Sort(ids)
	if ids = slices.Compact(ids); len(ids) != n {
		t.Errorf("%d requests are answered, %d were sent", len(ids), n)
	}
}

// An id is that of one request at a time: the second is refused and does not keep the
// session from ending.
func TestIdInUseIsRefused(t *testing.T) {
	p := pipe(t, "2025-06-18")
	line := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"kettle"}}}` + "\n"
	go func() {
		_, _ = io.WriteString(p.in, strings.Repeat(line, 2*maxCalls))
		p.in.Close()
	}()
	said := oktest.Value(io.ReadAll(p.out))(t)
	refused, answers := strings.Count(string(said), "still waits for its answer"), strings.Count(string(said), `"id":1,`)
	if answers == 0 || refused+answers != 2*maxCalls {
		t.Errorf("%d answered, %d refused of %d", answers, refused, 2*maxCalls)
	}
	if err := <-p.ends; err != nil {
		t.Error(err)
	}
}

func TestServeEndsWhenItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	defer writer.Close()
	ends := make(chan error)
	go func() {
		ends <- Serve(ctx, New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}}, Options{Version: "1"}), reader, io.Discard)
	}()
	cancel()
	if err := <-ends; err != nil {
		t.Error(err)
	}
}
