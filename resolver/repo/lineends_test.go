package repo

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestUnsafeLineEnds(t *testing.T) {
	for _, tt := range []struct {
		name, git, attributes, at, want string
	}{
		{"nothing keeps them", ".git", "", "", "packs/a"},
		{"no repository of git", "", "", "", ""},
		{"a line of the root", ".git", "# note\n/packs/** text=auto eol=lf\n", ".gitattributes", ""},
		{"all files, with CRLF", ".git", "* text=auto eol=lf\r\n", ".gitattributes", ""},
		{"Markdown", ".git", "*.md -text\n", ".gitattributes", ""},
		{"beside the packs", ".git", "* binary\n", "packs/.gitattributes", ""},
		{"another folder", ".git", "/docs/** text eol=lf\n", ".gitattributes", "packs/a"},
		{"text alone", ".git", "* text=auto\n", ".gitattributes", "packs/a"},
		{"a comment", ".git", "#* text eol=lf\n", ".gitattributes", "packs/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"packs/a", tt.git} {
				oktest.Check(t, os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o777))
			}
			if tt.at != "" {
				oktest.Check(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(tt.at)), []byte(tt.attributes), 0o666))
			}
			w := &Repo{Paths: Paths{Dir: dir}}
			if got := UnsafeLineEnds(w.Paths, []string{"packs/a"}); got != tt.want {
				t.Errorf("UnsafeLineEnds() = %q, want %q", got, tt.want)
			}
		})
	}
}
