package remote

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"golang.org/x/mod/sumdb/dirhash"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/archive/archivetest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// treeDir is where the cache keeps the files of a tree.
func treeDir(t testing.TB, c *Cache, tree string) string {
	t.Helper()
	name := oktest.Value(treeHex(tree))(t)
	return filepath.Join(c.Dir(), treesDir, name)
}

// cachedKettle is a cache that holds a pack from a server, with its lock entry.
func cachedKettle(t testing.TB) (Options, *server, string, *sample) {
	t.Helper()
	s := publish(t, "kettle", "It boils.")
	web := serve(t, map[string][]byte{"kettle.tar.gz": s.targz})
	o, ref := options(t), web.URL+"/kettle.tar.gz"
	a := oktest.Value(Open(context.Background(), mustRef(t, ref), o))(t)
	o.Locked = &a.Entry
	a.Close()
	return o, web, ref, s
}

func TestACachedTreeIsAFileSystem(t *testing.T) {
	o, _, ref, s := cachedKettle(t)
	a := mustOpen(t, ref, o)
	if err := fstest.TestFS(a.FS, "KNOWLEDGE.md", "documents/it.md", "documents/a/b/c.md", "documents/empty.md"); err != nil {
		t.Error(err)
	}
	if list := archivetest.List(t, a.FS); len(list) != len(s.files)+1 || archive.TreeHash(a.Files()) != s.tree {
		t.Errorf("%v", list)
	}
	// The file in the cache that nothing lists is hidden.
	write(t, filepath.Join(treeDir(t, o.Cache, s.tree), "tree", "documents", "more.md"), []byte("x"))
	if _, err := fs.ReadFile(a.FS, "documents/more.md"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if names, err := fs.Glob(mustOpen(t, ref, o).FS, "documents/*.md"); err != nil || !slices.Equal(names, []string{"documents/empty.md", "documents/it.md"}) {
		t.Errorf("%v, %v", names, err)
	}
}

func TestADamagedTreeIsNeverUsed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		opens  bool // the damage is in a file, and found when that is read
	}{
		{"a byte of a file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "tree/documents/it.md"), []byte("# It\n\nIt boilt.\n"))
		}, true},
		{"a longer file", func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "tree/documents/it.md"), []byte("# It\n\nIt boils.\nMore.\n"))
		}, true},
		{"a file is gone", func(t *testing.T, dir string) {
			oktest.Check(t, os.Remove(filepath.Join(dir, "tree/documents/it.md")))
		}, true},
		{"a directory in the place of a file", func(t *testing.T, dir string) {
			name := filepath.Join(dir, "tree/documents/it.md")
			oktest.Check(t, errors.Join(os.Remove(name), os.Mkdir(name, 0o777)))
		}, true},
		{"the listing is gone", func(t *testing.T, dir string) {
			oktest.Check(t, os.Remove(filepath.Join(dir, listingName)))
		}, false},
		{"a line more in the listing", func(t *testing.T, dir string) {
			data := oktest.Value(os.ReadFile(filepath.Join(dir, listingName)))(t)
			write(t, filepath.Join(dir, listingName), append([]byte(strings.Repeat("0", 64)+"  AAA\n"), data...))
		}, false},
		{"sizes of the listing are cut off", func(t *testing.T, dir string) {
			data := oktest.Value(os.ReadFile(filepath.Join(dir, listingName)))(t)
			write(t, filepath.Join(dir, listingName), data[:len(data)-2])
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, web, ref, s := cachedKettle(t)
			tt.damage(t, treeDir(t, o.Cache, s.tree))
			before := web.asked.Load()
			if tt.opens {
				a := mustOpen(t, ref, o)
				var damage *DamageError
				if _, err := fs.ReadFile(a.FS, "documents/it.md"); !errors.As(err, &damage) || a.Damage() == nil {
					t.Fatalf("damage was read: %v", err)
				}
				oktest.Check(t, a.Drop(context.Background()))
			}
			o.Offline = true
			var offline *OfflineError
			if _, err := Open(context.Background(), mustRef(t, ref), o); !errors.As(err, &offline) {
				t.Errorf("offline: %v", err)
			}
			o.Offline = false
			a := mustOpen(t, ref, o)
			if got := textOf(t, a); got != "# It\n\nIt boils.\n" || !a.Fetched || web.asked.Load() == before {
				t.Errorf("%q, fetched %v", got, a.Fetched)
			}
		})
	}
}

func TestADamagedManifestIsFetchedAgain(t *testing.T) {
	o, _, ref, s := cachedKettle(t)
	write(t, o.Cache.manifestName(archive.SHA256(s.manifest)), []byte("{}"))
	if a := mustOpen(t, ref, o); string(a.Manifest) != string(s.manifest) {
		t.Errorf("%s", a.Manifest)
	}
}

