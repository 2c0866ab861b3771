// Package rank ranks the sections of a pack by how well their words fit a query. It
// reads no files and knows nothing of budgets, statuses or trust: sections go in, a
// [Ranking] comes out.
//
// The reference scorer is [Overlap], the count of shared words that
// agent-knowledge section 13.5 describes. The default is [BM25F]: it stems words,
// weighs rare ones, looks at titles, headings, bodies and the questions that
// authors wrote down, lets sections of one document lean on each other, and
// answers each part of a question of several parts. The list ends where sections
// fall behind the best one, sooner after a clear answer, so that a budget is not
// filled for its own sake, and a [Judgement] says whether what was selected answers the query. An [Index]
// holds what is counted, so that texts need not be read again.
//
// The stops, the caps, and the scores of a judgement were calibrated on queries over
// packs of public documentation; the manual has the curves ("What resolve selects"). Field weights are older,
// and were set by queries over this project's own packs (package resolver/eval).
//
// It is one package because a query, an index of several packs and a text must be cut into
// words and weighed in the same way.
//
// [Words], [WordSet] and [Prose] are the word rules themselves, for others that
// compare texts with a query.
package rank
