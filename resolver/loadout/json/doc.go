// Package json reads and writes the JSON files of the loadout format
// (loadout section 3.6). Its reader keeps what a JavaScript program would keep:
// the order of keys, unknown keys, lone surrogates. It is native only; the
// browser reads the prebuilt binary of package loadout.
//
// Limits: a text of at most 64 MiB, nested at most 64 deep; an index of at most
// 1 GiB and 1,000,000 entries. An error names line and column.
package json

const (
	// MaxSize is the longest text that is read, in bytes, except for an index.
	MaxSize = 64 << 20 // 64 MiB
	// MaxIndex is the longest index that is read from a disk, in bytes: one of
	// MaxEntries entries of a usual length.
	MaxIndex = 1 << 30 // 1 GiB
	// MaxFetched is the longest index that is fetched from a site, in bytes:
	// somebody else chose its length.
	MaxFetched = 256 << 20 // 256 MiB
	// maxDepth is how deep arrays and objects may nest.
	maxDepth = 64
	// MaxEntries is how many entries an index may have.
	MaxEntries = 1_000_000
)
