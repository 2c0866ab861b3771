package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// realisticPage returns a page of about 6 KB as people write them: front
// matter, prose, lists with anchors, a table, code, links.
func realisticPage() []byte {
	var b strings.Builder
	b.WriteString("---\nstatus: ready\nkeywords: [pump, valve, service]\nsummary: How the pump is serviced.\n---\n\n# Pump service\n\n")
	for i := range 6 {
		fmt.Fprintf(&b, "## Step %d: the *inlet* valve\n\n", i+1)
		b.WriteString("The valve is opened by hand before the pump starts, and closed again when the pressure has fallen below `0.3 bar`; see [the safety page](safety.md#pressure) for what to do when it does not. Most stations log it twice a day.\nA second line of the same paragraph says nothing new, **but** is here to be wrapped.\n\n")
		for j := range 4 {
			fmt.Fprintf(&b, "- Seal %d lasts two seasons when it is greased. [source: sources/manual.md#L%d]\n", j, 10*i+j)
		}
		b.WriteString("  - A nested point about grease & temperature.\n\n")
		b.WriteString("```go\nfunc open(v *Valve) error {\n\treturn v.Turn(90)\n}\n```\n\n")
		b.WriteString("| Part | Count | Source |\n|---|---:|---|\n| Seal | 4 | [source: sources/manual.md#parts] |\n| Bolt | 12 | |\n\n")
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	page := realisticPage()
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("wiki/pump.md", page)
	}
}

func BenchmarkParseWithoutFrontMatter(b *testing.B) {
	page := realisticPage()
	page = page[Parse("wiki/pump.md", page).Body:]
	b.SetBytes(int64(len(page)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("wiki/pump.md", page)
	}
}
