// Package cache keeps what an incremental compile remembers of a pack between two
// runs (agent-knowledge section 6.9): which files there were and how to tell
// that nobody touched them, and what the analysis of each page gave.
//
// It lies below the state directory of a pack, in files that each start with a
// key and end in a checksum:
//
//	files.cache     every file of the pack; names the checksums of all others
//	joined.cache    where the part of each page lies in the records of a pack
//	marks.cache     what the newest run record says of each claim
//	units-XX.cache  what was made of pages, sharded by the hash of their paths
//
// files.cache is removed before outputs change and written last, so that a run
// that is cut short leaves a cache that is not used. What is damaged, was cut, or
// is of another program, version or option is not there: the work is done
// again. Nothing in a cache is a permission: paths read from it are checked like
// those of any file.
package cache
