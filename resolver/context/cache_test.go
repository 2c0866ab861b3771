package context

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// slate is a cache of one pack.
type slate struct {
	data  []byte
	keeps int
	fine  bool
}

func (m *slate) Recall() []byte   { return m.data }
func (m *slate) Keep(data []byte) { m.data, m.keeps = data, m.keeps+1 }
func (m *slate) Fine() bool       { return m.fine }

// watchedFS notes which files are opened.
type watchedFS struct {
	fs.FS
	lock   sync.Mutex
	opened map[string]bool
}

func (w *watchedFS) Open(name string) (fs.File, error) {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.opened[name] = true
	return w.FS.Open(name)
}

// What is kept must give the answers that the texts give, hold while no file was
// touched, and spare reading them.
func TestSectionsAreCountedOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	files := compiled(t, tree{
		"KNOWLEDGE.md":   head("manual", "document-first", "metadata:\n  primaryDocument: documents/a.md\n"),
		"documents/a.md": "---\nquestions:\n  care:\n    - How do I get rid of limescale?\nboundary: [safety]\n---\n# Kettle\n\n## Care\n\nDescale with citric acid.\n\n## Colour\n\nRed.\n\n## Safety\n\nNever without water.\n",
		"documents/b.md": "# Pot\n\n## Tea\n\nThree minutes.\n\n## Limits\n\nOne litre.\n",
	})
	oktest.Check(t, os.CopyFS(dir, files))
	time.Sleep(2100 * time.Millisecond) // times of files show nothing sooner
	ask := func(m Cache, query string, also ...string) (string, map[string]bool) {
		w := &watchedFS{FS: os.DirFS(dir), opened: map[string]bool{}}
		p := Pack{FS: w, Dir: "packs/manual", Activation: Explicit, Own: true}
		if m != nil {
			p.Cache = m
		}
		r := oktest.Value(Resolve(context.Background(), []Pack{p}, Request{Query: query, Also: also}))(t)
		data := oktest.Value(schema.Encode(r))(t)
		return string(data), w.opened
	}
	m := &slate{}
	queries := []string{"rid of limescale", "tea", "zebra", "How long is tea brewed, and which colour is it?", ""}
	for _, query := range queries {
		want, _ := ask(nil, query, "citric acid")
		for _, turn := range []string{"first", "again"} {
			got, _ := ask(m, query, "citric acid")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%q, %s (-without cache +with):\n%s", query, turn, diff)
			}
		}
	}
	if m.keeps != 1 {
		t.Errorf("counted %d times", m.keeps)
	}
	if _, opened := ask(m, "tea"); !opened[splitsDir+"b/tea.md"] || opened[splitsDir+"a/colour.md"] || opened[splitsDir+"a/care.md"] {
		t.Errorf("opened %v", opened)
	}

	// Bytes that are damaged are of no use, and do no harm.
	want, _ := ask(nil, "tea")
	whole := m.data
	for i := 0; i < len(whole); i += 7 {
		for _, bad := range [][]byte{whole[:i], append(append([]byte{}, whole[:i]...), append([]byte{whole[i] ^ 0x40}, whole[i+1:]...)...)} {
			if got, _ := ask(&slate{data: bad}, "tea"); got != want {
				t.Fatalf("damaged at byte %d of %d: %s", i, len(whole), got)
			}
		}
	}

	// A file that was touched is read again, whatever its size and time.
	name := filepath.Join(dir, splitsDir, "b", "tea.md")
	info := oktest.Value(os.Stat(name))(t)
	oktest.Check(t, os.WriteFile(name, []byte("# Pot\n\n## Tea\n\nFour  minutes.\n")[:info.Size()], 0o666))
	oktest.Check(t, os.Chtimes(name, info.ModTime(), info.ModTime()))
	want, _ = ask(nil, "tea")
	got, _ := ask(m, "tea")
	if diff := cmp.Diff(want, got); diff != "" || strings.Contains(got, "Four") {
		t.Errorf("after an edit (-without cache +with):\n%s", diff)
	}
}
