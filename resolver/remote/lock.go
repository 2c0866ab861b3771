package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
)

// ReadLock reads packgen.lock of a repository. Without the file it returns an
// empty lock and found is false. A file that cannot be used is an error that wraps
// a *schema.DecodeError.
func ReadLock(dir string) (lock *schema.Lock, found bool, err error) {
	data, err := atomicfile.Read(filepath.Join(dir, schema.LockName), schema.MaxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return &schema.Lock{SchemaVersion: schema.LockVersion}, false, nil
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
// references. What was found in the files is not part of the comparison: another
// packgen may find more in the same bytes.
func Changes(lock *schema.Lock, entries []schema.LockedRef) []schema.LockedRef {
	var list []schema.LockedRef
	for i := range entries {
		if have := Locked(lock, entries[i].Ref); have == nil || !sameEntry(have, &entries[i]) {
			list = append(list, entries[i])
		}
	}
	return list
}

func sameEntry(a, b *schema.LockedRef) bool {
	x, y := *a, *b
	x.Inspection, y.Inspection = nil, nil
	return reflect.DeepEqual(x, y)
}

// toWrite are the changes, and the entries for which a lock does not say yet what
// was found in the files.
func toWrite(lock *schema.Lock, entries []schema.LockedRef) []schema.LockedRef {
	list := Changes(lock, entries)
	for _, e := range entries {
		if have := Locked(lock, e.Ref); have != nil && have.Inspection == nil && e.Inspection != nil && sameEntry(have, &e) {
			list = append(list, e)
		}
	}
	return list
}

// WriteLock puts entries into packgen.lock of a repository: others stay, and
// nothing is written when nothing changes. What was found in the files is written
// where an entry changes or does not say it yet. Several processes may do so at once;
// whatever happens to them, the file is whole. They wait for one another by a file
// in the cache, so that nothing else appears in the repository.
func (c *Cache) WriteLock(ctx context.Context, dir string, entries []schema.LockedRef) (changed bool, err error) {
	return c.rewriteLock(ctx, dir, func(lock *schema.Lock) bool {
		changes := toWrite(lock, entries)
		for _, e := range changes {
			if have := Locked(lock, e.Ref); have != nil {
				*have = e
			} else {
				lock.References = append(lock.References, e)
			}
		}
		return len(changes) > 0
	})
}

// Unlock takes references out of packgen.lock of a repository, as WriteLock puts them in.
func (c *Cache) Unlock(ctx context.Context, dir string, refs []string) (changed bool, err error) {
	return c.rewriteLock(ctx, dir, func(lock *schema.Lock) bool {
		before := len(lock.References)
		lock.References = slices.DeleteFunc(lock.References, func(r schema.LockedRef) bool { return slices.Contains(refs, r.Ref) })
		return len(lock.References) < before
	})
}

// rewriteLock changes the lock of a repository, alone. change returns whether it did.
func (c *Cache) rewriteLock(ctx context.Context, dir string, change func(*schema.Lock) bool) (changed bool, err error) {
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
	if !change(lock) {
		return false, nil
	}
	lock.SchemaVersion = schema.LockVersion
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

// compareVersions says whether a version is older than another (less than 0), the same
// or newer; known is false when that cannot be said. Versions are semantic ones, numbers
// with dots between them, such as 2026.03, or dates, such as 2026-03-31. Any other is
// known to be the same as itself alone.
func compareVersions(a, b string) (order int, known bool) {
	if a == b && a != "" {
		return 0, true
	}
	a, b = strings.TrimPrefix(a, "v"), strings.TrimPrefix(b, "v")
	if semver.IsValid("v"+a) && semver.IsValid("v"+b) {
		return semver.Compare("v"+a, "v"+b), true
	}
	x, y := numbers(a), numbers(b)
	if x == nil || y == nil {
		return 0, false
	}
	for i := range max(len(x), len(y)) {
		if order := cmp.Compare(at(x, i), at(y, i)); order != 0 {
			return order, true
		}
	}
	return 0, true
}

// numbers reads numbers with dots between them, or a date; nil for anything else.
func numbers(version string) []uint64 {
	if _, err := time.Parse(time.DateOnly, version); err == nil {
		version = strings.ReplaceAll(version, "-", ".")
	}
	var list []uint64
	for part := range strings.SplitSeq(version, ".") {
		n, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}
	return list
}

func at(list []uint64, i int) uint64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}
