// Package store keeps the results of build steps under the hash of everything they
// depend on, so that no step is done twice. An action is a pure function; its key is
// the hash of everything it depends on: the bytes it reads, options, and the program.
// An action whose key is known is not done again.
//
// The store has the shape of two services of the Remote Execution API: blobs are
// addressed by the digest of their content (ContentAddressableStorage), and the
// result of an action, found by its key, is a list of blobs (ActionCache).
//
// On disk a store is a directory with one folder for each [Group], such as a pack.
// A group is a few segments: files that are written once, under a name of their
// own, and come into being whole by a rename. A segment holds blobs and results
// in sequence, each with a checksum, and ends in an index. Nothing is ever
// changed in place, so processes need no locks: each reads the existing segments
// and adds one of its own. A process that is killed leaves a file that was
// never renamed; it is swept later.
//
// Whatever is wrong with a store costs time and nothing else. What is damaged, of
// another version or cannot be read does not exist; where nothing can be written,
// blobs stay in memory until the store is closed. What was not used for some days
// is dropped, and a group or store that has grown too large loses what was used
// longest ago.
//
// A [Tree] is the other half: it knows the digests of files by their size and
// times, so that a file that nobody touched need not be read.
package store
