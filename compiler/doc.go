// Package compiler turns a knowledge pack on disk into its compiled views,
// source map and run record (agent-knowledge sections 5 to 9). It knows nothing
// of matching or of HTML.
//
// A compile goes through the pack once:
//
//	files      every Markdown file of documents/ and wiki/ is read, hashed and
//	           parsed, in parallel; splits are cut and staged while the tree is
//	           in memory, then the tree is dropped (unit.go, package cut)
//	inputs     sources and optional layers are hashed and scanned; those that
//	           an anchor cites are looked into (copies.go, inputs.go)
//	join       in compile order, on one goroutine: anchors are resolved, claims
//	           get ids and statuses, views are built (claims.go, views.go)
//	outputs    files that are ours are written, all at once (ownership.go)
//
// An incremental compile takes what the first two steps made of a file from a
// cache, when neither the file nor its splits have changed (incremental.go,
// restore.go). When nothing has changed at all, it goes no further than looking at
// the files.
//
// What leaves the first step is small: titles, ids, claim texts. No body stays
// in memory. The same tree gives the same bytes on any machine with any number
// of cores, because results are joined by their place, never by arrival.
//
// A fault in a user's file becomes a diagnostic with a gate id (gates.go) and
// the compile goes on; an error means that the work could not be done.
package compiler
