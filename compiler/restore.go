package compiler

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
)

// Generated reports whether a path of a pack is one that a compile may write.
func Generated(name string) bool {
	for _, dir := range [...]string{"compiled/", "indexes/", runsDir + "/"} {
		if strings.HasPrefix(name, dir) {
			return true
		}
	}
	return false
}

// FilesAfter returns the files of a pack as the last compile that kept its state in a
// directory has left them; none when that is not known.
func FilesAfter(stateDir string) []store.File {
	return store.ReadTree(filepath.Join(stateDir, treeName)).Files()
}

// Restoration is a compile that was done elsewhere.
type Restoration struct {
	StateDir string                  // as in [Options]
	Wait     time.Duration           // the same
	Before   map[string]store.Digest // the files of the pack that the compile started from
	After    []store.File            // those that it left, with digests, in path order
	// Next returns one after another the files that it has written, "" after the last. The
	// bytes need be valid until the next call only.
	Next func() (name string, data []byte, err error)
}

// Restore gives a pack the outputs of a compile that was done elsewhere, all of them or,
// when it returns an error, none, as [Compile] would have written them. The pack must be
// opened again after it, and remember is to be called with that: a Compile finds it
// unchanged then, if its options have a store with the result.
func Restore(ctx context.Context, p *pack.Pack, o Restoration) (remember func(again *pack.Pack), err error) {
	tx, err := publish.Begin(ctx, publish.Options{Target: p.Dir, StateDir: o.StateDir, Wait: o.Wait})
	if err != nil {
		return nil, fmt.Errorf("restore pack %s: %w", p.Meta.Name, err)
	}
	defer func() {
		if failed := tx.Abort(); err == nil {
			err = failed
		}
	}()
	missing, err := o.missing()
	if err != nil {
		return nil, err
	}
	if err := o.write(tx, missing); err != nil {
		return nil, err
	}
	for name := range o.Before {
		if Generated(name) && o.find(name) == nil {
			if err := tx.Delete(name); err != nil {
				return nil, err
			}
		}
	}
	tree := filepath.Join(o.StateDir, treeName)
	if err := store.RemoveTree(tree); err != nil {
		return nil, fmt.Errorf("drop what is known of the pack: %w", err)
	}
	begun := time.Now()
	if _, err := tx.Commit(); err != nil {
		return nil, err
	}
	fine := store.FineTimes(p.Dir)
	if fine {
		time.Sleep(store.FineWindow + time.Millisecond) // after which times can be believed
	}
	return func(again *pack.Pack) { o.remember(p, again, tree, begun, fine) }, nil
}

// find returns a file that the compile left; nil for any other.
func (o *Restoration) find(name string) *store.File {
	i, ok := slices.BinarySearchFunc(o.After, name, func(f store.File, name string) int { return strings.Compare(f.Path, name) })
	if !ok {
		return nil
	}
	return &o.After[i]
}

// Check reports whether the compile began with the files that the pack has.
func (o *Restoration) Check() error {
	_, err := o.missing()
	return err
}

// missing lists the files that the compile has written. Those that it had to leave as they
// were must be as they were.
func (o *Restoration) missing() (map[string]store.Digest, error) {
	missing, inputs := map[string]store.Digest{}, 0
	for i := range o.After {
		f := &o.After[i]
		was, known := o.Before[f.Path]
		switch same := known && was == f.Sum; {
		case Generated(f.Path) && !same:
			missing[f.Path] = f.Sum
		case !Generated(f.Path) && !same:
			return nil, fmt.Errorf("restore: %s is not a file that a compile writes", f.Path)
		case !Generated(f.Path):
			inputs++
		}
	}
	for name := range o.Before {
		if !Generated(name) {
			inputs--
		}
	}
	if inputs != 0 {
		return nil, fmt.Errorf("restore: the compile had other files than the pack has")
	}
	return missing, nil
}

// write puts the files of the compile into the transaction: what refers to others last.
func (o *Restoration) write(tx *publish.Tx, missing map[string]store.Digest) error {
	for {
		name, data, err := o.Next()
		if err != nil {
			return err
		}
		if name == "" {
			break
		}
		want, expected := missing[name]
		switch {
		case !expected:
			return fmt.Errorf("restore: %s is not a file that the compile has written", name)
		case store.Sum(data) != want:
			return fmt.Errorf("restore: %s has other bytes than the compile has written", name)
		}
		delete(missing, name)
		last := !strings.HasPrefix(name, splitsDir)
		if _, err := tx.PutFrom(publish.File{Path: name, Content: publish.Bytes(data), Last: last}); err != nil {
			return err
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("restore: %d files are missing, %s among them", len(missing), sortedKeys(missing)[0])
	}
	return nil
}

// remember keeps the digests of the files of the pack as they are now. Of those that it had
// before, their look then counts: what is there now may have been edited since. That they
// cannot be kept costs time only.
func (o *Restoration) remember(p, again *pack.Pack, tree string, begun time.Time, fine bool) {
	files := make([]store.File, 0, len(o.After))
	for _, f := range o.After {
		from := p
		at, listed := p.Stat(f.Path)
		if was := o.Before[f.Path]; !listed || was != f.Sum || at.ModTime >= begun.UnixNano() {
			from = again
			if at, listed = again.Stat(f.Path); !listed {
				return
			}
		}
		f.Stat = at.Stat
		f.Quiet = store.Quiet(at.Stat, from.Listed.UnixNano(), fine)
		files = append(files, f)
	}
	_ = store.WriteTree(tree, store.NewTree(files))
}
