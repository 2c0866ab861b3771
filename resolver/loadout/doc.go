// Package loadout is the kernel of the runtime context resolver: it decides
// which entries of an index a task needs.
//
// It implements the loadout format (loadout sections 2 to 16): the index and
// its entries, the matcher in its two dialects with their arithmetic, validation,
// merging, explanation and plans of layers, front matter, usage events and
// their analysis. Of its own it adds the weighted dialect, a Unicode tokenizer, which an index has to
// ask for, and a lint for entries that are valid and yet match badly.
//
// The package is pure: it opens no file, reads no clock, and imports neither
// fmt nor encoding/json nor time, because the same code runs in the browser as
// WebAssembly, where each of them costs more than the whole kernel. Package
// json below it reads and writes JSON files for it.
//
// # Values
//
// An entry keeps its original text. [Value] is one JSON value written the way
// JavaScript prints it in compact form; results splice it in unchanged, so
// unknown keys, key order and odd numbers survive. The decoded fields of
// [Entry] are beside it.
//
// Strings are WTF-8: UTF-8 in which a lone surrogate, which JSON text can name
// but UTF-8 cannot hold, is written as the three bytes its number would take.
//
// # Scan and postings
//
// Match on an index scans all entries. [NewMatcher] builds an inverted index
// (word to entries) and answers the same, entry for entry, from the few that
// share a word with the task. [Marshal] stores index and postings together in one file
// that needs no parsing; [OpenBinary] reads it, and [OpenPart] of it what an answer needs.
//
// The kernel is one package because it is what the browser downloads: a test holds the
// list of packages that reach it, and its tables and entries stay unexported.
package loadout
