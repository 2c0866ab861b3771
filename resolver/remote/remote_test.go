package remote

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// emptyCache gives the options another, empty cache.
func emptyCache(t testing.TB, o Options) Options {
	t.Helper()
	o.Cache = NewCache(filepath.Join(t.TempDir(), "cache"))
	return o
}

func TestALockedArtifactOfAGitHubRunIsFetchedFromThatRun(t *testing.T) {
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	gh := fetchtest.NewGitHub(t)
	_, run := gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: zipped(t, map[string][]byte{"kettle.tar.gz": old.targz}, "")})
	o := options(t)
	o.Fetch.Getenv = gh.Getenv
	entry := mustOpen(t, "gha://o/r/packs", o).Entry
	if entry.Tree != old.tree || entry.Run == nil || entry.Run.ID != run || entry.Source != "github" || !strings.HasPrefix(entry.Digest, "sha256:") {
		t.Fatalf("%+v", entry)
	}
	_, run = gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: zipped(t, map[string][]byte{"kettle.tar.gz": newer.targz}, "")})
	if a := mustOpen(t, "gha://o/r/packs", o); a.Entry.Tree != newer.tree || a.Entry.Run.ID != run {
		t.Errorf("without a lock: %+v", a.Entry)
	}
	o = emptyCache(t, o)
	o.Locked = &entry
	if a := mustOpen(t, "gha://o/r/packs", o); a.Entry.Tree != old.tree || !a.Fetched {
		t.Errorf("with a lock: %+v", a.Entry)
	}
	// The archive is known by its digest: it need not be downloaded to be found.
	before := len(gh.Blobs.Requests())
	o.Locked = nil
	if a := mustOpen(t, fmt.Sprintf("gha://o/r/packs?run=%d", entry.Run.ID), o); a.Fetched || a.Entry.Tree != old.tree {
		t.Errorf("by another reference: %+v", a.Entry)
	}
	if got := len(gh.Blobs.Requests()) - before; got != 0 {
		t.Errorf("%d downloads of what is cached", got)
	}
}

func TestALockedArtifactOfAGitLabJobIsFetchedFromThatJob(t *testing.T) {
	old, newer := publish(t, "kettle", "It boils."), publish(t, "kettle", "It whistles.")
	gl := fetchtest.NewGitLab(t)
	job, pipeline := gl.Add("g/s/p", fetchtest.Artifact{Name: "pages", Data: zipped(t, old.all(), "public/packs/kettle/")})
	o := options(t)
	o.Fetch.Getenv = gl.Getenv
	entry := mustOpen(t, "gitlab://g/s/p/pages", o).Entry
	if entry.Tree != old.tree || entry.Run == nil || entry.Run.ID != pipeline || entry.Run.Job != job || entry.Source != "gitlab" {
		t.Fatalf("%+v", entry)
	}
	gl.Add("g/s/p", fetchtest.Artifact{Name: "pages", Data: zipped(t, newer.all(), "public/packs/kettle/")})
	o = emptyCache(t, o)
	o.Locked = &entry
	if a := mustOpen(t, "gitlab://g/s/p/pages", o); a.Entry.Tree != old.tree {
		t.Errorf("%+v", a.Entry)
	}
	o.Locked = nil
	if a := mustOpen(t, "gitlab://g/s/p/pages", o); a.Entry.Tree != newer.tree {
		t.Errorf("%+v", a.Entry)
	}
}

