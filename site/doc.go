// Package site turns compiled packs and their loadout index into the files of a
// browsable site: a page for everything a person reads, the raw Markdown beside
// it for everything an agent reads, the index with the matcher that runs on it,
// and the lists that programs start from (agent-knowledge sections 12.4 and 20).
//
// # Two steps
//
// [Site.Contributor] renders the article of each file while compile has its parsed
// tree in memory; the article, with placeholders for its links, becomes part of the record
// of the file. [Site.Generate] knows every page, title, heading, claim and split of
// the packs, puts the pages together in parallel, and hands each file to a [publish.Target].
// No bodies are held in memory, and no page grows with the number of pages.
//
// What pages know of a pack is read by package model and does not change. Package page makes
// the view of a page of it, for the templates. This package plans which files there are of a
// pack, see build.addPack, and puts them; what the site as a whole says of a pack is packFacts.
//
// A pack whose files have not changed since its pages were made, see [Site.Knows],
// is not looked at again: its files stay, and what the start page and the lists say
// of it comes from the store.
//
// # What a pack may do to a page
//
// Nothing but show text. Raw HTML is shown as the text it is, addresses are
// limited to a few schemes, pictures come from the pack itself, and a content
// security policy comes after that.
package site
