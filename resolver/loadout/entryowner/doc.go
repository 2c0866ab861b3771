// Package entryowner finds out which command wrote the entries of an index.json. Agents look for the
// entries of a project in one place, so several commands keep theirs in one file:
// a build those of packs, rules those of rule files. Each replaces its own and
// leaves the others alone. An index of memories is a file of its own.
//
// The entries of a build are known by the directories of their packs, which the
// build notes in the head of the index, under a key that no other reader looks at.
// Those of rules lead to files beside the index. An index of memories names the
// MEMORY.md it came from (loadout section 2.3).
package entryowner
