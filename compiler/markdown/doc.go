// Package markdown reads one Markdown file of a pack: headings, sections,
// claims, anchors and links, each with its byte offset (agent-knowledge
// sections 6.3, 6.6, 7 and 8.2). It knows nothing of packs or of other files.
//
// The dialect is CommonMark with what GitHub adds to it (tables, task list items,
// strikethrough, bare addresses, footnotes, alerts, math), what other systems add
// that people also write (definition lists, wiki links, callouts of several forms,
// attribute lists), and two inline forms of packs: the source anchor
// [source: path#fragment] and the status marker [status: missing].
//
// It is one package because a file is parsed once: the extensions of the dialect and
// what is read from the tree share its nodes.
package markdown
