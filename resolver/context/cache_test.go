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
	"github.com/packgen/packgen/resolver/context/rank"
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

// shelved are packs of each profile on disk, with all that an answer may say about them.
func shelved(t *testing.T) map[string]string {
	t.Helper()
	wiki := tree{
		"sources/s.md":                 "# S\n\nOne.\n\nTwo.\n",
		"wiki/index.md":                "# Index\n\n- [Tea](concepts/tea.md)\n",
		"wiki/concepts/tea.md":         "---\nstatus: stale\n---\n# Tea\n\n- Tea takes three minutes. [source: sources/s.md#L1] [status: disputed]\n",
		"wiki/concepts/kettle.md":      "# Kettle\n\n- The kettle is red. [source: sources/s.md#L3]\n- It is loud. [status: missing]\n",
		"wiki/concepts/limits.md":      "# Limits\n\nOne litre.\n",
		"wiki/open-questions/steam.md": "---\nstatus: draft\n---\n# Does steam harm the kettle\n\nNobody knows.\n",
	}
	guide := "\n# Guide\n\n- Tea: `wiki/concepts/tea.md`\n\n## Boundaries\n\n- Never without water.\n"
	packs := map[string]tree{
		"document-first": {
			"KNOWLEDGE.md":   head("manual", "document-first", "metadata:\n  primaryDocument: documents/a.md\n  loadout:\n    b/tea:\n      boundary: true\n"),
			"documents/a.md": "---\nquestions:\n  care:\n    - How do I get rid of limescale?\n---\n# Kettle\n\n## Care\n\nDescale with citric acid.\n\n## Colour\n\nRed.\n\n## Limits\n\nNever without water.\n",
			"documents/b.md": "# Pot\n\n## Tea\n\nThree minutes.\n",
		},
		"wiki-first": {"KNOWLEDGE.md": head("manual", "wiki-first", "grounding: recommended\n") + guide},
		"hybrid":     {"KNOWLEDGE.md": head("manual", "hybrid", "metadata:\n  primaryDocument: documents/a.md\n") + guide, "documents/a.md": "# Pot\n\n## Tea\n\nThree minutes.\n\n## Kettle colour\n\nRed.\n"},
	}
	dirs := map[string]string{}
	for profile, files := range packs {
		if profile != "document-first" {
			for name, text := range wiki {
				files[name] = text
			}
		}
		dirs[profile] = t.TempDir()
		oktest.Check(t, os.CopyFS(dirs[profile], compiled(t, files)))
		oktest.Check(t, os.MkdirAll(filepath.Join(dirs[profile], "wiki", "entities"), 0o777))
	}
	time.Sleep(2100 * time.Millisecond) // times of files show nothing sooner
	return dirs
}

// askDir resolves a query over a pack on disk, and reports which files were opened.
func askDir(t *testing.T, dir string, m Cache, query string, scorer ...rank.Scorer) (string, map[string]bool) {
	t.Helper()
	w := &watchedFS{FS: os.DirFS(dir), opened: map[string]bool{}}
	r := oktest.Value(Resolve(context.Background(), []Pack{{FS: w, Dir: "packs/manual", Activation: Explicit, Own: true, Cache: m}}, Request{Query: query, Scorer: append(scorer, rank.BM25F{})[0]}))(t)
	data := oktest.Value(schema.Encode(r))(t)
	return string(data), w.opened
}

func TestAnAnswerFromWhatIsKeptIsThatOfThePack(t *testing.T) {
	t.Parallel()
	for profile, dir := range shelved(t) {
		m := &slate{}
		if err := Remember(context.Background(), Pack{FS: os.DirFS(dir), Dir: "packs/manual", Own: true, Cache: m}); err != nil || m.keeps != 1 {
			t.Fatalf("%s: kept %d times, %v", profile, m.keeps, err)
		}
		for _, query := range []string{"how long does tea take", "which colour has the kettle", "is it loud, and what does the source say about tea", "zebra", "rid of limescale", "steam harm", ""} {
			want, _ := askDir(t, dir, nil, query)
			got, opened := askDir(t, dir, m, query)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %q (-the pack +what is kept):\n%s", profile, query, diff)
			}
			for name := range opened {
				if name == indexPath || name == sourceMapPath || strings.HasPrefix(name, "runs/") || strings.HasPrefix(name, "documents/") && strings.HasSuffix(name, ".md") {
					t.Errorf("%s, %q: %s is read", profile, query, name)
				}
			}
		}
		want, _ := askDir(t, dir, nil, "tea", rank.Overlap{})
		if got, _ := askDir(t, dir, m, "tea", rank.Overlap{}); got != want {
			t.Errorf("%s: a scorer that needs texts gives %s, want %s", profile, got, want)
		}
		if m.keeps != 1 {
			t.Errorf("%s: kept %d times", profile, m.keeps)
		}
	}
}

func TestWhatIsKeptHoldsUntilThePackChanges(t *testing.T) {
	t.Parallel()
	dir := shelved(t)["wiki-first"]
	run := newestRun(os.DirFS(dir))
	text := func(name string) string {
		return string(oktest.Value(fs.ReadFile(os.DirFS(dir), name))(t))
	}
	for _, c := range []struct{ change, name, text string }{
		{"a page is edited", "wiki/concepts/kettle.md", "# Kettle\n\n- The kettle is blue.\n"},
		{"a page is added", "wiki/concepts/pot.md", "# Pot\n\nTea tea.\n"},
		{"a page is added where no page was", "wiki/entities/pot.md", "# Pot\n\nTea tea.\n"},
		{"a source is edited", "sources/s.md", "# S\n\nThree.\n"},
		{"the guide is edited", "KNOWLEDGE.md", strings.Replace(text("KNOWLEDGE.md"), "status: ready", "status: stale", 1)},
		{"a split is edited", splitsDir + "wiki/concepts/tea.md", "# Tea\n\nFour minutes.\n"},
		{"the view that goes along is edited", boundariesPath, "# Boundaries\n\nNone.\n"},
		{"a newer run is recorded", "runs/compile-2999-01-01T00-00-00Z.json", text(run)},
	} {
		time.Sleep(50 * time.Millisecond) // what the last case left is at rest
		m := &slate{fine: true}
		if _, opened := askDir(t, dir, m, "tea kettle"); m.keeps != 1 || !opened[indexPath] {
			t.Fatalf("before %s: kept %d times", c.change, m.keeps)
		}
		if _, opened := askDir(t, dir, m, "tea kettle"); opened[indexPath] {
			t.Fatalf("before %s: what is kept does not hold", c.change)
		}
		old, err := os.ReadFile(filepath.Join(dir, c.name))
		oktest.Check(t, os.WriteFile(filepath.Join(dir, c.name), []byte(c.text), 0o666))
		want, _ := askDir(t, dir, nil, "tea kettle")
		got, _ := askDir(t, dir, m, "tea kettle")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-the pack +what is kept):\n%s", c.change, diff)
		}
		if err != nil {
			os.Remove(filepath.Join(dir, c.name))
		} else if err := os.WriteFile(filepath.Join(dir, c.name), old, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func FuzzReadSnapshot(f *testing.F) {
	s := &snapshot{facts: facts{Run: runFacts{Path: "runs/x.json"}}}
	s.documents.add([]byte("documents/a.md"))
	f.Add(s.documents.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := readSnapshot(b); s != nil {
			all(s)
		}
		list := readTable(b)
		if list.bad() {
			return
		}
		for i := range list.len() {
			(&snapshot{units: list, documents: list}).at(i)
		}
	})
}
