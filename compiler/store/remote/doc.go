// Package remote says what is kept by a service of the Remote Execution API, version 2, and
// what such a service carries out: the one memory of all builds, shared by machines.
//
// An [Action] is a command with a tree of input files. Its digest is its key, the same
// on every machine. The service knows its [Result], a few files by their digests, and
// holds their bytes. Whatever arrives is compared with the digest that it was asked
// for; a service can withhold bytes, and cannot change them.
package remote
