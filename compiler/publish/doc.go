// Package publish writes a set of files so that a crash at any moment leaves
// every file whole and the next run ends in the wholly new tree.
//
// A transaction compares each file with the target and stages only those that
// differ; files that are equal are never touched, so their times stay. Commit
// syncs the stage once, writes a journal of renames and deletions, carries it
// out (content first, then the files that refer to others, the manifest at the very
// end, then deletions) and drops the journal. A directory that does not exist yet
// comes with all its content in one rename. Until the journal is the
// target is as it was; from then on the work can only be finished: [Begin]
// finds a journal that an interrupted run left and completes it before anything
// else. A caller therefore never has to know the hashes named in an unfinished
// journal: after Begin they are the files of the target.
//
// With a manifest the transaction owns the whole target: what an earlier run
// wrote and this one did not is deleted, other files are never overwritten,
// and a directory that holds files but no manifest of ours is refused. Without
// one the caller says what to write and what to delete.
package publish
