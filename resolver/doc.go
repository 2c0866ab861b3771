// Package resolver is the runtime context resolver: for a query it selects the
// smallest useful part of some knowledge packs, fits it into a token budget and
// fences it as data (agent-knowledge sections 10, 12, 13 and 14). It writes
// nothing and calls no model.
//
// A resolution goes through these steps:
//
//	catalog    the front matter of every pack is read, and nothing else; packs
//	           are activated by name or because the catalog fits, and gated by
//	           status and trust (activate.go)
//	shelf      of activated packs the manifest, the source map, the newest run
//	           and the texts of splits and views are read (shelf.go, runs.go)
//	branches   the pack's mode and profile decide what is taken, in which order
//	           and for which reason (branches.go)
//	budget     whole files first, boundaries reserved (budget.go)
//	warnings   what the source map, the runs and the hashes say about the
//	           selection (status.go), and what is missing (missing.go)
//	wrappers   one fence a pack, persona packs first (wrapper.go)
//
// A [Collection] keeps what was read for the next query.
//
// # Ranking
//
// Which sections fit a query is a [Scorer]'s to say; the branches are not. The
// reference is [Overlap], the count of shared words that the format describes.
// The default is [BM25F]: it stems words, weighs rare ones, looks at titles,
// headings, bodies and the questions that authors wrote down, lets sections of
// one document lean on each other, and answers each part of a question of
// several parts. A section must meet a share of the query's weight to fit, and
// the list ends where sections fall far behind the best one, so that a budget is
// not filled for its own sake. Both figures are calibrated on the context evals
// of this project's own packs: of every two cases the first served to choose
// them, the second only to judge them; chosen was the floor with the greatest
// recall among those that let at most one in eight unanswerable queries through
// (package resolver/eval).
//
// # Departures
//
// Where the format leaves a point open, or says it in two ways, this package
// decides as follows.
//
//   - A document-first or hybrid pack whose document has changed since its
//     splits were made also gives the changed sections as they are now, last and
//     with the reason "escalate"; the format spells that out for wiki pages only.
//   - In a hybrid pack, BM25F looks past the preferred paths when a section
//     elsewhere fits better.
//   - With BM25F, a query, or a part of one, that no section fits is listed under
//     missing.
//   - At most four files that are taken as boundaries alone are reserved before
//     the answer; further ones are taken when there is room.
//   - Documents and pages that came, went or changed since the newest compile run are
//     named, also where nothing selected comes from them (inputs.go).
//   - Wrappers, comments and tags that are written with invisible characters, or
//     after other line ends than LF, are escaped too.
package resolver
