// Package compiler turns a knowledge pack on disk into its compiled views,
// source map and run record (agent-knowledge sections 5 to 9). It knows nothing
// of matching or of HTML.
//
// A compile is five phases. Each takes what the one before it made and adds to it:
//
//	open      opened    the pack, its contract, what is remembered of it; the outputs
//	                    are locked (phaseopen.go, cache.go, outputs.go)
//	read      material  every file by itself, and what earlier runs recorded of its claims
//	                    (phaseread.go, unit.go, history.go, spans.go)
//	join      joined    paths of splits, claims, views, source map, pack index: what
//	                    needs more than one file; all outputs are staged (phasejoin.go,
//	                    splits.go, claims.go, views.go)
//	gate      judged    anchors and links looked up, all findings, the status of the
//	                    run (phasegate.go, anchors.go, links.go)
//	publish   Result    the run record; outputs become visible, all at once; what the
//	                    pack became is remembered (phasepublish.go, outputs.go)
//
// Work is actions: pure functions from inputs to outputs, each with a key that is
// the hash of everything it depends on (package store). An action whose key is known
// is not done again; nothing that comes after it can see a difference, so there is
// one path for the first compile and for all that follow.
//
//	unit       one file's bytes and the contract → its record: facts that others need
//	           (title, headings, links, claims), the texts of its splits, and what
//	           contributors make of it, such as its words for the index and its
//	           article for the site (unit.go, contributor.go)
//	source     any other file's bytes → its lines and what the scans found (phaseread.go);
//	           and for a unit and all sources, the passages it copies (rawcopies.go)
//	pack       all files of a pack, inputs and outputs → counts, findings, outputs: a
//	           pack that is as a compile left it is not joined again (cache.go)
//
// Units are read in parallel; the join goes in compile order, on one goroutine, from
// their facts. A split that is untouched is not looked at.
//
// The site and the index work in the same way: what they say of a pack is kept by
// the state of the pack ([Result.State]), and what they say of all packs by the
// states of all.
//
// No body stays in memory. The same tree gives the same bytes on any machine with any
// number of cores, because results are joined by their place, never by arrival.
//
// A fault in a user's file becomes a diagnostic with a gate id (phasegate.go) and the
// compile continues; an error means that the work could not be done.
//
// The phases are one package because each hands its unexported state to the next; what
// they need and does not know of a compile is in the packages below this one.
package compiler
