// Package publish writes a set of files so that a crash at any moment leaves
// every file whole and the next run ends in the wholly new tree (design:
// stage, sync, journal, rename, drop the journal).
package publish

import (
	"context"
	"time"
)

// Options describe a target.
type Options struct {
	Target   string        // directory to publish into
	StateDir string        // where stage, journal and lock live
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

// Tally counts files and their bytes.
type Tally struct {
	Files int
	Bytes int64
}

// Summary tells what a commit did, or would do in a dry run.
type Summary struct{ Created, Updated, Deleted, Unchanged Tally }

// Tx is one transaction on one target.
type Tx struct{}

// Begin locks the target and finishes what an interrupted run left.
func Begin(ctx context.Context, o Options) (*Tx, error) { return &Tx{}, nil }

// Put adds a file to the new tree; safe for concurrent use.
func (t *Tx) Put(path string, data []byte) (Change, error) { return "", nil }

// PutLast is Put for a file that must be renamed after all others (index, source map, run record), in the order of the calls.
func (t *Tx) PutLast(path string, data []byte) (Change, error) { return "", nil }

// Delete removes a file at Commit (only without a manifest).
func (t *Tx) Delete(path string) error { return nil }

// Commit makes the new tree visible.
func (t *Tx) Commit() (Summary, error) { return Summary{}, nil }

// Abort drops the stage; the target is untouched. After Commit it does nothing, so that it can be deferred.
func (t *Tx) Abort() error { return nil }
