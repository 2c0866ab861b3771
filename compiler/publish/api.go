// Package publish writes a set of files so that a crash at any moment leaves
// every file whole and the next run ends in the wholly new tree (design:
// stage, sync, journal, rename, drop the journal).
package publish

import "time"

// Options describe a target.
type Options struct {
	Target   string        // directory to publish into
	StateDir string        // where stage, journal and lock live; must be on the target's file system, else a directory beside the target is used
	Manifest string        // path below Target of the manifest, e.g. "manifest.json"; "" means no manifest (the caller owns deletion)
	DryRun   bool          // compare only
	Wait     time.Duration // how long to wait for another process's lock; 0 fails at once
}

// Change says what happened, or would happen, to a file.
type Change string

// The operations, spelled as in run records.
const (
	Created   Change = "created"
	Updated   Change = "updated"
	Deleted   Change = "deleted"
	Unchanged Change = "unchanged"
)

// The interface the rooms code against:
//
//	func Begin(ctx context.Context, o Options) (*Tx, error)        // lock; finish an unfinished journal; refuse a non-empty target without our manifest
//	func (t *Tx) Put(path string, data []byte) (Change, error)     // compares with the target; stages only what differs; safe for concurrent use
//	func (t *Tx) Delete(path string) error                         // explicit deletion (no manifest)
//	func (t *Tx) Commit() (Summary, error)                         // removes files of the old manifest not Put again; manifest last
//	func (t *Tx) Abort() error                                     // drop the stage; the target is untouched
