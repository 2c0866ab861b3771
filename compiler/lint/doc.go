// Package lint finds what is wrong in a pack although it compiles: it applies the rules
// of guides, documents, pages and views (agent-knowledge section 15), scores the health
// of the pack (section 16), and finds passages copied from raw sources (section 6.10,
// raw-copy) and what packages injection and secret look for. A comment in a file may
// suppress a finding; package rulebook says which, and explains all rule ids.
//
// Whatever looks at plain text is a pure function of it and takes time linear in
// it. A [Checker] is shown the parsed files of a compile as they pass by and turns
// what it saw, with the findings of that compile, into one [Report]. It is one package
// because what a compile keeps of a page, [Facts], and what a check sees of it are read by
// the same rules.
package lint
