package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
)

// ReadLock reads packgen.lock of a repository. Without the file it returns an
// empty lock and found is false. A file that cannot be used is an error that wraps
// a *schema.DecodeError.
func ReadLock(dir string) (lock *schema.Lock, found bool, err error) {
	data, err := atomicfile.Read(filepath.Join(dir, schema.LockName), schema.MaxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return &schema.Lock{SchemaVersion: 1}, false, nil
	}
	if err == nil {
		lock, err = schema.DecodeLock(data)
	}
	if err != nil {
		return nil, true, fmt.Errorf("read %s: %w", schema.LockName, err)
	}
	return lock, true, nil
}

// Locked returns what a lock holds for a reference as written; nil when it is not
// locked.
func Locked(lock *schema.Lock, ref string) *schema.LockedRef {
	for i := range lock.References {
		if lock.References[i].Ref == ref {
			return &lock.References[i]
		}
	}
	return nil
}

// LockedNames returns the references that are locked for a pack of that name.
func LockedNames(lock *schema.Lock, pack string) []string {
	var refs []string
	for _, r := range lock.References {
		if r.Pack == pack {
			refs = append(refs, r.Ref)
		}
	}
	return refs
}

// Changes returns the entries that differ from what a lock holds for their
// references.
func Changes(lock *schema.Lock, entries []schema.LockedRef) []schema.LockedRef {
	var list []schema.LockedRef
	for i := range entries {
		if have := Locked(lock, entries[i].Ref); have == nil || !sameEntry(have, &entries[i]) {
			list = append(list, entries[i])
		}
	}
	return list
}

func sameEntry(a, b *schema.LockedRef) bool { return reflect.DeepEqual(a, b) }

// WriteLock puts entries into packgen.lock of a repository: others stay, and
// nothing is written when nothing changes. Several processes may do so at once;
// whatever happens to them, the file is whole. They wait for one another by a file
// in the cache, so that nothing else appears in the repository.
func (c *Cache) WriteLock(ctx context.Context, dir string, entries []schema.LockedRef) (changed bool, err error) {
	place, err := filepath.Abs(dir)
	if err == nil {
		place, err = filepath.EvalSymlinks(place)
	}
	if err != nil {
		return false, fmt.Errorf("write %s: %w", schema.LockName, err)
	}
	unlock, err := c.alone(ctx, recordKey("lock", place))
	if err != nil {
		return false, err
	}
	defer unlock()
	lock, _, err := ReadLock(dir)
	if err != nil {
		return false, err
	}
	changes := Changes(lock, entries)
	if len(changes) == 0 {
		return false, nil
	}
	for _, e := range changes {
		if have := Locked(lock, e.Ref); have != nil {
			*have = e
		} else {
			lock.References = append(lock.References, e)
		}
	}
	slices.SortFunc(lock.References, func(a, b schema.LockedRef) int { return strings.Compare(a.Ref, b.Ref) })
	data, err := schema.Encode(lock)
	if err != nil {
		return false, err
	}
	if len(data) > schema.MaxLock || len(lock.References) > schema.MaxLockedRefs {
		return false, fmt.Errorf("write %s: it would be too large", schema.LockName)
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	if err := atomicfile.Write(filepath.Join(dir, schema.LockName), data); err != nil {
		return false, fmt.Errorf("write %s: %w", schema.LockName, err)
	}
	return true, nil
}
