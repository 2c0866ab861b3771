package archive_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
)

// What no reader would take is left out of what is published, with a finding that
// says why, and the rest is still published.
func TestWhatNobodyCouldPullIsLeftOut(t *testing.T) {
	index := &schema.Index{Splits: []schema.Split{
		{Path: "compiled/splits/aux/a.md", Document: "documents/aux.md"},
		{Path: "compiled/splits/good/con.md", Document: "documents/good.md"},
		{Path: "compiled/splits/good/nul.md", Document: "documents/good.md"},
		{Path: "compiled/splits/good/care.md", Document: "documents/good.md"},
	}}
	splits := []string{"compiled/splits/aux/a.md", "compiled/splits/good/con.md", "compiled/splits/good/nul.md"}
	deep := strings.Repeat("a/", archive.DefaultDepth-2) + "b"
	for _, tt := range []struct {
		name, pack string
		paths      []string
		left       []string // of these paths
		want       []string // path and a part of the message
	}{
		{"a pack that fits", "kettle", []string{"documents/good.md", "assets/x.png", "boot.yml", "skills/a.sh", "LICENSE"}, nil, nil},
		{"a colon", "kettle", []string{"documents/a:b.md"}, []string{"documents/a:b.md"}, []string{"documents/a:b.md forbids"}},
		{"a star", "kettle", []string{"documents/a*b.md"}, []string{"documents/a*b.md"}, []string{"documents/a*b.md forbids"}},
		{"a reserved document is one finding", "kettle", []string{"documents/aux.md"}, []string{"documents/aux.md"}, []string{"documents/aux.md reserves"}},
		{"letter case", "kettle", []string{"evals/README.md", "evals/readme.md"}, []string{"evals/readme.md"}, []string{"evals/readme.md letter case"}},
		{"a folder's letter case", "kettle", []string{"evals/A/x.md", "evals/a/y.md"}, []string{"evals/a/y.md"}, []string{"evals/a/y.md letter case"}},
		{"a dot at the end", "kettle", []string{"assets/x."}, []string{"assets/x."}, []string{"assets/x. ends in a dot"}},
		{"a folder that is not one of a pack", "kettle", []string{"hooks/pre-commit"}, []string{"hooks/pre-commit"}, []string{"hooks/pre-commit folders"}},
		{"a root file that is not one of a pack", "kettle", []string{"CLAUDE.md", "Makefile"}, []string{"CLAUDE.md", "Makefile"}, []string{"CLAUDE.md root", "Makefile root"}},
		{"what agents obey", "kettle", []string{"documents/CLAUDE.md", "documents/claude.md"}, []string{"documents/CLAUDE.md"}, []string{"documents/CLAUDE.md instructions"}},
		{"a repository without a dot", "kettle", []string{"assets/r/HEAD", "assets/r/config"}, []string{"assets/r/HEAD"}, []string{"assets/r/HEAD configuration"}},
		{"the pack itself", "con", nil, nil, []string{"KNOWLEDGE.md reserves"}},
		{"too deep below the pack's folder", "kettle", []string{"documents/" + deep}, []string{"documents/" + deep}, []string{"documents/" + deep + " deep"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fsys := fstest.MapFS{"KNOWLEDGE.md": {Data: []byte("---\nname: " + tt.pack + "\ndescription: d\ntype: domain-reference\nstatus: ready\n---\n")}}
			for _, path := range append(tt.paths, "documents/good.md", ".envrc", ".git/config") {
				fsys[path] = &fstest.MapFile{Data: []byte("x")}
			}
			p, _, err := pack.OpenFS(fsys, "")
			if err != nil || p == nil {
				t.Fatal(err)
			}
			paths, found := archive.Published(p, archive.PublishOptions{Index: index})
			left := append(slices.Clone(tt.left), splits...)
			for _, path := range append(tt.paths, append(splits, "compiled/splits/good/care.md", "KNOWLEDGE.md")...) {
				if got, want := slices.Contains(paths, path), !slices.Contains(left, path); got != want {
					t.Errorf("%s is published: %v", path, got)
				}
			}
			want := append(slices.Clone(tt.want), "documents/good.md con.md", "documents/good.md nul.md")
			if !slices.Contains(tt.paths, "documents/aux.md") {
				want = append(want, "documents/aux.md aux")
			}
			for _, d := range found {
				i := slices.IndexFunc(want, func(w string) bool {
					path, part, _ := strings.Cut(w, " ")
					return d.Path == path && strings.Contains(d.Message, part)
				})
				if i < 0 || d.Hint == "" || d.Pack != tt.pack {
					t.Errorf("%+v", d)
					continue
				}
				want = slices.Delete(want, i, i+1)
			}
			if len(want) > 0 {
				t.Errorf("no finding for %q", want)
			}
			// What is published is what a reader takes.
			var files []archive.File
			for _, path := range paths {
				files = append(files, archive.File{Path: tt.pack + "/" + path})
			}
			if err := archive.CheckTree(files, archive.Limits{}); (err == nil) != (tt.pack == "kettle") {
				t.Errorf("a reader says %v", err)
			}
		})
	}
}

// Every rule by which an archive is refused can be looked up with packgen check --explain.
func TestEveryRefusalIsExplained(t *testing.T) {
	source := oktest.Value(os.ReadFile("verify.go"))(t)
	rules := []string{archive.RuleName, archive.RuleLeftOut}
	for _, m := range regexp.MustCompile(`= "(archive-[a-z-]+)"`).FindAllSubmatch(source, -1) {
		rules = append(rules, string(m[1]))
	}
	if len(rules) < 14 {
		t.Fatalf("only %v", rules)
	}
	for _, id := range rules {
		if _, ok := rulebook.Find(id); !ok {
			t.Errorf("%s is not explained", id)
		}
	}
	for _, r := range rulebook.All() {
		if strings.HasPrefix(r.ID, "archive-") && !slices.Contains(rules, r.ID) {
			t.Errorf("%s is explained and never said", r.ID)
		}
	}
}
