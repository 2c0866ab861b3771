package remote

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// What is locked under one name must not be used under another.
func TestAPackWithTwoNamesIsRefused(t *testing.T) {
	s := publish(t, "kettle", "It boils.")
	renamed := s.all()
	renamed[schema.PackManifestName] = []byte(strings.Replace(string(s.manifest), `"kettle"`, `"pot"`, 1))
	bare := map[string][]byte{"wiki/a.md": []byte("x")}
	files := []archive.File{{Path: "wiki/a.md", Size: 1, SHA256: archive.SHA256(bare["wiki/a.md"])}}
	record, err := schema.Encode(&schema.PackManifest{
		SchemaVersion: 1, Name: "kettle", Profile: "document-first", Status: "ready", Tree: archive.TreeHash(files),
		Views: []schema.PublishedView{}, Files: []schema.PublishedFile{{Path: "wiki/a.md", Size: 1, SHA256: files[0].SHA256}},
	})
	oktest.Check(t, err)
	bare[schema.PackManifestName] = record
	for name, tt := range map[string]struct {
		files map[string][]byte
		says  string
	}{
		"another name":    {renamed, `it names the pack "pot", and KNOWLEDGE.md names it "kettle"`},
		"no KNOWLEDGE.md": {bare, "there is no KNOWLEDGE.md"},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t)
			write(t, filepath.Join(o.Dir, "k.zip"), zipped(t, maps.Clone(tt.files), ""))
			for path, data := range tt.files {
				write(t, filepath.Join(o.Dir, "k", path), data)
			}
			for _, ref := range []string{"k.zip", "dir:k"} {
				_, err := Open(context.Background(), mustRef(t, ref), o)
				var refusal *archive.Refusal
				if !errors.As(err, &refusal) || refusal.Rule != archive.RuleManifest || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: %v", ref, err)
				}
			}
			if list := listTree(t, filepath.Join(o.Cache.Dir(), treesDir)); len(list) != 0 {
				t.Errorf("the cache took %v", list)
			}
		})
	}
}
