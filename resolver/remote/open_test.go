package remote

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

func TestAPackIsTheSameThroughEveryForm(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	o := options(t)
	at := func(name string) string { return filepath.Join(o.Dir, name) }
	s.unpack(t, at("unpacked"))
	s.unpack(t, at("container/kettle"))
	write(t, at("kettle.tar.gz"), s.targz)
	write(t, at("flat.zip"), zipped(t, s.all(), ""))
	write(t, at("folder.zip"), zipped(t, s.all(), "kettle/"))
	write(t, at("pages.zip"), zipped(t, map[string][]byte{"artifact.tar": tarred(t, s.all())}, ""))
	write(t, at("packs.zip"), zipped(t, map[string][]byte{"kettle.tar.gz": s.targz}, ""))
	site := map[string][]byte{
		"catalog.json": []byte(`{"schema_version":1,"packs":[{"name":"kettle","description":"d","type":"t","status":"ready"}]}`),
		"index.html":   []byte("<p>"), "packs/kettle/pack.json": s.manifest, "packs/kettle/pack.tar.gz": s.targz,
		"packs/kettle/documents/it.md": s.files["documents/it.md"].Data,
	}
	write(t, at("site.zip"), zipped(t, site, ""))
	for name, data := range site {
		write(t, filepath.Join(at("site"), name), data)
	}
	for _, form := range []string{
		"dir:unpacked", "container", "container#kettle", "kettle.tar.gz", "flat.zip", "folder.zip", "pages.zip", "packs.zip", "site.zip", "site.zip#kettle", "site", "dir:site#kettle",
	} {
		a := mustOpen(t, form, o)
		if a.Entry.Tree != s.tree || a.Name != "kettle" || a.Entry.Manifest != archive.SHA256(s.manifest) || a.Entry.Version != "1.2.0" || a.Entry.Ref != form {
			t.Errorf("%s: %+v, want tree %s", form, a.Entry, s.tree)
		}
		if got := textOf(t, a); got != "# It\n\nIt boils.\n" {
			t.Errorf("%s: %q", form, got)
		}
		if data, err := fs.ReadFile(a.FS, "pack.json"); err != nil || string(data) != string(s.manifest) || archive.TreeHash(a.Files()) != s.tree {
			t.Errorf("%s: pack.json %q, %v; files %v", form, data, err, a.Files())
		}
	}
	if trees, err := os.ReadDir(filepath.Join(o.Cache.Dir(), treesDir)); err != nil || len(trees) != 1 {
		t.Errorf("the cache holds %d trees, %v", len(trees), err)
	}
	if left, err := os.ReadDir(filepath.Join(o.Cache.Dir(), workDir)); err != nil || len(left) != 0 {
		t.Errorf("left in the cache: %v, %v", left, err)
	}
}

func TestAPackThatIsWorkedOnIsReadAsItIs(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	o := options(t)
	s.unpack(t, filepath.Join(o.Dir, "packs/kettle"))
	oktest.Check(t, os.Remove(filepath.Join(o.Dir, "packs/kettle/pack.json")))
	write(t, filepath.Join(o.Dir, "packs/kettle/sources/s.md"), []byte("x"))
	a := mustOpen(t, "dir:.#kettle", o)
	if a.Entry.Tree != "" || a.Manifest != nil || textOf(t, a) != "# It\n\nIt boils.\n" {
		t.Errorf("%+v", a.Entry)
	}
	o.Identify = true
	if a := mustOpen(t, "dir:packs/kettle", o); a.Entry.Tree != s.tree {
		t.Errorf("tree %s, want that of what is published, %s", a.Entry.Tree, s.tree)
	}
}