// A tree that another process fetched again meanwhile is not dropped.
func TestDropSparesAWholeTree(t *testing.T) {
	o, _, ref, s := cachedKettle(t)
	a := mustOpen(t, ref, o)
	oktest.Check(t, a.Drop(context.Background()))
	if _, err := os.Stat(treeDir(t, o.Cache, s.tree)); err != nil {
		t.Error(err)
	}
}

func TestTheListingIsWhatTheTreeHashIsOf(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	files := archivetest.List(t, s.files)
	var names []string
	for name := range s.files {
		names = append(names, name)
	}
	want, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) { return s.files.Open(name) })
	if err != nil || want != s.tree {
		t.Fatalf("%s, %v", want, err)
	}
	data := appendListing(nil, files)
	back, err := parseListing(data, want)
	if err != nil || !slices.Equal(back, files) {
		t.Errorf("%v, %v", back, err)
	}
	for i := range data {
		changed := slices.Clone(data)
		changed[i] ^= 1
		if back, err := parseListing(changed, want); err == nil && slices.Equal(back, files) {
			t.Errorf("byte %d changed, and nobody saw it", i)
		}
	}
}

func hashOf(text []byte) string {
	sum := sha256.Sum256(text)
	return "h1:" + base64.StdEncoding.EncodeToString(sum[:])
}

func FuzzParseListing(f *testing.F) {
	f.Add([]byte("aa  b\n\n3\n"))
	f.Add([]byte("\n\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		end := strings.Index(string(data), "\n\n") + 1
		if end == 0 {
			end = len(data)
		}
		tree := oktest.Value(dirhash.Hash1(nil, nil))(t)
		if files, err := parseListing(data, tree); err == nil && len(files) > 0 {
			t.Errorf("files from the hash of none: %v", files)
		}
		files, err := parseListing(data, hashOf(data[:end]))
		if err == nil && string(appendListing(nil, files)) != string(data) && len(files) > 0 {
			// Sizes may be written with leading zeros or a sign; the rest is exact.
			back, err := parseListing(appendListing(nil, files), hashOf(data[:end]))
			if err != nil || !slices.Equal(back, files) {
				t.Errorf("%q: %v, %v", data, back, err)
			}
		}
	})
}

func TestPruneKeepsWhatIsLockedOrInUse(t *testing.T) {
	o := options(t)
	locked, used, idle := publish(t, "locked", "1"), publish(t, "used", "2"), publish(t, "idle", "3")
	for _, s := range []*sample{locked, used, idle} {
		write(t, filepath.Join(o.Dir, s.name+".tar.gz"), s.targz)
		a := oktest.Value(Open(context.Background(), mustRef(t, s.name+".tar.gz"), o))(t)
		a.Close()
	}
	keep := []schema.LockedRef{mustOpen(t, "locked.tar.gz", o).Entry}
	inUse := mustOpen(t, "used.tar.gz", o)
	before := listTree(t, o.Cache.Dir())
	for _, dry := range []bool{true, false} {
		got, err := o.Cache.Prune(context.Background(), PruneOptions{Keep: keep, DryRun: dry})
		if err != nil || len(got.Removed) != 1 || got.Removed[0].Pack != "idle" || got.Removed[0].Files != 4 || got.Kept != 1 || got.InUse != 1 || got.Bytes == 0 {
			t.Errorf("dry %v: %+v, %v", dry, got, err)
		}
		if dry && !slices.Equal(before, listTree(t, o.Cache.Dir())) {
			t.Error("a dry run removed something")
		}
	}
	for s, want := range map[*sample]bool{locked: true, used: true, idle: false} {
		if _, err := os.Stat(treeDir(t, o.Cache, s.tree)); (err == nil) != want {
			t.Errorf("%s: %v", s.name, err)
		}
		if _, err := o.Cache.manifest(archive.SHA256(s.manifest)); (err == nil) != want {
			t.Errorf("%s: %v", s.name, err)
		}
	}
	if textOf(t, inUse) != "# It\n\n2\n" {
		t.Error("the pack in use cannot be read")
	}
	inUse.Close()
	if got, err := o.Cache.Prune(context.Background(), PruneOptions{Keep: keep}); err != nil || len(got.Removed) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestPruneRemovesIndexesAndWhatKilledProcessesLeft(t *testing.T) {
	o, _, ref, s := cachedKettle(t)
	at := func(name string) string { return filepath.Join(o.Cache.Dir(), filepath.FromSlash(name)) }
	old := []string{
		"tmp/pull-1/.outer.unpack-2/1/documents/it.md", "tmp/pull-1/archive", "tmp/pull-1.lock",
		"indexes/x", "tmp/gone-1/tree/documents/it.md", "refs/.x.json.1.packgen", "manifests/.y.json.1.packgen",
	}
	for _, name := range append(old, "tmp/gone-2/tree/files", "refs/.x.json.2.packgen") {
		write(t, at(name), []byte("half"))
	}
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"tmp/gone-1", old[5], old[6]} {
		oktest.Check(t, os.Chtimes(at(name), long, long))
	}
	if _, err := o.Cache.Prune(context.Background(), PruneOptions{Keep: []schema.LockedRef{*o.Locked}}); err != nil {
		t.Fatal(err)
	}
	for _, name := range old {
		if _, err := os.Lstat(at(name)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v", name, err)
		}
	}
	if left := append(listTree(t, at("tmp")), listTree(t, at("refs"))...); !slices.Contains(left, "gone-2/tree/files") || !slices.Contains(left, ".x.json.2.packgen") {
		t.Errorf("what somebody may be at is gone: %v", left)
	}
	if a := mustOpen(t, ref, o); a.Fetched || a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
}

