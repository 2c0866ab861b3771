// Package lint looks for what is wrong in a pack although it compiles: rules
// over its guide, documents, pages and views (agent-knowledge section 15), the
// health of the whole (section 16), and three scans of plain text, for
// instruction-like text (section 18.3), for secrets (section 18.4) and for
// passages copied from raw sources (section 6.10, raw-copy).
//
// The scans are pure functions of their text and take time linear in it. A
// [Checker] is shown the parsed files of a compile as they pass by and turns what
// it saw, with the findings of that compile, into one [Report]. Package rulebook
// explains the rule ids.
package lint
