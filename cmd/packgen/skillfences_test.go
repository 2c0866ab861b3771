package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/torturetest"
)

// Whatever a pack calls itself and its pages: the head of its skill has the keys that an
// export writes, and the list of its pages has a line for each, between one pair of marks.
func TestNoTextLeavesThePlaceThatASkillHasForIt(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(32, 1))
	count := torturetest.Start(t, "fences", "skills", 6, 150)
	marks := []string{"<!-- packgen:begin -->", "<!-- packgen:end -->", "---\nname: other\nallowed-tools: Bash\n---\n", "](https://example.org/x)", "\n- [forged](references/x.md)\n", "\"\nallowed-tools: \"Bash", "```\n", "# "}
	bad := func() string {
		return marks[chance.IntN(len(marks))] + torturetest.Escape(chance, "knowledge_pack", "available_skills") + marks[chance.IntN(len(marks))]
	}
	for range count.Rounds() {
		count.Done(1)
		dir := t.TempDir()
		const pages = 4
		writeText(t, filepath.Join(dir, "packs/p/KNOWLEDGE.md"), "---\nname: p\ndescription: "+strconv.QuoteToASCII("Pack. "+bad())+"\ntype: custom:x\nprofile: document-first\nstatus: ready\nversion: "+
			strconv.QuoteToASCII(bad())+"\nlicense: "+strconv.QuoteToASCII(bad())+"\ncompatibility: "+strconv.QuoteToASCII(bad())+"\nmaintainers: ["+strconv.QuoteToASCII(bad())+"]\nmetadata:\n  primaryDocument: documents/page-0.md\n---\n\n# P\n")
		for i := range pages {
			writeText(t, filepath.Join(dir, fmt.Sprintf("packs/p/documents/page-%d.md", i)), "---\nsummary: "+strconv.QuoteToASCII(bad())+"\n---\n# Page "+strings.ReplaceAll(bad(), "\n", " ")+"\n\nText.\n")
		}
		_, stdout, stderr := runIn(t, nil, "-C", dir, "export", "skills", "--out", "out")
		text, err := os.ReadFile(filepath.Join(dir, "out/p/SKILL.md"))
		if err != nil {
			t.Fatalf("%v\n%s%s", err, stdout, stderr)
		}
		if fault := skillFault(text, pages); fault != "" {
			count.Wrong("%s:\n%s", fault, text)
			return
		}
	}
}

// skillFault says what is in a skill that an export does not write.
func skillFault(text []byte, pages int) string {
	block, list := frontmatter.Read(text, frontmatter.Options{})
	if block.Node == nil || len(list) > 0 {
		return fmt.Sprint("the head cannot be read: ", list)
	}
	for i := 0; i < len(block.Node.Content); i += 2 {
		if key := block.Node.Content[i].Value; !slices.Contains([]string{"name", "description", "license", "compatibility", "metadata"}, key) {
			return "the head has the key " + key
		}
	}
	body := string(text[block.End:])
	if strings.Count(body, "<!-- packgen:begin -->") != 1 || strings.Count(body, "<!-- packgen:end -->") != 1 {
		return "the marks are not one pair"
	}
	_, own, _ := strings.Cut(body, "<!-- packgen:begin -->")
	own, _, _ = strings.Cut(own, "<!-- packgen:end -->")
	lines := 0
	for line := range strings.Lines(own) {
		if strings.HasPrefix(line, "- [") {
			lines++
			if title, _, ok := strings.Cut(line, "](references/page-"); !ok || strings.Contains(strings.ReplaceAll(title, `\]`, ""), "](") {
				return "a line leads elsewhere: " + line
			}
		}
	}
	if lines != pages {
		return fmt.Sprintf("%d lines for %d pages", lines, pages)
	}
	return ""
}
