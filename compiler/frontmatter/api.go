// Package frontmatter reads the YAML block at the head of a Markdown file,
// strictly and with positions (agent-knowledge section 3.1).
package frontmatter

import "go.yaml.in/yaml/v3"

// Block is the front matter of one file.
type Block struct {
	Node  *yaml.Node // the mapping; nil when the block is empty or broken. Line and Column are file positions, 1-based
	Start int        // byte offset of the opening marker in the text given to Read (0)
	End   int        // byte offset just after the closing line's line end: where the body starts
}

// Options say how strict to be.
type Options struct {
	Path     string // for diagnostics
	Required bool   // KNOWLEDGE.md: a missing or unclosed block is an error; elsewhere it is body text
}
