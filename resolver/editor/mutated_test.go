package editor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
	"github.com/packgen/packgen/resolver/repo"
)

// Whatever an editor sends, in good frames or bad ones: the session answers or ends, and
// changes no file.
func TestMutatedSessionsAreAnsweredOrLeft(t *testing.T) {
	chance := rand.New(rand.NewPCG(36, 1))
	count := torturetest.Start(t, "hostile", "editor messages", 40, 1000)
	dir := t.TempDir()
	for name, text := range kettle() {
		file := filepath.Join(dir, filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(file), 0o777))
		oktest.Check(t, os.WriteFile(file, []byte(text), 0o666))
	}
	uri := "file://" + filepath.ToSlash(dir) + "/packs/kettle/documents/safety.md"
	messages := []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file://` + filepath.ToSlash(dir) + `","capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"initialized","params":{}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + uri + `","languageId":"markdown","version":1,"text":"# S\n\n[[desc|aling]]\n"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/hover","params":{"textDocument":{"uri":"` + uri + `"},"position":{"line":2,"character":4}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"textDocument/completion","params":{"textDocument":{"uri":"` + uri + `"},"position":{"line":2,"character":4}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"textDocument/rename","params":{"textDocument":{"uri":"` + uri + `"},"position":{"line":0,"character":2},"newName":"T"}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"` + uri + `","version":2},"contentChanges":[{"text":"# T\n"}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"` + uri[:len(uri)-len("documents/safety.md")] + `evals/discovery.train.json","version":1,"text":"{\"cases\": [{\"id\": \"a\\\\\", \"x"}}}`,
		`{"jsonrpc":"2.0","id":6,"method":"textDocument/completion","params":{"textDocument":{"uri":"` + uri[:len(uri)-len("documents/safety.md")] + `evals/discovery.train.json"},"position":{"line":0,"character":25}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"shutdown"}`,
	}
	for range count.Rounds() {
		count.Done(1)
		var in strings.Builder
		bad := chance.IntN(len(messages))
		for i, m := range messages {
			if i == bad || chance.IntN(4) == 0 {
				m = string(torturetest.Mutate(chance, []byte(m)))
			}
			fmt.Fprintf(&in, "Content-Length: %d\r\n\r\n%s", len(m), m)
		}
		text := in.String()
		if chance.IntN(5) == 0 {
			text = string(torturetest.Mutate(chance, []byte(text)))
		}
		var out strings.Builder
		_ = Serve(t.Context(), &repo.Repo{Paths: repo.Paths{Dir: dir}}, "test", strings.NewReader(text), &out)
		if out.Len() > 1<<22 {
			count.Wrong("%d bytes are answered to %q", out.Len(), text)
		}
	}
	for name, text := range kettle() {
		if now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(now) != text {
			count.Wrong("%s was changed: %v", name, err)
		}
	}
}
