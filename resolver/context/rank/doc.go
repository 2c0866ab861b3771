// Package rank says which sections of a pack fit a query, by words alone. It
// reads no files and knows nothing of budgets, statuses or trust: sections go in,
// a [Ranking] comes out.
//
// The reference scorer is [Overlap], the count of shared words that
// agent-knowledge section 13.5 describes. The default is [BM25F]: it stems words,
// weighs rare ones, looks at titles, headings, bodies and the questions that
// authors wrote down, lets sections of one document lean on each other, and
// answers each part of a question of several parts. A section must meet a share
// of the query's weight to fit, and the list ends where sections fall far behind
// the best one, so that a budget is not filled for its own sake. Both figures are
// calibrated on the context evals of this project's own packs: of every two cases
// the first served to choose them, the second only to judge them; chosen was the
// floor with the greatest recall among those that let at most one in eight
// unanswerable queries through (package resolver/eval).
//
// [Words], [WordSet] and [Prose] are the word rules themselves, for others that
// compare texts with a query.
package rank
