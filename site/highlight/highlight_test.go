package highlight

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/chroma/v2"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/highlight/grammar"
	"github.com/packgen/packgen/site/highlight/lexers"
)

func TestCodeIsPaintedOnce(t *testing.T) {
	kept := &store.Memory{}
	code := []byte("func main() { return \"<b>\" } // done\n")
	const want = `<b>func</b> main() { <b>return</b> <u>"&lt;b&gt;"</u> } <i>// done</i>`
	for _, name := range []string{"go", "golang", "Go"} {
		if got, ok := New(kept, "").Paint(name, code); !ok || strings.TrimSpace(string(got)) != want {
			t.Fatalf("got %q, %v; want %q", got, ok, want)
		}
	}
	counted := &counter{Store: kept}
	New(counted, "").Paint("go", code)
	if counted.made > 0 {
		t.Error("a block that the store knows was highlighted again")
	}
	New(counted, "another program").Paint("go", code)
	if counted.made != 1 {
		t.Error("another program did not highlight the block itself")
	}
}

// counter counts what is added to a store.
type counter struct {
	store.Store
	made int
}

func (c *counter) SetAction(key store.Digest, r store.Result) {
	c.made++
	c.Store.SetAction(key, r)
}

func TestWhatIsNotPainted(t *testing.T) {
	h := New(&store.Memory{}, "")
	for name, test := range map[string]struct{ language, code string }{
		"unknown language": {"nosuchthing", "x"},
		"no language":      {"", "x"},
		"plain text":       {"text", "x"},
		"a block too big":  {"go", strings.Repeat("x", maxPainted+1)},
	} {
		if _, ok := h.Paint(test.language, []byte(test.code)); ok {
			t.Errorf("%s is highlighted", name)
		}
	}
	var off *Highlighter
	if _, ok := off.Paint("go", []byte("x")); ok {
		t.Error("code is highlighted although highlighting is off")
	}
}

// interrupted is a lexer that a busy machine keeps from its work at first.
type interrupted struct {
	chroma.Lexer
	times int
	runs  int
}

func (l *interrupted) Tokenise(o *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	if l.runs++; l.runs <= l.times {
		time.Sleep(lexerPatience)
		return nil, errors.New("it took too long")
	}
	return l.Lexer.Tokenise(o, text)
}

func TestABlockThatABusyMachineInterruptsIsPainted(t *testing.T) {
	code := []byte("func f() {}\n")
	for times := range maxFailed + 1 {
		lexer := &interrupted{Lexer: lexers.Registry().Get("go"), times: times}
		l := &language{lexer: lexer, grammar: func() *grammar.Grammar { return nil }}
		html, ok := l.steady(code)
		if ok != (times < maxFailed) || ok != bytes.Contains(html, []byte("<b>func</b>")) {
			t.Errorf("interrupted %d times: painted %t after %d runs: %s", times, ok, lexer.runs, html)
		}
	}
}
