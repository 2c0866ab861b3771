package site

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack/packtest"
	"github.com/packgen/packgen/compiler/publish"
)

// linked are the targets of the links of a list, in order.
func linked(list []byte) (targets []string) {
	for _, m := range regexp.MustCompile(`(?m)^- \[.*?\]\((https://knowledge\.example/)?([^)]*)\)`).FindAllSubmatch(list, -1) {
		targets = append(targets, string(m[2]))
	}
	return targets
}

// The lists for models name each pack and each split once, in parts where they are many:
// no list is too long to be read whole.
func TestListsOfALargeSiteAreInParts(t *testing.T) {
	const packs = 3*packsInList + 1
	got := map[string][]byte{}
	s := &keeper{Target: publish.Nowhere, keep: func(name string, data []byte) { got[name] = bytes.Clone(data) }}
	b := catalogOf(t, s, packs, 3)
	b.addLLMs()
	oktest.Check(t, b.run(context.Background()))
	root := string(got["llms.txt"])
	for _, part := range []string{"- [pack-00000 to pack-00099](https://knowledge.example/llms-1.txt): 100 packs: pack-00000, pack-00001, ", "- [pack-00300 to pack-00300](https://knowledge.example/llms-4.txt): 1 pack: pack-00300\n"} {
		if !strings.Contains(root, part) {
			t.Errorf("llms.txt has no %q:\n%s", part, root)
		}
	}
	if len(root) > 20<<10 || strings.Contains(root, "/llms.txt)") {
		t.Errorf("llms.txt has %d bytes", len(root))
	}
	var listed []string
	for i := range 4 {
		part := got[llmsPart(i)]
		if !bytes.Contains(part, []byte("(https://knowledge.example/llms.txt)")) || len(part) > packsInList*mostOfAPack {
			t.Errorf("part %d has %d bytes:\n%.300s", i+1, len(part), part)
		}
		listed = append(listed, linked(part)...)
	}
	if len(listed) != packs || listed[0] != "packs/pack-00000/llms.txt" || listed[packs-1] != fmt.Sprintf("packs/pack-%05d/llms.txt", packs-1) || got[llmsPart(4)] != nil {
		t.Errorf("%d packs are listed", len(listed))
	}
}

func TestSplitsOfALargePackAreListedInParts(t *testing.T) {
	pack := files{}
	for name, text := range packtest.Files(packtest.Options{Name: "large", Pages: 200}) {
		pack[name] = text
	}
	m := generate(t, Options{BaseURL: "https://knowledge.example/", PlainCode: true}, map[string]files{"large": pack})
	splits, parts := 0, 0
	for name := range m.files {
		if strings.HasPrefix(name, "packs/large/compiled/splits/") {
			splits++
		}
	}
	root, listed := m.text("packs/large/llms.txt"), map[string]bool{}
	for _, target := range linked([]byte(root)) {
		if !strings.HasPrefix(target, "packs/large/llms-") {
			continue
		}
		parts++
		for _, split := range linked([]byte(m.text(target))) {
			if listed[split] || m.files[split] == nil {
				t.Errorf("%s names %s, which is listed %t", target, split, listed[split])
			}
			listed[split] = true
		}
	}
	if splits <= splitsInList || len(listed) != splits || parts != (splits+splitsInList-1)/splitsInList || strings.Contains(root, "compiled/splits/") {
		t.Errorf("%d of %d splits are listed in %d parts:\n%s", len(listed), splits, parts, root)
	}
}
