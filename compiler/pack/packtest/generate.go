package packtest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Options describe a pack. The zero value is a wiki-first pack of no pages.
type Options struct {
	Name    string // pack name; "" is "generated"
	Profile string // wiki-first or hybrid; "" is wiki-first
	Pages   int    // number of pages
	Seed    uint64 // another seed gives other text
}

// pagesPerFolder keeps folders to a size that people have.
const pagesPerFolder = 100

// Write makes the pack's files below dir. Pages are about 6 KB each: front
// matter, prose with links and wikilinks, tables, lists and code of which
// nearly every block is distinct.
func Write(dir string, o Options) error {
	for path, text := range Files(o) {
		full := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			return fmt.Errorf("make folder of a generated page: %w", err)
		}
		if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
			return fmt.Errorf("write a generated page: %w", err)
		}
	}
	return nil
}

// Files yields the pack's files one by one, so that a large pack need not be
// held in memory.
func Files(o Options) func(yield func(path, text string) bool) {
	o.Name, o.Profile = cmp.Or(o.Name, "generated"), cmp.Or(o.Profile, "wiki-first")
	return func(yield func(path, text string) bool) {
		if !yield("KNOWLEDGE.md", entry(o)) {
			return
		}
		if !yield("sources/measurements.md", source()) {
			return
		}
		for i := range o.Pages {
			if !yield(pagePath(i), page(o, i)) {
				return
			}
		}
	}
}

// sourceLines is how many lines anchors may point at.
const sourceLines = 200

func source() string {
	var b strings.Builder
	for i := range sourceLines {
		fmt.Fprintf(&b, "Reading %d: %d units at station %d\n", i+1, i*37%911, i%17)
	}
	return b.String()
}

func entry(o Options) string {
	primary := ""
	if o.Profile != "wiki-first" {
		primary = "metadata:\n  primaryDocument: " + pagePath(0) + "\n"
	}
	return fmt.Sprintf(`---
name: %s
description: Generated pages about the operation of imaginary services. Use for benchmarks and property tests only.
type: domain-reference
profile: %s
status: ready
version: 1.0.0
language: en
trust: official
grounding: recommended
%s---

# %s

Generated text for measurements.

## Boundaries

- Nothing here describes a real service.
`, o.Name, o.Profile, primary, o.Name)
}

func pagePath(i int) string { return fmt.Sprintf("wiki/area-%03d/%s", i/pagesPerFolder, pageFile(i)) }

func pageFile(i int) string {
	return fmt.Sprintf("%s-%s-%05d.md", nouns[i%len(nouns)], verbs[i/7%len(verbs)], i)
}

func pageTitle(i int) string {
	return fmt.Sprintf("%s %s %d", capital(nouns[i%len(nouns)]), verbs[i/7%len(verbs)], i)
}

// page writes one page. Each has its own random stream, so that a page does
// not depend on how many there are, except for the pages it links to.
func page(o Options, i int) string {
	w := &writer{rng: rand.New(rand.NewPCG(o.Seed, uint64(i)+1)), page: i, pages: o.Pages}
	w.frontMatter()
	w.linef("# %s\n", pageTitle(i))
	w.paragraph(3)
	for s := range w.sections() {
		w.linef("## %s %s %s\n", capital(w.pick(adjectives)), w.pick(nouns), w.pick(verbs))
		w.paragraph(3 + w.rng.IntN(3))
		switch (i + s) % 4 {
		case 0:
			w.table()
		case 1:
			w.list()
		case 2:
			w.linef("### %s of the %s\n", capital(w.pick(verbs)), w.pick(nouns))
			w.paragraph(3)
		}
		if s%2 == 0 {
			w.code()
		}
		w.paragraph(3)
	}
	return w.b.String()
}

// sections draws how many sections a page has. As in real documentation most
// pages are short and some are long; the mean size stays about 6 KB.
func (w *writer) sections() int {
	n := 1 + w.rng.IntN(4)
	for w.rng.IntN(2) == 0 {
		n += 1 + w.rng.IntN(4)
	}
	return min(n, 24)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
