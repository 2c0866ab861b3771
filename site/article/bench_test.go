package article

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/markdown"
)

// realisticPage is a page of about 6 KB: prose, lists, tables, code, callouts, HTML.
func realisticPage() []byte {
	var b strings.Builder
	b.WriteString("# Pump service\n\n")
	for i := range 6 {
		fmt.Fprintf(&b, "## Step %d: the *inlet* valve\n\n", i+1)
		b.WriteString("The valve is opened by hand before the pump starts, and closed again when the pressure has fallen below `0.3 bar`; see [the safety page](safety.md#pressure) for what to do when it does not. Most stations log it twice a day - or more.\nA second line of the same paragraph says nothing new, **but** is here to be wrapped.\n\n")
		b.WriteString("- Seals last two seasons.\n- [ ] Check them.\n  - A nested point about grease & temperature.\n\n> [!NOTE]\n> Take ~~no~~ care[^1].\n\n")
		b.WriteString("```go\nfunc open(v *Valve) error {\n\treturn v.Turn(90)\n}\n```\n\n<details><summary>More</summary>\n\nText <kbd>Ctrl</kbd>.\n\n</details>\n\n")
		b.WriteString("| Part | Count | Source |\n|---|---:|---|\n| Seal | 4 | a |\n| Bolt | 12 | |\n\n")
	}
	b.WriteString("[^1]: A note.\n")
	return []byte(b.String())
}

func BenchmarkRender(b *testing.B) {
	doc := markdown.Parse("documents/pump.md", realisticPage())
	var buffer []byte
	b.ReportAllocs()
	for b.Loop() {
		buffer = Render(doc, nil, Options{Buffer: buffer}).HTML
	}
}

func BenchmarkParseAndRender(b *testing.B) {
	page := realisticPage()
	var buffer []byte
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		buffer = Render(markdown.Parse("documents/pump.md", page), nil, Options{Buffer: buffer}).HTML
	}
}
