//go:build wasip1

// Command wasm is the loadout matcher as a WebAssembly reactor: what the match
// page of a site runs in the browser. It holds resolver/loadout and nothing else.
//
// # Contract with the loader
//
// The module imports only wasi_snapshot_preview1 (the Go runtime asks for a
// clock, random bytes and a place to write a trap message) and exports its
// memory as "memory". Call _initialize() once before anything else. All calls
// are synchronous. All numbers are little endian, all text is UTF-8.
//
//	alloc(size: i32): i32
//	    Returns the address of a buffer of size bytes (at least 1), or 0 when
//	    size is negative or above 536,870,912 (512 MiB). The buffer stays valid
//	    until free(address).
//	free(address: i32): void
//	    Gives a buffer back. An address that alloc did not return is ignored.
//	load(address: i32, size: i32): i32
//	    Opens an index.bin, or an excerpt of an index (see loadout.Excerpt), of which
//	    matchDetail alone answers. 0: ready. 1: not a buffer of at least that size.
//	    2: not an index, damaged, or of another version. Keeps the buffer: do
//	    not write to it again and do not free it. A second load replaces the
//	    first index; after an error no index is loaded.
//	keys(address: i32, size: i32, options: i32): i64
//	    The keys of the lists that an excerpt needs to answer for the task at
//	    address, as {"keys":[...]}; some more than once. No index need be loaded.
//	    Of options the weighted dialect counts, and 8: the index is cut by the
//	    Unicode tokenizer.
//	match(address: i32, size: i32, options: i32, minScore: f64): i64
//	matchDetail(address: i32, size: i32, options: i32, minScore: f64, limit: i32, near: i32): i64
//	    The task is the text at address; after it may come other wordings of the
//	    task, each after a character U+001E. The first 20 count. options is a bit set: 1 selects the
//	    recall dialect, 4 the weighted one (otherwise it is coverage), 2 reproduces
//	    the quirks of the original (never used by the site). minScore is the
//	    threshold: 0.1 is the default, 0.4 that of the weighted dialect. limit caps the included entries that are listed, near
//	    the others; 0 lists all.
//	    The result is (address << 32 | size) of JSON text as an unsigned 64-bit
//	    number (a BigInt in JavaScript: BigInt.asUintN(64, r)). It is valid
//	    until the next call of any export, and needs no free. The memory may
//	    grow in every call: make views of memory.buffer again after each.
//
// match answers {"results":[...]}: each element is a match result of loadout
// section 2.5, byte for byte what `packgen match --json` prints:
//
//	{"entry":{...},"score":0.5,"matchedKeywords":["ci"],"matchedPatterns":[],
//	 "reason":"keywords [ci]","mode":"lazy"}
//
// matchDetail answers the arithmetic, near misses included: every core entry
// and every entry that at least one keyword or pattern hits, in the order of
// match (score descending, tokens ascending), included or not:
//
//	{"dialect":"coverage","minScore":0.1,"tokens":["fix","the","ci"],"total":1,
//	 "loads":{"entries":1,"tokens":300},"entries":[{"id":"ci","priority":"domain","mode":"lazy","tokens":300,
//	 "included":true,"score":0.5333333333333333,"hits":1,"keywords":3,
//	 "coverage":0.3333333333333333,"absolute":0.2,"base":0.3333333333333333,
//	 "patternBonus":0.2,"matchedKeywords":["ci"],"missedKeywords":["a","b"],
//	 "matchedPatterns":["ci_pipeline"],"summary":"About ci","path":"rules/ci.md",
//	 "reason":"keywords [ci] + patterns [ci_pipeline]"}]}
//
// tokens (top level) are the words of the task the matcher sees, in order of
// first appearance; total counts the entries before limit and near, loads sums
// up those of them that are included. In each entry keywords is how many the entry has, hits how many of them hit, and
// score = min(1, base + patternBonus), where base is coverage (hits / keywords)
// or, in the recall dialect, the greater of coverage and absolute (hits / 5).
// Core entries have score 1 and hits 0; manual entries have score 0, are never
// included, and list what would have hit. tokens is null when the index gives
// no numeric estimate. With other wordings each is matched alone, what they
// include is taken in turns, and an entry has the best rating that one of them
// gives it, with "wording": its place, from 1, unless it is the task itself.
//
// An answer of an excerpt names in each entry its place in the index, "at". The
// texts and words of an entry that is not at hand are empty.
//
// The kernel's other questions, which the match page does not need:
//
//	explainTask(task: i32, size: i32, id: i32, idSize: i32, options: i32, minScore: f64): i64
//	    How one entry of the loaded index scores for a task, its rank, and the
//	    smallest change of the task that would flip the outcome; null when there
//	    is no such entry.
//	addLayer(name: i32, nameSize: i32, index: i32, indexSize: i32): i32
//	    Puts an index.bin as a layer over those added before. Returns what load
//	    returns and keeps the buffer of the index as load does.
//	clearLayers(): void
//	    Forgets all layers. The index given to load stays.
//	plan(task: i32, size: i32, options: i32, minScore: f64, phase: i32): i64
//	    The load plan of loadout section 14 over the merged layers. phase leaves
//	    out entries not meant for it: 0 none, 1 task, 2 plan, 3 edit.
//	explain(id: i32, size: i32, options: i32): i64
//	    Which layers define an entry and which wins (loadout section 13); null
//	    when none does.
//
// Every failure is {"error":"..."} instead (no index loaded, task not a
// buffer): no export traps on bad input. Should the module trap all the same
// (memory exhausted, say), its instance is lost: make a new one.
package main
