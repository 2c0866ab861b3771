package browser_test

import (
	"bytes"
	"fmt"
	"mime"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// subPath is where the tests serve this project's own site, as the Pages of a
// repository are served.
const subPath = "/some/base/"

// buildOwnSite builds this project's own packs in a copy and returns the
// repository's directory.
func buildOwnSite(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	oktest.Check(t, os.CopyFS(filepath.Join(dir, "packs"), os.DirFS("../../packs")))
	writeUsage(t, filepath.Join(dir, usageDir))
	buildSite(t, dir)
	return dir
}

// usageDir is where a repository of these tests has an index with a usage log;
// its site then has a usage report.
const usageDir = "usage"

// writeUsage writes an index, a usage log and misses, so that a report has every
// section.
func writeUsage(t *testing.T, dir string) {
	t.Helper()
	var entries, events []string
	for i := range 12 {
		id := fmt.Sprintf("a-memory-with-a-rather-long-name-%d", i)
		entries = append(entries, fmt.Sprintf(`{"id":%q,"path":"x.md","keywords":["shared","word%d"],"patterns":[],"priority":"domain","summary":"About rollback","triggers":{},"tokens_est":%d,"lines":9}`, id, i, 1000*i))
		if i%2 == 0 {
			events = append(events, fmt.Sprintf(`{"timestamp":"2026-01-%02dT00:00:00.000Z","taskHash":"a","entryId":%q,"trigger":"UserPromptSubmit","mode":"lazy","score":0.%d,"tokensEst":9000}`, i+1, id, 5+i%5))
		}
	}
	miss := `{"timestamp":"2026-01-01T00:00:00.000Z","words":["rollback","zebra"]}` + "\n"
	packgentest.WriteText(t, filepath.Join(dir, "index.json"), `{"version":"1.0.0","generated":"2026-01-01T00:00:00.000Z","entries":[`+strings.Join(entries, ",")+`],"budget":{"always_loaded_est":0,"on_demand_total_est":1,"avg_task_load_est":300,"avg_task_load_observed":null}}`)
	packgentest.WriteText(t, filepath.Join(dir, "usage.jsonl"), strings.Join(events, "\n")+"\ntorn\n")
	packgentest.WriteText(t, filepath.Join(dir, "misses.jsonl"), miss+miss)
}

// buildSite builds the packs of a repository; its address is that of subPath.
func buildSite(t *testing.T, dir string) {
	t.Helper()
	config := "title: Own packs\nbase_url: https://example.org" + subPath + "\nroles: packs/*\n"
	if _, err := os.Stat(filepath.Join(dir, usageDir)); err == nil {
		config += "site:\n  report: " + usageDir + "/index.json\n"
	}
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "packgen.yaml"), []byte(config), 0o666))
	if code, stdout, stderr := packgentest.Run(t, "", "-C", dir, "build", "-q"); code != 0 {
		t.Fatalf("build ends with %d:\n%s%s", code, stdout, stderr)
	}
}

// server serves a built site below a base path, as a static host does: a
// missing page is 404.html.
type server struct {
	*httptest.Server
	base string

	late bool // each page and picture comes in parts, its last bytes after a while

	// change may replace what is served; nil serves the files as they are.
	change func(name string, data []byte) []byte

	mu    sync.Mutex
	extra map[string][]byte // files besides those of the site
	asked map[string]int    // by path below the base
	more  [3]string         // a header, its value and the end of the names that get it
}

// serve serves the site of a repository until the test ends.
func serve(t *testing.T, dir, base string) *server {
	t.Helper()
	s := &server{base: base, extra: map[string][]byte{}, asked: map[string]int{}}
	root := filepath.Join(dir, "public")
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, below := strings.CutPrefix(r.URL.Path, base)
		if !below {
			http.NotFound(w, r)
			return
		}
		if name == "" || strings.HasSuffix(name, "/") {
			name += "index.html"
		}
		s.answer(w, root, path.Clean("/" + name)[1:])
	}))
	t.Cleanup(s.Close)
	return s
}

// answer sends one file.
func (s *server) answer(w http.ResponseWriter, root, name string) {
	s.mu.Lock()
	s.asked[name]++
	data, found := s.extra[name]
	change, more := s.change, s.more
	s.mu.Unlock()
	status := http.StatusOK
	if !found {
		var err error
		if data, err = os.ReadFile(filepath.Join(root, filepath.FromSlash(name))); err != nil {
			status, name = http.StatusNotFound, "404.html"
			data, _ = os.ReadFile(filepath.Join(root, name))
		}
	}
	if change != nil {
		data = change(name, bytes.Clone(data))
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	if more[0] != "" && strings.HasSuffix(name, more[2]) {
		w.Header().Set(more[0], more[1])
	}
	w.WriteHeader(status)
	if s.late && (strings.HasSuffix(name, ".html") || strings.HasSuffix(name, ".png")) {
		const last = 16 // within the foot of a page
		part := (len(data) - last) / 3
		for _, n := range []int{part, part, len(data) - last - 2*part} {
			_, _ = w.Write(data[:n])
			data = data[n:]
			_ = http.NewResponseController(w).Flush()
			time.Sleep(100 * time.Millisecond)
		}
	}
	_, _ = w.Write(data)
}

// url returns the address of a path below the base.
func (s *server) url(name string) string { return s.URL + s.base + name }

// add serves a file besides those of the site.
func (s *server) add(name string, data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.extra[name] = data
}

// alter sets what changes the served files.
func (s *server) alter(change func(name string, data []byte) []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change = change
}

// header sends a header with the files whose names end in a suffix.
func (s *server) header(name, value, suffix string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.more = [3]string{name, value, suffix}
}

// count returns how often files were asked for whose names end in a suffix.
func (s *server) count(suffix string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for name, times := range s.asked {
		if strings.HasSuffix(name, suffix) {
			n += times
		}
	}
	return n
}

// pageKind is a page that stands for its kind.
type pageKind struct{ name, path string }

// pageKinds lists one page of each kind of this project's own site.
func pageKinds(t *testing.T, dir string) []pageKind {
	t.Helper()
	kinds := []pageKind{
		{"catalog", "index.html"},
		{"pack", "packs/release-engineering/index.html"},
		{"document", "packs/packgen-manual/documents/tutorial.html"},
		{"wiki page", "packs/knowledge-pack-field/wiki/concepts/split.html"},
		{"view", "packs/knowledge-pack-field/compiled/briefing.html"},
		{"claims", "packs/release-engineering/claims.html"},
		{"history", "packs/release-engineering/history.html"},
		{"listing", "packs/release-engineering/wiki.html"},
		{"folder", "packs/release-engineering/wiki/concepts/index.html"},
		{"source", "packs/knowledge-pack-field/cited/loadout.md.html"},
		{"role", rolePage},
		{"match", "match.html"},
		{"search", "search.html"},
		{"usage report", "report.html"},
		{"not found", "404.html"},
	}
	for _, k := range kinds {
		if _, err := os.Stat(filepath.Join(dir, "public", filepath.FromSlash(k.path))); err != nil {
			t.Fatalf("no page of the kind %s: %v", k.name, err)
		}
	}
	return kinds
}

// htmlPages lists every page of a built site.
func htmlPages(t *testing.T, dir string) []string {
	t.Helper()
	var pages []string
	root := filepath.Join(dir, "public")
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".html" {
			return err
		}
		rel, err := filepath.Rel(root, name)
		pages = append(pages, filepath.ToSlash(rel))
		return err
	})
	oktest.Check(t, err)
	if len(pages) < 5 {
		t.Fatalf("only %d pages in %s", len(pages), root)
	}
	return pages
}
