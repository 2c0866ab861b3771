package pack

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

func TestRecordsAtTheRootAreNoPartOfAPack(t *testing.T) {
	fsys := fstest.MapFS{
		"KNOWLEDGE.md": {Data: []byte("---\nname: p\ndescription: D\ntype: custom:x\nstatus: ready\n---\n")},
		"pack.json":    {Data: []byte("{}")}, "pack.tar.gz": {Data: []byte("x")},
		"assets/pack.json": {Data: []byte("{}")},
	}
	p, _, err := OpenFS(fsys, "p")
	oktest.Check(t, err)
	var got []string
	for _, f := range p.Files {
		got = append(got, f.Path)
	}
	if want := []string{"KNOWLEDGE.md", "assets/pack.json"}; !slices.Equal(got, want) {
		t.Errorf("files are %v, want %v", got, want)
	}
}

func TestLeftOutIsASourceThatPackJSONDoesNotList(t *testing.T) {
	digest := strings.Repeat("0a", 32)
	manifest := func(name string, files ...string) []byte {
		m := schema.PackManifest{
			SchemaVersion: 1, Name: name, Profile: "hybrid", Status: "ready",
			Tree: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", Views: []schema.PublishedView{},
		}
		for _, f := range files {
			m.Files = append(m.Files, schema.PublishedFile{Path: f, SHA256: digest})
		}
		return oktest.Value(json.Marshal(m))(t)
	}
	for _, tt := range []struct {
		name   string
		record []byte // pack.json; nil when there is none
		path   string
		want   bool
	}{
		{"an archive without it", manifest("p", "KNOWLEDGE.md"), "sources/a.md", true},
		{"the whole folder", manifest("p", "KNOWLEDGE.md"), "sources/", true},
		{"listed, and lost since", manifest("p", "KNOWLEDGE.md", "sources/a.md"), "sources/a.md", false},
		{"there", manifest("p", "KNOWLEDGE.md"), "sources/there.md", false},
		{"another folder", manifest("p", "KNOWLEDGE.md"), "documents/a.md", false},
		{"a name that only begins so", manifest("p", "KNOWLEDGE.md"), "sources.md", false},
		{"not from an archive", nil, "sources/a.md", false},
		{"a pack.json of another program", []byte(`{"name":"p"}`), "sources/a.md", false},
		{"of another pack", manifest("q", "KNOWLEDGE.md"), "sources/a.md", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{"KNOWLEDGE.md": {Data: []byte("---\nname: p\ndescription: D\ntype: custom:x\nstatus: ready\n---\n")}}
			if tt.path == "sources/there.md" {
				fsys[tt.path] = &fstest.MapFile{}
			}
			if tt.record != nil {
				fsys["pack.json"] = &fstest.MapFile{Data: tt.record}
			}
			p, _, err := OpenFS(fsys, "p")
			oktest.Check(t, err)
			if got := p.LeftOut(tt.path); got != tt.want {
				t.Errorf("LeftOut(%s) = %v", tt.path, got)
			}
		})
	}
}
