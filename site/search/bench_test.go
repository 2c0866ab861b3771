package search

import (
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/shard"
)

// sectionsOfPages are the sections of generated pages, cut at headings of the second
// level.
func sectionsOfPages(pages int) (list [][]rank.Section, size int64) {
	for path, text := range packtest.Files(packtest.Options{Pages: pages}) {
		if !strings.HasPrefix(path, "wiki/") {
			continue
		}
		var sections []rank.Section
		for _, part := range strings.Split(text, "\n## ") {
			title, _, _ := strings.Cut(part, "\n")
			sections = append(sections, rank.Section{Title: title, TitlePath: strings.Split(strings.TrimSuffix(path, ".md"), "/")[1:], Text: "## " + part})
		}
		list = append(list, sections)
		size += int64(len(text))
	}
	return list, size
}

func BenchmarkNote(b *testing.B) {
	pages, size := sectionsOfPages(100)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, sections := range pages {
			Note(sections)
		}
	}
}

func BenchmarkBuild(b *testing.B) {
	pages, _ := sectionsOfPages(1000)
	list := make([]Page, len(pages))
	for i, sections := range pages {
		list[i] = Page{Note: Note(sections), URL: "wiki/x.html", Title: "X", Sections: make([]Section, len(sections))}
		for s := range sections {
			list[i].Sections[s] = Section{Number: s, Fragment: sections[s].Title, Title: sections[s].Title}
		}
	}
	b.Run("join", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Join("x", inOneRun(list), func([]byte) {}, func(shard.File) error { return nil })
		}
	})
	made, _, _ := joinedPart("x", inOneRun(list))
	b.Run("merge", func(b *testing.B) {
		for b.Loop() {
			_ = Build([]Pack{made.pack()}, func(shard.File) error { return nil })
		}
	})
	b.Run("pack", func(b *testing.B) {
		for b.Loop() {
			_ = Build([]Pack{made.pack()}, func(f shard.File) error { f.Pack(); return nil })
		}
	})
}

// A site of many packs has words that are cut in two.
func BenchmarkCut(b *testing.B) {
	pages, _ := sectionsOfPages(100)
	list := make([]Page, len(pages))
	for i, sections := range pages {
		list[i] = Page{Note: Note(sections), Sections: make([]Section, len(sections))}
		for s := range sections {
			list[i].Sections[s].Number = s
		}
	}
	made, _, _ := joinedPart("x", inOneRun(list))
	packs := make([]Pack, 100)
	for i := range packs {
		packs[i] = made.pack()
	}
	for b.Loop() {
		_ = Build(packs, func(shard.File) error { return nil })
	}
}