func TestFoldersThatLieElsewhereArePulledWithAPack(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	o := options(t)
	dir := filepath.Join(o.Dir, "packs/kettle")
	s.unpack(t, dir)
	oktest.Check(t, os.Remove(filepath.Join(dir, "pack.json")))
	write(t, filepath.Join(o.Dir, "docs/more.md"), []byte("# More\n"))
	o.Mappings = func(of string) ([]pack.Mapping, error) {
		if of != dir {
			t.Errorf("asked for %s", of)
		}
		return []pack.Mapping{{Dir: filepath.Join(o.Dir, "docs"), Below: "far", Pack: dir}}, nil
	}
	a := mustOpen(t, "dir:packs/kettle", o)
	if text, err := fs.ReadFile(a.FS, "documents/far/more.md"); err != nil || string(text) != "# More\n" || textOf(t, a) != "# It\n\nIt boils.\n" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestOneOfSeveralPacksIsNamed(t *testing.T) {
	o := options(t)
	a, b := publish(t, "a", "A."), publish(t, "b", "B.")
	write(t, filepath.Join(o.Dir, "two.zip"), zipped(t, map[string][]byte{"a.tar.gz": a.targz, "b.tar.gz": b.targz}, ""))
	a.unpack(t, filepath.Join(o.Dir, "two/packs/a"))
	b.unpack(t, filepath.Join(o.Dir, "two/packs/b"))
	for _, form := range []string{"two.zip", "two"} {
		for name, want := range map[string]*sample{"a": a, "b": b} {
			if got := mustOpen(t, form+"#"+name, o); got.Entry.Tree != want.tree {
				t.Errorf("%s#%s: %+v", form, name, got.Entry)
			}
		}
		for _, text := range []string{form, form + "#c"} {
			_, err := Open(context.Background(), mustRef(t, text), o)
			var choose *chooseError
			if !errors.As(err, &choose) || !slices.Equal(choose.Names, []string{"a", "b"}) {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
}

func TestACachedArchiveIsFetchedOnce(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	web := serve(t, map[string][]byte{"kettle.tar.gz": s.targz})
	o := options(t)
	ref := web.URL + "/kettle.tar.gz"
	first := mustOpen(t, ref, o)
	if !first.Fetched || first.Entry.Digest != "sha256:"+archive.SHA256(s.targz) || first.Entry.Source != "url" {
		t.Errorf("%+v", first.Entry)
	}
	before := web.asked.Load()
	o.Locked = &first.Entry
	for _, offline := range []bool{false, true} {
		o.Offline = offline
		a := mustOpen(t, ref, o)
		if a.Fetched || !a.Locked || textOf(t, a) != textOf(t, first) {
			t.Errorf("offline %v: %+v", offline, a)
		}
	}
	o.Locked = nil // offline, a reference that is not locked means what it meant last
	if a := mustOpen(t, ref, o); a.Locked || a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	if got := web.asked.Load(); got != before {
		t.Errorf("%d requests for what is cached", got-before)
	}
}

func TestOfflineSaysWhatIsMissing(t *testing.T) {
	o := options(t)
	o.Offline = true
	for _, locked := range []*schema.LockedRef{nil, {Ref: "https://example.org", Pack: "p", Source: "site", Tree: publish(t, "p", "x").tree}} {
		o.Locked = locked
		_, err := Open(context.Background(), mustRef(t, "https://example.org"), o)
		var offline *OfflineError
		if !errors.As(err, &offline) || locked != nil && !strings.Contains(err.Error(), locked.Tree) {
			t.Errorf("%v", err)
		}
	}
}

func TestWhatDiffersFromTheLockIsRefused(t *testing.T) {
	old, changed := publish(t, "kettle", "It boils."), publish(t, "kettle", "It lies.")
	renamed := publish(t, "pot", "It boils.")
	web := serve(t, map[string][]byte{"kettle.tar.gz": old.targz})
	o := options(t)
	write(t, filepath.Join(o.Dir, "kettle.tar.gz"), old.targz)
	old.unpack(t, filepath.Join(o.Dir, "kettle"))
	for _, ref := range []string{"kettle.tar.gz", "kettle", web.URL + "/kettle.tar.gz"} {
		entry := mustOpen(t, ref, o).Entry
		fresh := o
		fresh.Cache, fresh.Locked = NewCache(filepath.Join(t.TempDir(), "cache")), &entry
		for what, other := range map[string]*sample{"tree": changed, "pack": renamed} {
			write(t, filepath.Join(o.Dir, "kettle.tar.gz"), other.targz)
			other.unpack(t, filepath.Join(o.Dir, "kettle"))
			web.files["kettle.tar.gz"] = other.targz
			_, err := Open(context.Background(), mustRef(t, ref), fresh)
			var mismatch *MismatchError
			if !errors.As(err, &mismatch) || mismatch.What != what {
				t.Errorf("%s: %v", ref, err)
			} else if what == "tree" && (mismatch.Want != old.tree || mismatch.Got != changed.tree) {
				t.Errorf("%s: want %s, got %s", ref, mismatch.Want, mismatch.Got)
			}
		}
		if list := listTree(t, filepath.Join(fresh.Cache.Dir(), treesDir)); len(list) != 0 {
			t.Errorf("%s: the cache took %v", ref, list)
		}
		write(t, filepath.Join(o.Dir, "kettle.tar.gz"), old.targz)
		old.unpack(t, filepath.Join(o.Dir, "kettle"))
		web.files["kettle.tar.gz"] = old.targz
	}
}

// The same bytes in another archive are the same pack.
func TestTheLockHoldsFilesNotArchives(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	o := options(t)
	write(t, filepath.Join(o.Dir, "k.zip"), zipped(t, s.all(), ""))
	entry := mustOpen(t, "k.zip", o).Entry
	write(t, filepath.Join(o.Dir, "k.zip"), zipped(t, s.all(), "kettle/"))
	o.Locked = &entry
	if diff := cmp.Diff(entry, mustOpen(t, "k.zip", o).Entry); diff != "" {
		t.Errorf("the locked entry changed:\n%s", diff)
	}
}

func TestAManifestThatDoesNotFitIsRefused(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	o := options(t)
	all := s.all()
	all["documents/it.md"] = []byte("# It\n\nIt lies.\n")
	write(t, filepath.Join(o.Dir, "bad.zip"), zipped(t, all, ""))
	_, err := Open(context.Background(), mustRef(t, "bad.zip"), o)
	var refusal *archive.Refusal
	if !errors.As(err, &refusal) || refusal.Rule != archive.RuleManifest || refusal.Archive != "bad.zip" {
		t.Errorf("%v", err)
	}

	dir := s.unpack(t, filepath.Join(o.Dir, "bad"))
	write(t, filepath.Join(dir, "documents/it.md"), all["documents/it.md"])
	a := mustOpen(t, "bad", o)
	if _, err := fs.ReadFile(a.FS, "documents/it.md"); err == nil || a.Damage() == nil {
		t.Error("a changed file is read")
	}
	if err := a.Verify(context.Background()); err == nil {
		t.Error("a changed file is verified")
	}
	write(t, filepath.Join(dir, "pack.json"), []byte(strings.Replace(string(s.manifest), s.tree, "h1:"+strings.Repeat("A", 43)+"=", 1)))
	if _, err := Open(context.Background(), mustRef(t, "bad"), o); !errors.As(err, &refusal) || !strings.Contains(err.Error(), s.tree) {
		t.Errorf("%v", err)
	}
}

func TestAPublishedSiteIsReadOverTheNetwork(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	web := serve(t, map[string][]byte{
		"p/catalog.json":             []byte(`{"schema_version":1,"packs":[{"name":"kettle","description":"d","type":"t","status":"ready"}]}`),
		"p/packs/kettle/pack.json":   s.manifest,
		"p/packs/kettle/pack.tar.gz": s.targz,
	})
	o := options(t)
	a := mustOpen(t, web.URL+"/p/", o)
	if a.Entry.Tree != s.tree || a.Entry.Source != "site" || !a.Fetched || textOf(t, a) != "# It\n\nIt boils.\n" {
		t.Errorf("%+v", a.Entry)
	}
	// The site still has it: only the records are asked for.
	delete(web.files, "p/packs/kettle/pack.tar.gz")
	if a := mustOpen(t, web.URL+"/p/#kettle", o); a.Fetched || a.Entry.Tree != s.tree {
		t.Errorf("%+v", a.Entry)
	}
	// What it publishes now is another pack: known without its archive.
	web.files["p/packs/kettle/pack.json"] = publish(t, "kettle", "It lies.").manifest
	o.Locked, o.Cache = &a.Entry, NewCache(filepath.Join(t.TempDir(), "cache"))
	_, err := Open(context.Background(), mustRef(t, web.URL+"/p/"), o)
	var mismatch *MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("%v", err)
	}
	// An archive that is not what pack.json says.
	web.files["p/packs/kettle/pack.tar.gz"] = s.targz
	o.Locked = nil
	_, err = Open(context.Background(), mustRef(t, web.URL+"/p/"), o)
	var refusal *archive.Refusal
	if !errors.As(err, &refusal) || refusal.Rule != archive.RuleManifest {
		t.Errorf("%v", err)
	}
}
