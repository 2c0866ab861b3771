package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// This repository's own site, on a plain file server below a path, is all that
// another repository needs: its packs are pulled, verified, matched and resolved
// from it.
func TestThisRepositorysSiteServesItsPacks(t *testing.T) {
	t.Parallel()
	public := filepath.Join(t.TempDir(), "public")
	p := &places{t: t, dir: "../.."}
	p.run(exitDone, "build", "-q", "--out", public, "--overlay", t.TempDir())
	web := httptest.NewServer(http.StripPrefix("/sub/path", http.FileServer(http.Dir(public))))
	defer web.Close()
	site := web.URL + "/sub/path/"
	p.env = cacheOf(t)
	p.dir = t.TempDir()

	var catalog struct {
		Packs []struct{ Name string }
	}
	data, err := os.ReadFile(filepath.Join(public, "catalog.json"))
	if err != nil || json.Unmarshal(data, &catalog) != nil || len(catalog.Packs) < 2 {
		t.Fatalf("the catalog is %s, %v", data, err)
	}
	if out := p.run(exitMisuse, "pull", site); !strings.Contains(out, "#"+catalog.Packs[0].Name) {
		t.Errorf("the packs to choose from: %s", out)
	}
	var refs []string
	for _, c := range catalog.Packs {
		refs = append(refs, site+"#"+c.Name)
	}
	out := p.run(exitDone, append([]string{"pull"}, refs...)...)
	for _, c := range catalog.Packs {
		data, err := os.ReadFile(filepath.Join(public, "packs", c.Name, schema.PackManifestName))
		oktest.Check(t, err)
		m, err := schema.DecodePackManifest(data)
		if err != nil || !strings.Contains(out, m.Tree) {
			t.Errorf("%s: the tree %s is not pulled, %v\n%s", c.Name, m.Tree, err, out)
		}
	}
	p.run(exitDone, "pull", "--frozen")

	const question = "how do I lock a pack from elsewhere"
	for _, args := range [][]string{
		{"verify", site},
		{"match", "--from", site, question},
		{"match", "--from", site + "#packgen-manual", question},
		{"match", "--from", public, question},
		{"plan", "--from", public, question},
		{"plan", "--from", site, question},
		{"resolve", "--from", site + "#packgen-manual", question},
		{"resolve", "--from", "packgen-manual", "--offline", question},
	} {
		out := p.run(exitDone, args...)
		want := "packgen-manual"
		if args[0] == "verify" {
			want = "as recorded"
		}
		if !strings.Contains(out, want) {
			t.Errorf("%s prints\n%s", strings.Join(args, " "), out)
		}
	}
}
