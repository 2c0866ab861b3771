// Package frontmatter reads the YAML block at the head of a Markdown file,
// strictly and with positions (agent-knowledge section 3.1).
//
// A block is between a first line "---" and a closing line "---". It is a
// mapping or empty, holds no anchors or aliases, no duplicate keys and no
// second document, and plain values are read by the YAML 1.2 core schema:
// "yes", "on" and "2026-05-20" are strings, "1.10" is a number.
package frontmatter
