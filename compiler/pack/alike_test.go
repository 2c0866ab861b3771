package pack

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// Names that are one on some system are listed apart, and one warning names both.
func TestNamesThatAreAlike(t *testing.T) {
	const composed, decomposed = "caf\u00e9.md", "cafe\u0301.md"
	for _, tt := range []struct {
		name  string
		files []string
		want  []string // listed
		found []string // parts of the findings
	}{
		{"case", []string{"documents/Tea.md", "documents/tea.md"}, []string{"documents/Tea.md", "documents/tea-2.md"}, []string{`"documents/Tea.md" and "documents/tea.md"`}},
		{"Unicode form", []string{"documents/" + decomposed, "documents/" + composed}, []string{"documents/" + decomposed, "documents/" + strings.Replace(composed, ".", "-2.", 1)}, []string{`and "documents/caf`}},
		{"three", []string{"wiki/A.md", "wiki/a.md", "wiki/a-2.md"}, []string{"wiki/A.md", "wiki/a-2.md", "wiki/a-3.md"}, []string{`"wiki/A.md" and "wiki/a.md"`}},
		{"folders with one file each", []string{"documents/Img/a.png", "documents/img/b.png"}, []string{"documents/Img/a.png", "documents/img-2/b.png"}, []string{`"documents/Img" and "documents/img"`}},
		{"files of such folders", []string{"documents/Img/a.png", "documents/img/a.png", "documents/img/b.png"}, []string{"documents/Img/a.png", "documents/img-2/a.png", "documents/img-2/b.png"}, []string{`"documents/Img" and`, `"documents/Img/a.png" and "documents/img/a.png"`}},
		{"a file and a folder", []string{"documents/A/b.md", "documents/a"}, []string{"documents/A/b.md", "documents/a-2"}, []string{`"documents/A" and "documents/a"`}},
		{"none", []string{"documents/a.md", "documents/b/a.md", "wiki/a.md"}, []string{"documents/a.md", "documents/b/a.md", "wiki/a.md"}, nil},
		{"sources are cited by their paths", []string{"sources/S.md", "sources/s.md"}, []string{"sources/S.md", "sources/s.md"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{EntryName: {Data: []byte("---\nname: p\ndescription: d\ntype: domain-reference\nstatus: ready\nprofile: hybrid\n---\n# P\n")}}
			for _, name := range tt.files {
				fsys[name] = &fstest.MapFile{Data: []byte(name)}
			}
			p, found, err := OpenFS(fsys, "p")
			if err != nil || p == nil {
				t.Fatal(err, found)
			}
			var listed, messages []string
			read := map[string]bool{}
			for _, f := range p.Files {
				if f.Path == EntryName {
					continue
				}
				listed = append(listed, f.Path)
				data, err := p.ReadFile(f.Path)
				if err != nil {
					t.Error(err)
				}
				read[string(data)] = true
			}
			for _, d := range found {
				if d.ID == idAlike {
					messages = append(messages, d.Message)
				}
			}
			if diff := cmp.Diff(tt.want, listed); diff != "" {
				t.Errorf("listed (-want +got):\n%s", diff)
			}
			for i, name := range p.AsListed(tt.files) { // what a context map writes leads to each
				if data, err := p.ReadFile(name); err != nil || string(data) != tt.files[i] {
					t.Errorf("%s is listed as %s: %q, %v", tt.files[i], name, data, err)
				}
			}
			if got := p.AsListed([]string{tt.files[0] + "#place"}); got[0] != tt.files[0]+"#place" {
				t.Errorf("with a place: %q", got)
			}
			for _, name := range tt.files {
				if !read[name] {
					t.Errorf("%s is not read", name)
				}
			}
			if len(messages) != len(tt.found) {
				t.Fatalf("found %q", messages)
			}
			for i, part := range tt.found {
				if !strings.Contains(messages[i], part) {
					t.Errorf("found %q, want %q", messages[i], part)
				}
			}
		})
	}
}
