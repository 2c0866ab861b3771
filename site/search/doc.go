// Package search makes the index that the search of a site reads in the browser: for
// each word of the packs the sections that hold it, how long these are, and how they
// are shown. It is cut into small files by content, so that a query reads a few of
// them and a change makes few of them again.
//
// The counts are those of [rank.BM25F], and the browser computes its scores from
// them: of all sections of the site as one corpus, to the last digit.
//
// # Files
//
// All are below search/ or packs/<name>/search/, except for search/index.json packed
// with gzip, whose first two bytes tell a reader so where a server has not unpacked
// them. Names are the first 50 bits of the SHA-256 of what is packed, so that a file
// never changes under its name. Numbers are unsigned varints; a text has its length
// in bytes in front.
//
//   - search/index.json: the root. Rules of the scorer, packs with their number of
//     sections, totals, and the names of the other files.
//   - words: stems in order. For each its number of sections, the name of a file with
//     the rest of them where it is cut in two, and for each pack that holds it the
//     number of the pack and its postings.
//   - runs: of some thousand sections, one byte each: whether its page starts with
//     it, its kind and its status.
//   - titles: of a few sections of one pack what a hit shows, as JSON.
//
// A posting is a section of a pack, as the distance from the one before, and how
// often each field holds the word; see appendPosting. After the postings of a pack are
// the numbers of words in the fields that hold the word, of each section in turn.
package search
