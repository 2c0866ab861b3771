package prune

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
)

// Options steer Runs. The zero value prunes the runs in the pack.
type Options struct {
	DryRun   bool          // report, and remove nothing
	OutDir   string        // where runs/ is; "" is the pack itself
	StateDir string        // locks and staging; "" is .packgen below the target
	Wait     time.Duration // how long to wait for another process that writes there; 0 fails at once
}

// Result says which compile runs were kept and removed, by pack-relative path,
// newest first; after the removed ones come their ledgers.
type Result struct {
	Kept    []Kept
	Removed []string
	Bytes   int64 // of the removed ones
}

// Kept is a run that later compiles need.
type Kept struct {
	Path string
	Why  string // "newest", "baseline", "unreadable"
}

// Runs removes compile runs that no later compile needs: all but the newest one, whose
// ledger holds the baseline of every claim (agent-knowledge section 6.9 rule 4). Where the
// newest is a record of another tool, which has no ledger, all stay: together they are the
// baseline, until a compile has written a ledger. Afterwards every claim has the status it
// had. Records that cannot be read stay.
func Runs(ctx context.Context, p *pack.Pack, o Options) (*Result, error) {
	old, err := lastrun.Open(p, o.OutDir)
	if err != nil {
		return nil, err
	}
	defer old.Close()
	target := o.OutDir
	if target == "" {
		target = p.Dir
	}
	if target == "" {
		return nil, fmt.Errorf("prune runs of %q: it is not a directory", p.Meta.Name)
	}
	tx, err := begin(ctx, target, o)
	if err != nil {
		return nil, fmt.Errorf("prune runs of %s: %w", p.Meta.Name, err)
	}
	defer func() { _ = tx.Abort() }()
	result, err := decide(ctx, old, target)
	if err == nil {
		err = result.removeFrom(target, tx)
	}
	if err != nil {
		return nil, err
	}
	if _, err := tx.Commit(); err != nil {
		return nil, fmt.Errorf("prune runs of %s: %w", p.Meta.Name, err)
	}
	return result, nil
}

// stateName is the directory for locks and staging when the caller names none.
const stateName = ".packgen"

func begin(ctx context.Context, target string, o Options) (*publish.Tx, error) {
	state := o.StateDir
	if state == "" {
		state = filepath.Join(target, stateName)
	}
	return publish.Begin(ctx, publish.Options{Target: target, StateDir: state, DryRun: o.DryRun, Wait: o.Wait})
}

// decide says which runs and ledgers stay, and which of those in the target go.
func decide(ctx context.Context, old *lastrun.Outputs, target string) (*Result, error) {
	names, _, err := old.Runs()
	if err != nil {
		return nil, err
	}
	result := &Result{}
	needed := map[string]bool{} // ledgers
	isNewest, isBaseline := true, false
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		why := ""
		switch run, err := old.Run(name.Path); {
		case err != nil:
			why = "unreadable"
		case isNewest:
			why, isNewest, isBaseline = "newest", false, !run.HasLedger
		case isBaseline:
			why = "baseline"
		}
		isHere := isFile(target, name.Path) // else it lies in the pack below an overlay, or is a link
		if why != "" || !isHere {
			needed[schema.RunLedgerPath(name.Path)] = true
		}
		switch {
		case why != "":
			result.Kept = append(result.Kept, Kept{name.Path, why})
		case isHere:
			result.Removed = append(result.Removed, name.Path)
		}
	}
	ledgers, err := old.Ledgers()
	for _, name := range ledgers {
		if !needed[name] && isFile(target, name) {
			result.Removed = append(result.Removed, name)
		}
	}
	return result, err
}

func isFile(target, name string) bool {
	info, err := os.Lstat(filepath.Join(target, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// removeFrom hands the removals to the transaction.
func (r *Result) removeFrom(target string, tx *publish.Tx) error {
	for _, name := range r.Removed {
		info, err := os.Lstat(filepath.Join(target, filepath.FromSlash(name)))
		if err == nil {
			r.Bytes += info.Size()
			err = tx.Delete(name)
		}
		if err != nil {
			return fmt.Errorf("remove %s: %w", path.Base(name), err)
		}
	}
	return nil
}
