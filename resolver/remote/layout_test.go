package remote

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// A tree that came into the cache before its paths were refused is not read from
// there.
func TestACachedTreeWithAHostilePathIsRefused(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	files := maps.Clone(s.all())
	delete(files, schema.PackManifestName)
	files[".git/config"] = []byte("[core]\n")
	var list []archive.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, archive.File{Path: name, Size: int64(len(files[name])), SHA256: archive.SHA256(files[name])})
	}
	tree := archive.TreeHash(list)
	record := strings.Replace(string(s.manifest), s.tree, tree, 1)

	o := options(t)
	w, err := o.Cache.workspace()
	oktest.Check(t, err)
	for name, data := range files {
		write(t, filepath.Join(w.dir, "x", filepath.FromSlash(name)), data)
	}
	err = errors.Join(o.Cache.add(t.Context(), w, list, filepath.Join(w.dir, "x"), tree), o.Cache.addManifest([]byte(record)), w.close())
	oktest.Check(t, err)
	o.Locked = &schema.LockedRef{Ref: "https://example.org/#kettle", Pack: "kettle", Source: "site", Tree: tree, Manifest: archive.SHA256([]byte(record))}
	o.Offline = true
	a, err := Open(context.Background(), mustRef(t, "https://example.org/#kettle"), o)
	var offline *OfflineError
	if !errors.As(err, &offline) {
		t.Errorf("%v, %v", a, err)
	}
	if list := listTree(t, filepath.Join(o.Cache.Dir(), treesDir)); len(list) != 0 {
		t.Errorf("the cache holds %v", list)
	}
}