func TestAFetchThatFailsLeavesTheCacheAsItWas(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	for _, tt := range []struct {
		name  string
		spoil fetchtest.Fault
		check func(err error) bool
	}{
		{"another byte than the digest says", fetchtest.Fault{Path: "/blob/", Times: -1, Corrupt: true}, func(err error) bool {
			var m *fetch.MismatchError
			return errors.As(err, &m) && m.Want != m.Got
		}},
		{"cut in the middle", fetchtest.Fault{Path: "/blob/", Times: -1, Cut: 100, IgnoreRange: true}, func(err error) bool {
			var e *fetch.Error
			return errors.As(err, &e)
		}},
		{"not there any more", fetchtest.Fault{Path: "/artifacts", Times: -1, Status: 410}, func(err error) bool {
			var e *fetch.Error
			return errors.As(err, &e)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			gh := fetchtest.NewGitHub(t)
			gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: zipped(t, s.all(), "")})
			gh.Blobs.Spoil(tt.spoil)
			gh.API.Spoil(tt.spoil)
			o := options(t)
			o.Fetch.Getenv = gh.Getenv
			_, err := Open(context.Background(), mustRef(t, "gha://o/r/packs"), o)
			if !tt.check(err) {
				t.Errorf("%T %v", err, err)
			}
			for _, part := range []string{treesDir, recordsDir, manifestsDir, workDir} {
				if list := listTree(t, filepath.Join(o.Cache.Dir(), part)); len(list) != 0 {
					t.Errorf("%s holds %v", part, list)
				}
			}
		})
	}
}

func TestAFetchThatIsCancelledLeavesTheCacheAsItWas(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	gh := fetchtest.NewGitHub(t)
	gh.Add("o/r", fetchtest.Artifact{Name: "packs", Data: zipped(t, s.all(), "")})
	gh.Blobs.Spoil(fetchtest.Fault{Times: -1, Stall: 100})
	o := options(t)
	o.Fetch.Getenv = gh.Getenv
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		for len(gh.Blobs.Requests()) == 0 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := Open(ctx, mustRef(t, "gha://o/r/packs"), o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	for _, part := range []string{treesDir, recordsDir, manifestsDir, workDir} {
		if list := listTree(t, filepath.Join(o.Cache.Dir(), part)); len(list) != 0 {
			t.Errorf("%s holds %v", part, list)
		}
	}
}

func TestTheIndexOfASiteIsVerifiedAndKept(t *testing.T) {
	index := []byte(`{"version":"1"}`)
	manifest, err := schema.Encode(&schema.SiteManifest{SchemaVersion: 1, Files: []schema.PublishedFile{
		{Path: "index.json", Size: int64(len(index)), SHA256: archive.SHA256(index)},
	}})
	oktest.Check(t, err)
	web := serve(t, map[string][]byte{"p/index.json": index})
	o, ref := options(t), mustRef(t, web.URL+"/p")
	for _, listed := range []bool{false, true} {
		if listed {
			web.files["p/manifest.json"] = manifest
		}
		got, err := SiteIndex(context.Background(), ref, o, 1000)
		if err != nil || string(got) != string(index) {
			t.Errorf("listed %v: %q, %v", listed, got, err)
		}
	}
	web.files["p/index.json"] = []byte(`{"version":"2"}`)
	var mismatch *fetch.MismatchError
	if _, err := SiteIndex(context.Background(), ref, o, 1000); !errors.As(err, &mismatch) {
		t.Errorf("%v", err)
	}
	web.files["p/manifest.json"] = []byte(`{"schema_version":1,"files":[]}`)
	var refusal *archive.Refusal
	if _, err := SiteIndex(context.Background(), ref, o, 1000); !errors.As(err, &refusal) {
		t.Errorf("%v", err)
	}
	for name, data := range map[string][]byte{"index.json": index, "manifest.json": manifest, "catalog.json": []byte("{}")} {
		write(t, filepath.Join(o.Dir, "site", name), data)
	}
	local := mustRef(t, "site")
	if got, err := SiteIndex(context.Background(), local, o, 1000); err != nil || string(got) != string(index) || !HasSiteIndex(local, o) {
		t.Errorf("as a directory: %q, %v", got, err)
	}
	write(t, filepath.Join(o.Dir, "site/index.json"), []byte(`{"version":"2"}`))
	if _, err := SiteIndex(context.Background(), local, o, 1000); !errors.As(err, &mismatch) {
		t.Errorf("as a directory: %v", err)
	}
	o.Offline = true
	if got, err := SiteIndex(context.Background(), ref, o, 1000); err != nil || string(got) != string(index) {
		t.Errorf("offline: %q, %v", got, err)
	}
	var offline *OfflineError
	if _, err := SiteIndex(context.Background(), mustRef(t, web.URL+"/q"), o, 1000); !errors.As(err, &offline) {
		t.Errorf("%v", err)
	}
}
