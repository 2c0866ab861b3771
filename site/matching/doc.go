// Package matching makes the files that the match page reads in the browser in place of
// the whole loadout index: lists of postings by word, so that what a task loads, in which
// order and at what cost, is known from the lists of its words alone, and the entries, of
// which the page reads those that it shows.
//
// # Files
//
// All are below match/; all but match/index.json are as package shard makes them. Numbers
// are unsigned varints, a text has its length in bytes in front.
//
//   - match/index.json: the root. How many entries the index has, how many of them words
//     decide on, their tokens, packs with their number of entries, and the names of the
//     other files.
//   - lists: keys in order (see [loadout.Post]). For each the number of packs that have
//     postings, and of each the distance from the number of the one before, and a text of
//     postings: each the distance from the entry before, the first from -1, and what
//     [loadout.Post] says.
//   - runs: of some thousand entries the files of entries, as JSON: name and number of
//     entries of each.
//   - entries: of a few entries of one pack the JSON that index.json has.
package matching
