// Package lint looks for what is wrong in a pack although it compiles: rules
// over its guide, documents, pages and views (agent-knowledge section 15), the
// health of the whole (section 16), passages copied from raw sources (section
// 6.10, raw-copy), and what packages injection and secret find in its texts. A
// comment in a file may suppress a finding; package rulebook says which, and
// explains all rule ids.
//
// Whatever looks at plain text is a pure function of it and takes time linear in
// it. A [Checker] is shown the parsed files of a compile as they pass by and turns
// what it saw, with the findings of that compile, into one [Report].
package lint
