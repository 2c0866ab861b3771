// Package compiler turns a knowledge pack on disk into its compiled views,
// source map and run record (agent-knowledge sections 5 to 9). It knows nothing
// of matching or of HTML.
//
// Work is actions: pure functions from inputs to outputs, each with a key that is
// the hash of everything it depends on (package store). An action whose key is known
// is not done again; whatever comes after it cannot tell the difference, so there is
// one path for the first compile and for all that follow.
//
//	unit       one file's bytes and the options → its record: facts that others need
//	           (title, headings, links, claims), the texts of its splits, and what
//	           contributors make of it, such as its words for the index and its
//	           article for the site (unit.go, unitrecord.go, contribute.go)
//	source     any other file's bytes → its lines and what the scans found; and for a
//	           unit and all sources, the passages it copies (copies.go)
//	pack       all files of a pack, inputs and outputs → counts, findings, outputs: a
//	           pack that is as a compile left it is not joined again (memory.go)
//
// The join of a pack of which something has changed goes, in compile order, on one
// goroutine, from the facts of its units: paths of splits are settled, anchors
// resolved, claims get ids and statuses, views and records are built (claims.go,
// views.go, sourcemap.go, record.go). Which claims are stale follows from them, from
// what they cite and from the newest run record (spans.go, package baseline); which are
// in conflict from all of them together (disputes.go). Outputs that are ours are written, all at once
// (ownership.go); a split that is untouched is not looked at.
//
// The site and the index go on in the same way: what they say of a pack is kept by
// the state of the pack ([Result.State]), and what they say of all packs by the
// states of all.
//
// No body stays in memory. The same tree gives the same bytes on any machine with any
// number of cores, because results are joined by their place, never by arrival.
//
// A fault in a user's file becomes a diagnostic with a gate id (gates.go) and
// the compile goes on; an error means that the work could not be done.
package compiler
