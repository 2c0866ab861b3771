package site

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
)

// largePack is a pack of many small pages.
func largePack(pages int) files {
	pack := files{"KNOWLEDGE.md": "---\nname: shelf\ndescription: Many pages. Use it for tests.\ntype: research-wiki\nstatus: ready\nprofile: wiki-first\n---\n"}
	for i := range pages {
		pack[fmt.Sprintf("wiki/page-%03d.md", i)] = fmt.Sprintf("# Page %d\n\nThe kettle number %d holds water%d.\n\n## Care of %d\n\nDescale it on day %d.\n", i, i, i%7, i, i%31)
	}
	return pack
}

// The words of neighbouring pages that a build has kept give the search that a fresh build
// makes, after any edit.
func TestSearchOfALargePackFromWhatIsKept(t *testing.T) {
	kept := &store.Memory{}
	pack := largePack(leastRuns + 20)
	generate(t, Options{Store: kept}, map[string]files{"shelf": pack})
	for name, edit := range map[string]func(p files){
		"text":      func(p files) { p["wiki/page-050.md"] += "\nA teapot.\n" },
		"page more": func(p files) { p["wiki/page-100b.md"] = "# Teapot\n\nIt pours.\n" },
		"page less": func(p files) { delete(p, "wiki/page-130.md") },
		"question": func(p files) {
			p["wiki/page-007.md"] = "---\nquestions: [Where is the lid?]\n---\n" + p["wiki/page-007.md"]
		},
		"status": func(p files) { p["wiki/page-008.md"] = "---\nstatus: stale\n---\n" + p["wiki/page-008.md"] },
		"few pages": func(p files) {
			maps.DeleteFunc(p, func(name, _ string) bool { return strings.Contains(name, "page-2") })
		},
	} {
		edited := maps.Clone(pack)
		edit(edited)
		got := generate(t, Options{Store: kept}, map[string]files{"shelf": edited})
		want := generate(t, Options{}, map[string]files{"shelf": edited})
		if !slices.Equal(got.paths(), want.paths()) {
			t.Errorf("%s: other files than a fresh build makes", name)
		}
		for path, data := range want.files {
			if !bytes.Equal(got.files[path], data) {
				t.Errorf("%s: %s is not what a fresh build makes", name, path)
			}
		}
	}
}

func TestAPageMoreChangesOneRun(t *testing.T) {
	var nodes []*model.Node
	for i := range 2000 {
		nodes = append(nodes, &model.Node{Path: fmt.Sprintf("wiki/%04d.md", i)})
	}
	runs := func(nodes []*model.Node) map[string]bool {
		list := map[string]bool{}
		for run := range searchRuns(nodes) {
			if len(run) > mostRun {
				t.Errorf("a run has %d pages", len(run))
			}
			var paths strings.Builder
			for _, n := range run {
				paths.WriteString(n.Path + "\n")
			}
			list[paths.String()] = true
		}
		return list
	}
	before := runs(nodes)
	if n := len(before); n < 2000/meanRun/2 || n > 2000*2/meanRun {
		t.Errorf("2000 pages are in %d runs", n)
	}
	after := runs(slices.Insert(slices.Clone(nodes), 1000, &model.Node{Path: "wiki/added.md"}))
	changed := 0
	for run := range after {
		if !before[run] {
			changed++
		}
	}
	if changed < 1 || changed > 2 {
		t.Errorf("a page more changes %d runs of %d", changed, len(after))
	}
}

// Texts come back as they were given, from memory as from a file, and as often as wanted.
func TestSpooledTextsComeBack(t *testing.T) {
	for _, texts := range []int{0, 3, 40} {
		s := &spool{}
		defer s.close()
		long := bytes.Repeat([]byte("x"), maxSpool/16)
		for i := range texts {
			oktest.Check(t, s.add(append(long, fmt.Sprint(i)...), i))
		}
		if inFile := s.file != nil; inFile != (texts == 40) {
			t.Errorf("%d texts are in a file: %t", texts, inFile)
		}
		for range 2 {
			n := 0
			err := s.each(func(text []byte, number int) error {
				if want := fmt.Sprint(n); number != n || len(text) != len(long)+len(want) || !bytes.HasSuffix(text, []byte(want)) {
					t.Fatalf("text %d has number %d and %d bytes", n, number, len(text))
				}
				n++
				return nil
			})
			if err != nil || n != texts {
				t.Errorf("%d of %d texts, %v", n, texts, err)
			}
		}
	}
}
