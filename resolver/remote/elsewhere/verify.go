package elsewhere

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/remote"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/repo"
)

// published is a place that is checked.
type published struct {
	FS     fs.FS
	Shown  string
	Remote bool // its files cannot be listed
	Jobs   int
	Signed []Signed // who signed it, where that is known already
	Close  func()
}

// OpenPublished opens a directory, an archive, an address, or a pack that a reference leads
// to.
func OpenPublished(ctx context.Context, w *repo.Repo, name string, st *repo.Stages) (*published, error) {
	if e, t, ok, err := fetched(w, name); ok || err != nil {
		if err != nil {
			return nil, err
		}
		st.Begin("fetch")
		a, err := e.get(ctx, t, false)
		if err != nil {
			e.Close()
			return nil, err
		}
		p := &published{FS: a.FS, Shown: t.Ref.Text, Close: e.Close, Signed: []Signed{}}
		if a.Entry.Signature != nil {
			p.Signed = append(p.Signed, Signed{a.Name, *a.Entry.Signature})
		}
		return p, nil
	}
	if strings.Contains(name, "://") {
		base := strings.TrimSuffix(name, schema.SiteManifestName)
		remote := newRemoteSite(ctx, fetch.New(fetchOptions(w)), base)
		return &published{FS: remote, Shown: fetch.Redact(base), Remote: true, Jobs: remoteJobs, Close: remote.close}, nil
	}
	name = w.Paths.Given(name)
	shown := w.Paths.Rel(w.Paths.Abs(name))
	info, err := os.Stat(w.Paths.Abs(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Absent("site, pack or archive", name, "name a directory such as public, an archive, or an address")
	case err != nil:
		return nil, fmt.Errorf("verify: %w", err)
	case info.IsDir():
		return openRoot(w.Paths.Abs(name), shown, func() {})
	}
	temp, err := scratch.NewDir("verify")
	if err != nil {
		return nil, fmt.Errorf("make a place to unpack %s: %w", shown, err)
	}
	clean := func() { _ = temp.Remove() } // what is left is the system's to clear
	st.Begin("unpack")
	dir := filepath.Join(temp.Path, "tree")
	if _, err := archive.Extract(ctx, w.Paths.Abs(name), dir, archive.Options{Limits: w.Config.Pull.Archive()}); err != nil {
		clean()
		return nil, explainElsewhere(err)
	}
	return openRoot(onlyFolder(dir), shown, clean)
}

// fetched is the target of a reference that is not a site and not on disk: a pack in a
// registry, in what a job of CI kept, an archive at an address, or the name of a locked
// pack.
func fetched(w *repo.Repo, name string) (e *Places, t target, ok bool, err error) {
	if !strings.Contains(name, "://") {
		if _, err := os.Lstat(w.Paths.Abs(w.Paths.Given(name))); !errors.Is(err, fs.ErrNotExist) {
			return nil, target{}, false, nil
		}
	}
	if e, err = New(w, false); err != nil {
		return nil, target{}, false, err
	}
	if t, err = e.target(name); err == nil && (t.locked != nil || !t.Ref.IsLocal()) && t.Ref.Kind != remote.Site {
		return e, t, true, nil
	}
	e.Close()
	return nil, target{}, false, nil // opening it as a directory or an address says what is wrong
}

// openRoot opens a directory so that no link leads out of it.
func openRoot(dir, shown string, done func()) (*published, error) {
	root, err := regularfile.Root(dir)
	if err != nil {
		done()
		return nil, fmt.Errorf("verify: %w", err)
	}
	return &published{FS: regularfile.FS(root), Shown: shown, Close: func() {
		root.Close() // only read: an error of Close loses nothing
		done()
	}}, nil
}

// onlyFolder goes down into the one folder that an archive keeps all in, when it
// does.
func onlyFolder(dir string) string {
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) == 1 && entries[0].IsDir() {
		return filepath.Join(dir, entries[0].Name())
	}
	return dir
}
