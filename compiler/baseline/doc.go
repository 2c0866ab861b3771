// Package baseline records what each claim of a pack rested on when it was made, and
// finds the claims whose source has changed since (agent-knowledge section 6.9 rule 4).
//
// A claim is known by its text and its anchor, wherever it is: it keeps its
// baseline when its file is renamed or edited, and has a new one when its words or
// its anchor change, or when its author marks it confirmed. The ledger of a run
// follows from that of the run before it and from the claims and sources as they
// are, and from nothing else; a run record holds it.
package baseline
