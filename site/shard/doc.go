// Package shard makes the small files in which a browser looks up what an index has of a
// key, so that a question reads a few of them and a change makes few of them again.
//
// Keys are in order of their bytes, cut into files of some kilobytes, in places that
// depend on the keys near them; a table says which file begins with which key. A file is
// named by what it holds, the first 50 bits of its SHA-256, so that it never changes under
// its name, and is published packed with gzip, whose first two bytes tell a reader so where
// a server has not unpacked it.
package shard
