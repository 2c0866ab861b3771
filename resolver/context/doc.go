// Package context is the runtime context resolver: for a query it selects the
// smallest useful part of some knowledge packs, fits it into a token budget and
// fences it as data (agent-knowledge sections 10, 12, 13 and 14). It writes
// nothing and calls no model.
//
// A resolution goes through these steps:
//
//	catalog    the front matter of every pack is read, and nothing else; packs
//	           are activated by name, and gated by status and trust (activate.go)
//	ranking    where none is named, the sections of all usable packs are ranked as if
//	           they were of one; the packs of the best ones are activated (compete.go)
//	contents   of these packs the manifest, the source map, the newest run
//	           and the texts of splits and views are read (contents.go, doubtfulclaims.go); what
//	           is not what compile wrote is replaced by what its document says
//	           (repair.go)
//	branches   the pack's mode and profile decide what is taken, in which order
//	           and for which reason (branches.go)
//	marks      claims that are stale or disputed are marked as such, those on
//	           sources that have changed since the newest run too (doubtfulclaims.go)
//	budget     whole files first, boundaries reserved (wrapper.go)
//	warnings   what the source map, the runs and the hashes say about the
//	           selection (resolve.go), and what is missing (doubtfulclaims.go)
//	wrappers   one fence for each pack, persona packs first (wrapper.go)
//
// A [Collection] keeps what was read for the next query.
//
// # Ranking
//
// Which sections fit a query is a [rank.Scorer]'s to say; the branches are not.
//
// # Departures
//
// Where the format leaves a point open, or says it in two ways, this package
// decides as follows.
//
//   - A document-first or hybrid pack whose document has changed since its
//     splits were made also gives the changed sections as they are now, last and
//     with the reason "escalate"; the format spells that out for wiki pages only.
//   - In a hybrid pack, [rank.BM25F] looks past the preferred paths when a section
//     elsewhere fits better.
//   - With [rank.BM25F], a query, or a part of one, that no section fits is listed under
//     missing.
//   - Which packs nobody named are used is decided by their sections, over what is counted in
//     them (section 13.2 rule 6). The catalog raises what fits, and decides alone where no section does,
//     and for a persona, which says how to answer and not what.
//   - At most four files that are taken as boundaries alone are reserved before
//     the answer; further ones are taken when there is room.
//   - Documents and pages that came, went or changed since the newest compile run are
//     named, also where nothing selected comes from them (uncompiled.go).
//   - Splits are cut from all documents, not from the primary one alone, where a run
//     has made splits and they are gone.
//   - Wrappers, comments and tags that are written with invisible characters, or
//     after other line ends than LF, are escaped too.
//
// The steps are one package because each works on the selection of the one before;
// ranking, which knows nothing of packs, is in package rank.
package context
