package publish

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/packgen/packgen/compiler/regularfile"
)

// lockRetry is how often a held lock is tried again while waiting.
const lockRetry = 25 * time.Millisecond

// state is the directory with lock, pending manifest and stage of one target.
type state struct {
	layer    fileLayer
	dir      string
	target   *diskTree
	existing string // nearest existing directory of the target when the run began
	lock     *regularfile.FileLock

	once     sync.Once
	stageErr error
	inTarget bool

	mu   sync.Mutex
	made map[string]bool // directories of the staged trees
}

// stateDir names the state directory of a target. The name depends on where the
// target lies as seen from the state directory, so that a tree that was moved as
// a whole still finds what is pending.
func stateDir(o Options, targetDir string) (string, error) {
	if o.StateDir == "" {
		return filepath.Join(filepath.Dir(targetDir), "."+filepath.Base(targetDir)+".publish"), nil
	}
	base, err := filepath.Abs(o.StateDir)
	if err != nil {
		return "", err
	}
	// It may not be there yet, and must have the same name when it is.
	if real, _, err := resolveTarget(base); err == nil {
		base = real
	}
	key := targetDir
	if rel, err := filepath.Rel(base, targetDir); err == nil {
		key = filepath.ToSlash(rel)
	}
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(base, fmt.Sprintf("publish-%x", sum[:8])), nil
}

// openState makes the state directory and takes the lock.
func openState(ctx context.Context, s *state, o Options) error {
	if o.StateDir != "" {
		if err := makeStateDir(s.layer, o.StateDir); err != nil {
			return err
		}
	}
	if info, err := os.Lstat(s.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory", s.dir)
	}
	if err := s.layer.MkdirAll(s.dir); err != nil {
		return err
	}
	s.lock = regularfile.Lock(filepath.Join(s.dir, "lock"))
	ok, err := s.lock.TryLock()
	if err == nil && !ok && o.Wait > 0 {
		waiting, cancel := context.WithTimeout(ctx, o.Wait)
		defer cancel()
		ok, err = s.lock.TryLockContext(waiting, lockRetry)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			err = nil
		}
	}
	if err != nil {
		return lockFault(s.lock.Path(), err)
	}
	if !ok {
		return fmt.Errorf("%w%s", ErrLocked, holder(s.lock.Path()))
	}
	// A waiting run reports which one it waits for. The number is for people: the lock is what the
	// system holds for this process, and is gone with it.
	if f, _, err := regularfile.OpenFile(s.lock.Path(), os.O_WRONLY|os.O_TRUNC, 0); err == nil {
		_, _ = fmt.Fprintln(f, os.Getpid())
		_ = f.Close()
	}
	return nil
}

// ErrNoLocks says that the file system of the state directory keeps no locks, so that
// another run at the same time would go unnoticed.
var ErrNoLocks = errors.New("the file system keeps no locks, so another run could write at the same time")

// lockFault says why a lock cannot be taken.
func lockFault(path string, err error) error {
	for _, missing := range []error{syscall.ENOLCK, syscall.ENOSYS, errors.ErrUnsupported} {
		if errors.Is(err, missing) {
			return fmt.Errorf("lock %s: %w (%w)", path, ErrNoLocks, err)
		}
	}
	return fmt.Errorf("lock %s: %w", path, err)
}

// holder names the process that holds a lock, where the file can be read.
func holder(lock string) string {
	f, _, err := regularfile.Open(lock)
	if err != nil {
		return ""
	}
	defer f.Close()
	var pid int
	if _, err := fmt.Fscan(io.LimitReader(f, 20), &pid); err != nil || pid <= 0 {
		return ""
	}
	return fmt.Sprintf(" (process %d)", pid)
}

