package build

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/site"
	live "github.com/packgen/packgen/site/server"
)

// content is what a serve shows, and the sink of its builds.
type content struct {
	mu          sync.Mutex
	files, next map[string]string
	asked       map[string]bool
	early       []string // paths that the last build showed before it was done
}

func (c *content) Put(path string, data []byte) (publish.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next[path] = string(data)
	return publish.Created, nil
}

func (c *content) KeepAll(files []publish.Kept) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range files {
		if text, ok := c.files[f.Path]; !ok || sha256.Sum256([]byte(text)) != f.Sum {
			return false
		}
	}
	for _, f := range files {
		c.next[f.Path] = c.files[f.Path]
	}
	return true
}

func (c *content) Earlier(dir string) (list []string) {
	for path := range c.files {
		if strings.HasPrefix(path, dir) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

func (c *content) ReadEarlier(path string) ([]byte, error) {
	text, ok := c.files[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (c *content) KeepEarlier(path string) bool {
	text, ok := c.files[path]
	return ok && c.KeepAll([]publish.Kept{{Path: path, Sum: sha256.Sum256([]byte(text))}})
}

func (c *content) Sum(path string) (publish.Kept, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, ok := c.next[path]
	return publish.Kept{Path: path, Sum: sha256.Sum256([]byte(text))}, ok
}

// Wants leaves out what the server makes when it is asked for.
func (c *content) Wants(path string) bool {
	return !site.Costly(path) || c.asked[path]
}

func (c *content) Show() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early = c.changed()
}

// changed are the paths that the next content has with other bytes.
func (c *content) changed() (list []string) {
	for path, text := range c.next {
		if old, ok := c.files[path]; !ok || old != text {
			list = append(list, path)
		}
	}
	return list
}

// rebuilds is a rebuilder with what it shows.
type rebuilds struct {
	*Rebuilder
	content
}

func newRebuilds(t *testing.T, dir string) *rebuilds {
	t.Helper()
	w := &workspace.Workspace{Environment: func(name string) string {
		return map[string]string{"SOURCE_DATE_EPOCH": "1700000000"}[name]
	}}
	w.Find(dir)
	r := &rebuilds{Rebuilder: NewRebuilder(w, true)}
	t.Cleanup(r.Close)
	return r
}

// build builds for a change and returns the paths that changed.
func (r *rebuilds) build(t *testing.T, c live.Change) []string {
	t.Helper()
	r.next, r.early = map[string]string{}, nil
	built, err := r.Build(context.Background(), c, &r.content)
	if err != nil {
		t.Fatal(err)
	}
	if built.Failed {
		return nil
	}
	changed := r.changed()
	r.files = r.next
	return changed
}

func smallPacks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 3 {
		name := fmt.Sprintf("pack-%d", i)
		if err := packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: 4, Seed: uint64(i + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(data, text...), 0o666); err != nil {
		t.Fatal(err)
	}
}

func pagesOf(t *testing.T, dir, pack string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "packs", pack, "wiki", "*", "*.md"))
	if err != nil || len(list) == 0 {
		t.Fatal(err, list)
	}
	return list
}

// The law of serve: what it shows after changes is what a new one would show.
func TestAServeThatRemembersShowsWhatANewOneShows(t *testing.T) {
	dir := smallPacks(t)
	old := newRebuilds(t, dir)
	old.build(t, live.Change{})
	rng := rand.New(rand.NewPCG(1, 2))
	for step := range 12 {
		pack := fmt.Sprintf("pack-%d", rng.IntN(3))
		pages := pagesOf(t, dir, pack)
		path := pages[rng.IntN(len(pages))]
		switch rng.IntN(5) {
		case 0:
			path = filepath.Join(filepath.Dir(path), fmt.Sprintf("new-%d.md", step))
			if err := os.WriteFile(path, []byte("# New\n\nA page, see [[Index]].\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		case 1:
			if len(pages) > 2 {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		case 2:
			path = filepath.Join(dir, "packs", pack, "KNOWLEDGE.md")
			appendTo(t, path, fmt.Sprintf("\nStep %d.\n", step))
		default:
			appendTo(t, path, fmt.Sprintf("\n## Step %d\n\nText of the step.\n", step))
		}
		old.build(t, live.Change{Paths: []string{path}})
		fresh := newRebuilds(t, dir)
		fresh.build(t, live.Change{})
		got, want := old.files, fresh.files
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("step %d, %s: %s is not as a new serve shows it", step, path, name)
			}
		}
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("step %d: %s is there, and a new serve has none", step, name)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestAPageIsShownBeforeTheRestIsMade(t *testing.T) {
	dir := smallPacks(t)
	r := newRebuilds(t, dir)
	r.build(t, live.Change{})
	page := pagesOf(t, dir, "pack-1")[0]
	appendTo(t, page, "\nOne more sentence.\n")
	changed := r.build(t, live.Change{Paths: []string{page}})
	rel, _ := filepath.Rel(dir, page)
	html := strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"
	if !slices.Contains(r.early, html) || slices.Contains(r.early, "packs/pack-1/index.html") {
		t.Errorf("%q are shown early: want %s, and no page of the pack as a whole", r.early, html)
	}
	for _, path := range changed {
		if strings.HasPrefix(path, "packs/") && !strings.HasPrefix(path, "packs/pack-1/") {
			t.Errorf("%s changes with a page of pack-1", path)
		}
	}
}

func TestArchivesAndIndexAreMadeWhenSomebodyAsks(t *testing.T) {
	r := newRebuilds(t, smallPacks(t))
	r.build(t, live.Change{})
	for _, ask := range [][]string{
		{"packs/pack-1/pack.tar.gz", "packs/pack-1/pack.json"}, {"llms-full.txt"}, {"index.bin", "index.json", "match.html"},
	} {
		for _, name := range ask {
			if _, made := r.files[name]; made {
				t.Errorf("%s is made before anybody asks", name)
			}
		}
		r.asked = map[string]bool{ask[0]: true}
		r.build(t, live.Change{Asked: true})
		for _, name := range ask {
			if r.files[name] == "" {
				t.Errorf("%s is not made when somebody asks for %s", name, ask[0])
			}
		}
		r.asked = nil
		r.build(t, live.Change{Asked: true})
	}
}

func TestADryServeCompilesOnlyWhatChanged(t *testing.T) {
	dir := smallPacks(t)
	r := newRebuilds(t, dir)
	r.build(t, live.Change{})
	page := pagesOf(t, dir, "pack-2")[0]
	appendTo(t, page, "\nOne more sentence.\n")
	r.build(t, live.Change{Paths: []string{page}})
	for _, m := range r.before.Repository.Members {
		if taken := m.Before != nil; taken == (m.Name() == "pack-2") {
			t.Errorf("%s: taken over is %t", m.Name(), taken)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "packs", "*", "compiled")); len(left) > 0 {
		t.Errorf("a dry run writes %q", left)
	}
}