func TestOneFetchServesAllWhoWait(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	web := serve(t, map[string][]byte{"kettle.tar.gz": s.targz})
	o := options(t)
	first := mustOpen(t, web.URL+"/kettle.tar.gz", options(t))
	o.Locked = &first.Entry
	before := web.asked.Load()
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			a, err := Open(context.Background(), mustRef(t, web.URL+"/kettle.tar.gz"), o)
			if err != nil {
				t.Error(err)
				return
			}
			defer a.Close()
			if err := a.Verify(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := web.asked.Load() - before; got != 1 {
		t.Errorf("%d downloads", got)
	}
}

// Who unpacks an archive again finds its tree in the cache, which somebody may be reading.
func TestWhoLooksAtAWholeTreeWaitsForNobody(t *testing.T) {
	o, _, _, s := cachedKettle(t)
	locks := filepath.Join(o.Cache.Dir(), locksDir)
	oktest.Check(t, os.RemoveAll(locks))
	if err := o.Cache.drop(context.Background(), s.tree); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(treeDir(t, o.Cache, s.tree)); err != nil {
		t.Errorf("a whole tree was removed: %v", err)
	}
	if _, err := os.Stat(locks); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the lock of the tree was taken: %v", err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if err := o.Cache.drop(stopped, s.tree); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := os.Stat(treeDir(t, o.Cache, s.tree)); err != nil {
		t.Errorf("a whole tree was removed by a command that was stopped: %v", err)
	}
}

// A download that was broken off is continued by another process, which has nothing but
// the cache.
func TestADownloadContinuesAfterANewStart(t *testing.T) {
	s := publish(t, "kettle", noise(t))
	changed := publish(t, "kettle", noise(t))
	for _, tt := range []struct {
		name   string
		etag   func(start int) string // of the archive, in the first and the second process
		served func(start int) []byte
		want   string // the Range of the second process
		from   *sample
	}{
		{"with an entity tag", func(int) string { return `"a"` }, func(int) []byte { return s.targz }, "bytes=1000-", s},
		{"without one", func(int) string { return "" }, func(int) []byte { return s.targz }, "", s},
		{"of a file that changed", func(start int) string { return fmt.Sprintf(`"%d"`, start) }, func(start int) []byte { return [][]byte{s.targz, changed.targz}[start] }, "bytes=1000-", changed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := 0
			server := fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if tag := tt.etag(start); tag != "" {
					w.Header().Set("Etag", tag)
				}
				w.Header().Set("Content-Type", "application/gzip")
				http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(tt.served(start)))
			}))
			server.Spoil(fetchtest.Fault{Path: ".tar.gz", Cut: 1000})
			o, ref := options(t), server.URL+"/kettle.tar.gz"
			if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil {
				t.Fatal("the download was not broken off")
			}
			start++
			before := len(server.Requests())
			if a := mustOpen(t, ref, o); a.Entry.Tree != tt.from.tree {
				t.Errorf("%+v", a.Entry)
			}
			if got := server.Requests()[before].Header.Get("Range"); got != tt.want {
				t.Errorf("it asked for the range %q, want %q", got, tt.want)
			}
			if left, err := os.ReadDir(filepath.Join(o.Cache.Dir(), partialDir)); err != nil || len(left) != 0 {
				t.Errorf("%v is left, %v", left, err)
			}
		})
	}
}

// noise is text that does not get shorter than the place where a download is cut.
func noise(t *testing.T) string {
	t.Helper()
	data := make([]byte, 4<<10)
	if _, err := rand.Read(data); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", data)
}

// What a digest names never changes: no tag is needed.
func TestABlobOfARegistryContinuesAfterANewStart(t *testing.T) {
	s := publish(t, "kettle", noise(t))
	server, o := fetchtest.NewRegistry(t), options(t)
	ref, blob := "oci://"+server.Host()+"/acme/kettle", "/blobs/sha256:"+archive.SHA256(s.targz)
	push(t, o, ref, false, s)
	server.Spoil(fetchtest.Fault{Path: blob, Cut: 1000})
	if _, err := Open(context.Background(), mustRef(t, ref), o); err == nil {
		t.Fatal("the download was not broken off")
	}
	if a := mustOpen(t, ref, o); a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	asked := server.Requests()
	if last := asked[len(asked)-1]; !strings.HasSuffix(last.Path, blob) || last.Header.Get("Range") != "bytes=1000-" {
		t.Errorf("the last request is for %s, range %q", last.Path, last.Header.Get("Range"))
	}
}
