// Package remote keeps the results of actions with a service of the Remote Execution
// API, version 2, and has such a service carry out actions: the one memory of all
// builds, shared by machines.
//
// An [Action] is a command with a tree of input files. Its digest is its key, the same
// on every machine. The service knows its [Result], a few files by their digests, and
// holds their bytes. Whatever arrives is compared with the digest that it was asked
// for; a service can withhold bytes, and cannot change them.
//
// Calls end when nothing arrives for a while, so that a service that hangs costs a
// bounded time. What a failure means is the caller's to say: without a service a build
// makes everything by itself.
package remote
