// Package indexfile keeps an index.bin beside an index.json, so that a program
// which lives for one prompt need not parse JSON.
//
// The index.bin names the digest of the index.json it was made from, under a key
// of its head that no reader of indexes looks at. When the two do not belong
// together, for one was written by another tool or a writer is between its
// steps, the JSON counts.
package indexfile
