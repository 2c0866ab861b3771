package archive_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/rulebook"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/artifact/archive"
)

func TestCheckNamesFindsWhatNobodyCouldPull(t *testing.T) {
	index := &schema.Index{Splits: []schema.Split{
		{Path: "compiled/splits/aux/a.md", Document: "documents/aux.md"},
		{Path: "compiled/splits/good/con.md", Document: "documents/good.md"},
		{Path: "compiled/splits/good/nul.md", Document: "documents/good.md"},
		{Path: "compiled/splits/good/care.md", Document: "documents/good.md"},
	}}
	good := []string{"KNOWLEDGE.md", "compiled/index.json", "compiled/splits/good/care.md", "documents/good.md"}
	for _, tt := range []struct {
		name, pack string
		paths      []string
		want       []string // path and a part of the message
	}{
		{"a pack that fits", "kettle", good, nil},
		{"a colon", "kettle", []string{"documents/a:b.md"}, []string{"documents/a:b.md colon"}},
		{"a reserved document is one finding", "kettle", []string{"compiled/splits/aux/a.md", "documents/aux.md"}, []string{"documents/aux.md reserves"}},
		{"reserved headings", "kettle", []string{"compiled/splits/good/con.md", "compiled/splits/good/nul.md", "documents/good.md"}, []string{"documents/good.md con.md", "documents/good.md nul.md"}},
		{"letter case", "kettle", []string{"assets/README.md", "assets/readme.md"}, []string{"assets/readme.md letter case"}},
		{"a folder's letter case", "kettle", []string{"assets/A/x.md", "assets/a/y.md"}, []string{"assets/a/y.md letter case"}},
		{"a dot at the end", "kettle", []string{"assets/x."}, []string{"assets/x. ends in a dot"}},
		{"the pack itself", "con", good, []string{"KNOWLEDGE.md reserves"}},
		{"too deep below the pack's folder", "kettle", []string{strings.Repeat("a/", archive.DefaultDepth-1) + "b"}, []string{strings.Repeat("a/", archive.DefaultDepth-1) + "b deep"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			found := archive.CheckNames(tt.pack, tt.paths, index)
			if len(found) != len(tt.want) {
				t.Fatalf("found %v, want %v", found, tt.want)
			}
			for i, d := range found {
				path, part, _ := strings.Cut(tt.want[i], " ")
				if d.Path != path || !strings.Contains(d.Message, part) || d.Hint == "" || d.Pack != tt.pack {
					t.Errorf("%+v, want %s", d, tt.want[i])
				}
			}
			// What is found is what a reader refuses.
			var files []archive.File
			for _, path := range tt.paths {
				files = append(files, archive.File{Path: tt.pack + "/" + path})
			}
			if err := archive.CheckTree(files, archive.Limits{}); (err == nil) != (len(found) == 0) {
				t.Errorf("a reader says %v", err)
			}
		})
	}
}

// Every rule by which an archive is refused can be looked up with packgen rule.
func TestEveryRefusalIsExplained(t *testing.T) {
	source, err := os.ReadFile("refusal.go")
	if err != nil {
		t.Fatal(err)
	}
	rules := []string{archive.RuleName}
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
