package build

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site"
	live "github.com/packgen/packgen/site/server"
)

// content is what a serve shows, and the sink of its builds.
type content struct {
	publish.Target
	mu          sync.Mutex
	files, next map[string]string
	asked       map[string]bool
	early       []string          // paths that the last build showed before it was done
	previews    map[string]string // what it showed before anything else
	read        []string          // paths of the previous content that were read
	put         map[string]bool   // paths of the next content that were made
	calls       int               // of the sink
	called      func(calls int)   // sees each call; may be nil
}

// count notes a call of the sink.
func (c *content) count() {
	c.calls++
	if c.called != nil {
		c.called(c.calls)
	}
}

func (c *content) Put(path string, data []byte) (publish.Change, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.next[path] = string(data)
	c.put[path] = true
	return publish.Created, nil
}

func (c *content) Preview(path string, data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
	c.previews[path] = string(data)
	return nil
}

func (c *content) Pause(context.Context) {}

func (c *content) Keep(files ...publish.Kept) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count()
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

func (c *content) Last(dir string) (list []string) {
	for path := range c.files {
		if strings.HasPrefix(path, dir) {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

func (c *content) ReadLast(path string) ([]byte, error) {
	c.mu.Lock()
	c.read = append(c.read, path)
	c.mu.Unlock()
	text, ok := c.files[path]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return []byte(text), nil
}

func (c *content) LastSum(path string) (publish.Kept, bool) {
	text, ok := c.files[path]
	return publish.Kept{Path: path, Sum: sha256.Sum256([]byte(text))}, ok
}

func (c *content) PutFrom(f publish.File) (publish.Change, error) {
	var b bytes.Buffer
	if err := f.Content(&b); err != nil {
		return "", err
	}
	return c.Put(f.Path, b.Bytes())
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
	c.count()
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
	w := &repo.Repo{Environment: func(name string) string {
		return map[string]string{"SOURCE_DATE_EPOCH": "1700000000"}[name]
	}}
	w.Find(dir)
	r := &rebuilds{Rebuilder: NewRebuilder(w, true), content: content{Target: publish.Nowhere}}
	t.Cleanup(r.Close)
	return r
}

// build builds for a change and returns the paths that changed.
func (r *rebuilds) build(t *testing.T, c live.Change) []string {
	t.Helper()
	r.begin()
	built := oktest.Value(r.Build(context.Background(), c, &r.content))(t)
	if built.Failed {
		return nil
	}
	changed := r.changed()
	r.files = r.next
	return changed
}

func (r *rebuilds) begin() {
	r.next, r.early, r.previews, r.calls, r.put = map[string]string{}, nil, map[string]string{}, 0, map[string]bool{}
}

// cancelled builds for a change until the sink has been called so often. What was shown
// until then stays visible. It returns false when the build was done before.
func (r *rebuilds) cancelled(t *testing.T, c live.Change, calls int) bool {
	t.Helper()
	r.begin()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.called = func(n int) {
		if n == calls {
			cancel()
		}
	}
	_, err := r.Build(ctx, c, &r.content)
	r.called = nil
	if err == nil {
		r.files = r.next
		return false
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r.files = maps.Clone(r.files)
	for _, path := range r.early {
		r.files[path] = r.next[path]
	}
	maps.Copy(r.files, r.previews)
	return true
}

func smallPacks(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 3 {
		name := fmt.Sprintf("pack-%d", i)
		oktest.Check(t, packtest.Write(filepath.Join(dir, "packs", name), packtest.Options{Name: name, Pages: 4, Seed: uint64(i + 1)}))
	}
	return dir
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	data := oktest.Value(os.ReadFile(path))(t)
	oktest.Check(t, os.WriteFile(path, append(data, text...), 0o666))
}

func pagesOf(t testing.TB, dir, pack string) []string {
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
	var waiting []string // the files of builds that were cancelled
	cancelled := 0
	for step := range 16 {
		pack := fmt.Sprintf("pack-%d", rng.IntN(3))
		pages := pagesOf(t, dir, pack)
		path := pages[rng.IntN(len(pages))]
		switch rng.IntN(5) {
		case 0:
			path = filepath.Join(filepath.Dir(path), fmt.Sprintf("new-%d.md", step))
			oktest.Check(t, os.WriteFile(path, []byte("# New\n\nA page, see [[Index]].\n"), 0o666))
		case 1:
			if len(pages) > 2 {
				oktest.Check(t, os.Remove(path))
			}
		case 2:
			path = filepath.Join(dir, "packs", pack, "KNOWLEDGE.md")
			appendTo(t, path, fmt.Sprintf("\nStep %d.\n", step))
		default:
			appendTo(t, path, fmt.Sprintf("\n## Step %d\n\nText of the step.\n", step))
		}
		waiting = append(waiting, path)
		if rng.IntN(3) == 0 && old.cancelled(t, live.Change{Paths: waiting}, 1+rng.IntN(30)) {
			cancelled++
			continue
		}
		old.build(t, live.Change{Paths: waiting})
		waiting = nil
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
	if cancelled < 2 {
		t.Errorf("%d builds were cancelled: the law is not tried", cancelled)
	}
}

func TestABuildAfterACancelledOneOpensOnlyWhatChanged(t *testing.T) {
	dir := smallPacks(t)
	r := newRebuilds(t, dir)
	r.build(t, live.Change{})
	first, second := pagesOf(t, dir, "pack-0")[0], pagesOf(t, dir, "pack-1")[0]
	appendTo(t, first, "\nOne more sentence.\n")
	if !r.cancelled(t, live.Change{Paths: []string{first}}, 1) {
		t.Fatal("the build is not cancelled")
	}
	appendTo(t, second, "\nOne more sentence.\n")
	r.build(t, live.Change{Paths: []string{first, second}})
	for _, m := range r.before.Repository.Members {
		if taken := m.Before != nil; taken != (m.Name() == "pack-2") {
			t.Errorf("%s: taken over is %t", m.Name(), taken)
		}
	}
	for _, page := range []string{first, second} {
		if html := r.files[htmlOf(t, dir, page)]; !strings.Contains(html, "One more sentence.") {
			t.Errorf("the edit of %s is lost", page)
		}
	}
}

// htmlOf is the path on the site of the page of a file.
func htmlOf(t *testing.T, dir, file string) string {
	t.Helper()
	rel := oktest.Value(filepath.Rel(dir, file))(t)
	return strings.TrimSuffix(filepath.ToSlash(rel), ".md") + ".html"
}

func TestAnEditedPageIsShownFirstAsItWillBe(t *testing.T) {
	dir := smallPacks(t)
	r := newRebuilds(t, dir)
	r.build(t, live.Change{})
	page := pagesOf(t, dir, "pack-1")[0]
	html := htmlOf(t, dir, page)
	appendTo(t, page, "\nOne more sentence.\n")
	r.build(t, live.Change{Paths: []string{page}})
	if len(r.previews) != 1 || !strings.Contains(r.previews[html], "One more sentence.") || r.previews[html] != r.files[html] {
		t.Errorf("%d pages are shown first; want %s alone, with the bytes that it has in the end", len(r.previews), html)
	}
	// Of a pack with errors nothing is.
	appendTo(t, page, "\nThe key is AKIAIOSFODNN7EXAMPLQ, keep it.\n")
	r.build(t, live.Change{Paths: []string{page}})
	if text := r.files[html]; len(r.previews) > 0 || strings.Contains(text, "AKIA") {
		t.Errorf("of a page with a secret %d are shown first; in the end it says %q", len(r.previews), text)
	}
}

func TestAPageIsShownBeforeTheRestIsMade(t *testing.T) {
	dir := smallPacks(t)
	r := newRebuilds(t, dir)
	r.build(t, live.Change{})
	page := pagesOf(t, dir, "pack-1")[0]
	appendTo(t, page, "\nOne more sentence.\n")
	changed := r.build(t, live.Change{Paths: []string{page}})
	html := htmlOf(t, dir, page)
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
		{"packs/pack-1/pack.tar.gz", "packs/pack-1/pack.json"}, {"llms-full.txt"}, {"index.bin", "index.json"}, {"match/index.json"},
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
