// Package publish writes a set of files so that a crash at any moment leaves
// every file whole and the next run ends in the wholly new tree.
//
// A [Target] takes the files of a new tree; [Tx] is the one on a disk. It compares
// each file with the target and stages only those that differ; files that are equal
// are never touched, so their times stay. Until Commit the target is as it was.
// Commit syncs the stage once, lists in a pending manifest what it is about to put
// and to delete, and changes the target: content first, then the files that refer to
// others, the manifest at the very end, then deletions. A directory that does not
// exist yet comes with all its content in one rename.
//
// Nothing that was interrupted is ever continued: the next run compares the target
// with what it wants by then, which may be something else. The pending manifest only
// says what is ours. With a manifest that is all a transaction has to know; without
// one the caller asks for it ([Tx.Interrupted]).
//
// With a manifest the transaction owns the whole target: what an earlier run
// wrote and this one did not is deleted, other files are never overwritten,
// and a directory that holds files but no manifest of ours is refused. Without
// one the caller says what to write and what to delete.
package publish
