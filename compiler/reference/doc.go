// Package reference finds what the links of a pack lead to. What compiles, checks
// and publishes a pack asks it, so that a link is never broken for one and whole for
// another.
//
// A link may be written as GitHub, MkDocs, mdBook, Docusaurus, Hugo or Obsidian would
// resolve it: by path, by the path of the published page, by the path from the root
// of the documents, by name.
package reference
