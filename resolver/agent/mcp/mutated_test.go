package mcp

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
	"github.com/packgen/packgen/resolver/repo"
)

// Whatever a client sends: what the server answers is JSON, a line each, and holds nothing
// of the files that nobody may read.
func TestMutatedMessagesAreAnsweredOrRefused(t *testing.T) {
	chance := rand.New(rand.NewPCG(38, 1))
	count := torturetest.Start(t, "hostile", "MCP messages", 30, 500)
	dir := t.TempDir()
	oktest.Write(t, dir, repository())
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	calls := []string{
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"resolve_context","arguments":{"task":"descale the kettle","packs":["kettle"],"also":["citric"],"budget":900}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read_entry","arguments":{"path":"kettle:documents/kettle.md"}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"fetch","arguments":{"id":"knowledge://kettle/documents/kettle.md"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"knowledge://kettle/documents/kettle.md"}}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"match_knowledge","arguments":{"task":"descale"}}}`,
	}
	for range count.Rounds() {
		count.Done(1)
		text := hello + string(torturetest.Mutate(chance, []byte(calls[chance.IntN(len(calls))]))) + "\n" + calls[0] + "\n"
		if chance.IntN(8) == 0 {
			text = string(torturetest.Mutate(chance, []byte(text)))
		}
		var out bytes.Buffer
		server := New(&repo.Repo{Paths: repo.Paths{Dir: dir, Start: dir}, Environment: func(string) string { return "" }}, Options{Version: "1"})
		_ = Serve(t.Context(), server, strings.NewReader(text), &out)
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) || strings.Contains(line, "# Outside") || strings.Contains(line, "# Elsewhere") || strings.Contains(line, "a1B2c3D4e5F6g7H8") || strings.Contains(line, "root:x:0") || len(line) > 1<<20 {
				count.Wrong("%q gave %.500q", text, line)
			}
		}
		if t.Failed() {
			return
		}
	}
}