// makeStateDir creates the shared state directory with a .gitignore, so that a
// repository which never heard of it stays clean.
func makeStateDir(layer fileLayer, dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := layer.MkdirAll(dir); err != nil {
		return err
	}
	err := layer.Write(filepath.Join(dir, ".gitignore"), []byte("*\n"))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (s *state) unlock() {
	if s.lock != nil {
		_ = s.lock.Unlock()
	}
}

// stagePath is where staged files are.
func (s *state) stagePath(inTarget bool) string {
	if inTarget {
		return filepath.Join(s.target.dir, stageInTarget)
	}
	return filepath.Join(s.dir, "stage")
}

// openStage makes the stage, on the file system of the target: a rename moves
// no bytes and cannot stop half-way.
func (s *state) openStage() error {
	s.once.Do(func() {
		if s.stageErr = s.layer.MkdirAll(s.stagePath(false)); s.stageErr != nil {
			return
		}
		err := s.probe()
		if errors.Is(err, syscall.EXDEV) {
			s.inTarget = true
			err = s.layer.MkdirAll(s.stagePath(true))
		}
		s.stageErr = err
	})
	return s.stageErr
}

// probe finds out whether a rename leads from the stage into the target, with an
// empty directory.
func (s *state) probe() error {
	from := filepath.Join(s.stagePath(false), "probe")
	to := s.probePath()
	if err := s.layer.MkdirAll(from); err != nil {
		return err
	}
	if err := s.layer.Rename(from, to); err != nil {
		return err
	}
	return s.layer.Remove(to)
}

// probePath is where a probe is renamed to. In a directory above the target others
// may probe at the same time for theirs.
func (s *state) probePath() string {
	if s.existing == s.target.dir {
		return filepath.Join(s.existing, probeName)
	}
	sum := sha256.Sum256([]byte(s.target.dir))
	return filepath.Join(s.existing, fmt.Sprintf("%s-%x", probeName, sum[:8]))
}

// clean drops what a run has staged. What is pending stays.
func (s *state) clean() error {
	left, err := filepath.Glob(s.pendingPath() + ".new*")
	if err != nil {
		return err
	}
	for _, name := range append(left, s.probePath()) {
		if err := s.layer.Remove(name); err != nil {
			return err
		}
	}
	for _, inTarget := range []bool{false, true} {
		dir := s.stagePath(inTarget)
		if _, err := os.Lstat(dir); err != nil {
			continue
		}
		if err := s.layer.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// sync makes everything staged durable.
func (s *state) sync(list files) error {
	n := 0
	for range s.eachStaged(list) {
		n++
	}
	if n == 0 {
		return nil
	}
	return cmp.Or(s.layer.Sync(s.stagePath(s.inTarget), n, s.eachStaged(list)), list.of.err)
}

// fileLayer is every change that this package makes to a disk. Tests put a
// layer in its place that fails at a chosen operation, as a full disk or a kill
// would.
type fileLayer interface {
	MkdirAll(dir string) error
	Write(path string, data []byte) error       // a new file; fails when the path exists
	Create(path string) (io.WriteCloser, error) // Write in pieces
	Rename(from, to string) error
	Remove(path string) error // file or empty directory; an absent path is not an error
	RemoveAll(dir string) error
	Sync(dir string, n int, files iter.Seq[string]) error // flushes n files that are in or below dir, and dir
	Writable(dir string) error                            // could files be created in dir?
}

// osLayer is the disk itself. Modes are the usual ones, the umask applies.
type osLayer struct{}

var _ fileLayer = osLayer{}

func (osLayer) MkdirAll(dir string) error    { return regularfile.MkdirAll(dir, 0o777) }
func (osLayer) Rename(from, to string) error { return regularfile.Rename(from, to) }
func (osLayer) RemoveAll(dir string) error   { return regularfile.RemoveAll(dir) }
func (osLayer) Writable(dir string) error    { return writable(dir) }

func (osLayer) Write(path string, data []byte) error { return writeFile(path, data) }

func (osLayer) Create(path string) (io.WriteCloser, error) {
	return regularfile.Create(path, 0o666)
}

func (osLayer) Remove(path string) error {
	if err := regularfile.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// syncEach is the number of files up to which syncing one by one is cheaper than
// syncing the file system they are on.
const syncEach = 16

func (osLayer) Sync(dir string, n int, files iter.Seq[string]) error {
	if n > syncEach {
		if done, err := syncFileSystem(dir); done {
			return err
		}
	}
	dirs := map[string]bool{dir: true}
	for name := range files {
		if err := syncFile(name); err != nil {
			return err
		}
		for at := filepath.Dir(name); len(at) > len(dir); at = filepath.Dir(at) {
			dirs[at] = true
		}
	}
	for at := range dirs {
		regularfile.SyncDir(at)
	}
	return nil
}

// SyncTree brings a directory and all files below it to the disk, so that it can take its
// name in one step that no power cut leaves half done.
func SyncTree(dir string) error {
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	return osLayer{}.Sync(dir, len(files), slices.Values(files))
}

// stageAge is how old a stage beside its target is before it counts as abandoned: no
// run takes that long.
const stageAge = time.Hour

// SweepStages removes the directories with a prefix in their name, made by
// [os.MkdirTemp], in which runs that were killed staged what they wrote. What cannot be
// removed stays: it does no harm.
func SweepStages(dir, prefix string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || !e.IsDir() || number == "" || strings.Trim(number, "0123456789") != "" {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > stageAge {
			_ = regularfile.RemoveAll(filepath.Join(dir, e.Name()))
		}
	}
}

func syncFile(path string) error {
	f, _, err := regularfile.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
