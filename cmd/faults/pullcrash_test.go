package faults_test

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// puller runs pull as a process of its own, against a server with one pack.
type puller struct {
	*crasher
	web     *httptest.Server
	archive []byte
	asked   atomic.Int64  // for the archive
	cut     atomic.Bool   // half of the archive is sent, and then nothing
	half    chan struct{} // closed when half of it is sent
	cache   string
}

func newPuller(t *testing.T) *puller {
	t.Helper()
	p := &puller{crasher: newCrasher(t, "pull"), half: make(chan struct{}, 1)}
	source := packgentest.Repository(t)
	build := newCrasher(t, "build")
	build.run(source, 1)
	var err error
	if p.archive, err = os.ReadFile(filepath.Join(source, "public/packs/p/pack.tar.gz")); err != nil {
		t.Fatal(err)
	}
	p.web = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.asked.Add(1)
		if !p.cut.Load() {
			_, _ = w.Write(p.archive)
			return
		}
		w.Header().Set("Content-Length", "1000000")
		_, _ = w.Write(p.archive[:len(p.archive)/2])
		_ = http.NewResponseController(w).Flush()
		p.half <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(p.web.Close)
	p.useCache(filepath.Join(t.TempDir(), "cache"))
	p.args = []string{p.web.URL + "/pack.tar.gz"}
	return p
}

// useCache makes the runs from now on use a cache.
func (p *puller) useCache(dir string) {
	p.cache, p.env = dir, []string{repo.CacheVariable + "=" + dir}
}

// left are the names in a part of the cache.
func (p *puller) left(part string) []string {
	list := []string{}
	entries, err := os.ReadDir(filepath.Join(p.cache, part))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.tb.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestFaultAPullThatIsKilledLeavesCacheAndLockAsTheyWere(t *testing.T) {
	t.Parallel()
	p := newPuller(t)
	dir := t.TempDir()
	lock := filepath.Join(dir, "packgen.lock")
	before := []byte("{\n  \"schema_version\": 3,\n  \"references\": []\n}\n")
	oktest.Check(t, os.WriteFile(lock, before, 0o666))
	p.cut.Store(true)
	cmd, out := p.start(dir, 1)
	select {
	case <-p.half:
	case <-time.After(30 * time.Second):
		t.Fatalf("nothing was downloaded\n%s", out)
	}
	oktest.Check(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	if after, err := os.ReadFile(lock); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the lock became %q, %v", after, err)
	}
	if trees, refs := p.left("trees"), p.left("refs"); len(trees)+len(refs) != 0 {
		t.Errorf("the cache holds %v, %v", trees, refs)
	}
	p.cut.Store(false)
	p.run(dir, 1)
	if trees, work := p.left("trees"), p.left("tmp"); len(trees) != 1 || len(work) != 0 {
		t.Errorf("the next pull leaves the trees %v and, half made, %v", trees, work)
	}
}

func TestFaultAPullThatIsKilledAnywhereCanBeRunAgain(t *testing.T) {
	t.Parallel()
	p := newPuller(t)
	count := kills(t, "pull", 10)
	fresh := t.TempDir()
	p.useCache(filepath.Join(fresh, "cache"))
	usual := p.run(fresh, 1)
	after := pulled(p.tree(fresh))
	killed := 0
	for tries := 0; killed < count.Rounds() && tries < 8*count.Rounds(); tries++ {
		dir := oktest.Value(os.MkdirTemp(filepath.Dir(fresh), "killed-"))(t)
		p.useCache(filepath.Join(dir, "cache"))
		cmd, _ := p.start(dir, 1)
		time.Sleep(time.Duration(rand.Float64() * float64(usual)))
		_ = cmd.Process.Kill() // it may have ended
		if cmd.Wait() != nil {
			killed++
			count.Done(1)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "packgen.lock")); err == nil && !bytes.HasSuffix(data, []byte("}\n")) {
			count.Wrong("half a lock: %q", data)
		}
		for _, name := range p.left("trees") {
			// What is there is whole: it is used without the server.
			if _, err := os.Stat(filepath.Join(dir, "cache/trees", name, "files")); err != nil {
				t.Fatal(err)
			}
		}
		for name, text := range pulled(p.tree(dir)) {
			if after[name] != text {
				count.Wrong("%s is half", name)
			}
		}
		p.run(dir, 1)
		if trees, work := p.left("trees"), p.left("tmp"); len(trees) != 1 || len(work) > 2 {
			count.Wrong("trees %v, half made %v", trees, work)
		}
		if got := pulled(p.tree(dir)); !maps.Equal(got, after) {
			count.Wrong("the next pull leaves %d files, of which %d are right", len(got), equalFiles(got, after))
		}
		if err := os.RemoveAll(dir); err != nil || t.Failed() {
			t.Fatal(err)
		}
	}
	if killed < count.Rounds() {
		t.Errorf("%d runs were killed in time", killed)
	}
}

// pulled are the files of a pull that are more than work in progress.
func pulled(files map[string]string) map[string]string {
	kept := map[string]string{}
	for name, text := range files {
		if rest, cached := strings.CutPrefix(name, "/cache/"); !strings.HasSuffix(name, ".packgen") &&
			(!cached || strings.HasPrefix(rest, "trees/") || strings.HasPrefix(rest, "refs/")) {
			kept[name] = text
		}
	}
	return kept
}

func TestFaultProcessesThatPullTheSameShareOneDownload(t *testing.T) {
	t.Parallel()
	p := newPuller(t)
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	dirs = append(dirs, dirs[0]) // two of them in one repository
	p.run(dirs[0], 1)            // and it is locked already
	lock := oktest.Value(os.ReadFile(filepath.Join(dirs[0], "packgen.lock")))(t)
	for _, dir := range dirs[1:3] {
		oktest.Check(t, os.WriteFile(filepath.Join(dir, "packgen.lock"), lock, 0o666))
	}
	p.useCache(filepath.Join(t.TempDir(), "cache"))
	before := p.asked.Load()
	var running []*exec.Cmd
	var outputs []*bytes.Buffer
	for _, dir := range dirs {
		cmd, out := p.start(dir, 1)
		running, outputs = append(running, cmd), append(outputs, out)
	}
	for i, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, outputs[i])
		}
	}
	if got := p.asked.Load() - before; got != 1 {
		t.Errorf("%d downloads of what is locked", got)
	}
	for _, dir := range dirs {
		if now, err := os.ReadFile(filepath.Join(dir, "packgen.lock")); err != nil || string(now) != string(lock) {
			t.Errorf("%s\n%v", now, err)
		}
	}
}

// Several references pulled at once into one repository are all locked.
func TestFaultPullsIntoOneLockLoseNothing(t *testing.T) {
	t.Parallel()
	p := newPuller(t)
	dir := t.TempDir()
	address := p.args[0]
	var running []*exec.Cmd
	for _, query := range []string{"?a", "?b", "?c", "?d"} {
		p.args = []string{address + query}
		cmd, _ := p.start(dir, 1)
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	lock, err := os.ReadFile(filepath.Join(dir, "packgen.lock"))
	if err != nil || strings.Count(string(lock), `"ref"`) != 4 {
		t.Errorf("%v\n%s", err, lock)
	}
}
