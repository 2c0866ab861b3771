package cuttest

import (
	"math/rand/v2"
	"strings"
)

// Document strings blocks together that a cutter may trip over.
func Document(r *rand.Rand) string {
	parts := []string{
		"# One\n", "# Two [source: sources/s.md]\n", "## A\n", "## A\n", "### B {#b}\n", "#### \n", "###### Deep\n", "Set\n===\n", "Set\n---\n",
		"text\n", "- claim\n", "- claim [source: sources/s.md]\n", "  - nested\n", "1. one\n2. two  \n", "> quote\n", "> ## Quoted\n", "```\n## code\n```\n",
		"```\nopen\n", "<!-- c -->\n", "<div>\n## html\n</div>\n", "---\n", "[r]: u\n", "| a |\n| - |\n| b |\n", "\n", "\n\n", "\t\n", "   \n",
		strings.Repeat("long ", 600) + "\n", "    indented\n", "- # H\n", "\r\n", "é🚀\n",
	}
	var b strings.Builder
	if r.IntN(4) == 0 {
		b.WriteString("---\nstatus: stale\n---\n")
	}
	for range r.IntN(30) {
		b.WriteString(parts[r.IntN(len(parts))])
		if r.IntN(2) == 0 {
			b.WriteString("\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}
