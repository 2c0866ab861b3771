// Package index builds the loadout index of a build: one entry for each pack,
// view and split, with the words that lead to it.
//
// # Rules
//
//  1. An entry for the pack itself (its KNOWLEDGE.md), then one for each view and
//     each split of its compiled index, in that order, packs by name.
//  2. The id is "<pack>-<split id>" with every run of other characters than a-z
//     and 0-9 as one "-". Where that loses a letter or digit, or where two ids
//     meet, the id ends in "-" and eight hex digits of the SHA-256 of the split id.
//  3. The path is where a reader of the index finds the payload; [Options] say how.
//  4. Keywords, patterns, priority, triggers and summary come from
//     metadata.loadout.<split id> in KNOWLEDGE.md, otherwise from the front matter of
//     the document or page, otherwise they are derived: the words of the title, then
//     the terms that set the text apart from all others of the build. Only words
//     the matcher can ever hit, never a word that most entries share.
//  5. Entries of a draft or disputed pack are manual; an archived pack has none.
//  6. The summary is the first sentence: one line, at most 120 UTF-16 units. It
//     begins with "Stale:" or "Disputed:" where the view, split or pack is so.
//  7. The time of the index is the caller's, otherwise that of the newest compile run.
//  8. Keywords that can never match are reported and left out. Declared ones that
//     match badly are reported: generic words, two that weigh as one, words that
//     many entries share, so many that one hit is not enough.
//
// Where [Builder.UseUnicode] asks for it, packs in other languages than English
// are cut by the Unicode tokenizer, and the index says so.
//
// A [Builder] sees every unit once, while its tree is in memory, and keeps
// words and numbers, never bodies. The result does not depend on the order of
// the visits.
package index
