package packtest

import (
	"regexp"
	"testing"
)

func TestPagesAreOfRealisticSizeWithDistinctCode(t *testing.T) {
	const pages = 500
	fence := regexp.MustCompile("(?s)```[a-z]+\n.*?```")
	size, blocks, distinct := 0, 0, map[string]bool{}
	for path, text := range Files(Options{Pages: pages}) {
		if path == "KNOWLEDGE.md" || path == "sources/measurements.md" {
			continue
		}
		size += len(text)
		for _, b := range fence.FindAllString(text, -1) {
			blocks++
			distinct[b] = true
		}
	}
	if mean := size / pages; mean < 5500 || mean > 6500 {
		t.Errorf("mean page size = %d bytes, want about 6,000", mean)
	}
	if len(distinct)*10 < blocks*9 {
		t.Errorf("%d of %d code blocks are distinct, want 90 %%", len(distinct), blocks)
	}
}

func TestSameOptionsGiveTheSameBytes(t *testing.T) {
	first := map[string]string{}
	for path, text := range Files(Options{Pages: 20, Seed: 7}) {
		first[path] = text
	}
	for path, text := range Files(Options{Pages: 20, Seed: 7}) {
		if first[path] != text {
			t.Errorf("%s differs between two runs", path)
		}
	}
}
