package library

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
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/workspace"
)

// published is a place that is checked.
type published struct {
	FS     fs.FS
	Shown  string
	Remote bool // its files cannot be listed
	Jobs   int
	Close  func()
}

// OpenPublished opens a directory, an archive or an address.
func OpenPublished(ctx context.Context, w *workspace.Workspace, name string, st *workspace.Stages) (*published, error) {
	cfg, err := w.LoadConfig()
	if err != nil {
		return nil, err
	}
	if strings.Contains(name, "://") {
		base := strings.TrimSuffix(name, schema.SiteManifestName)
		remote := newRemoteSite(ctx, fetch.New(w.Fetching(cfg.Pull)), base)
		return &published{FS: remote, Shown: fetch.Redact(base), Remote: true, Jobs: remoteJobs, Close: remote.close}, nil
	}
	name = w.Given(name)
	shown := w.Rel(w.Path(name))
	info, err := os.Stat(w.Path(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, diag.Absent("site, pack or archive", name, "name a directory such as public, an archive, or an address")
	case err != nil:
		return nil, fmt.Errorf("verify: %w", err)
	case info.IsDir():
		return openRoot(w.Path(name), shown, func() {})
	}
	temp, err := os.MkdirTemp("", "packgen-verify-*")
	if err != nil {
		return nil, fmt.Errorf("make a place to unpack %s: %w", shown, err)
	}
	clean := func() { _ = os.RemoveAll(temp) } // what is left is the system's to clear
	st.Begin("unpack")
	dir := filepath.Join(temp, "tree")
	if _, err := archive.Extract(ctx, w.Path(name), dir, archive.Options{Limits: cfg.Pull.Archive()}); err != nil {
		clean()
		return nil, explainElsewhere(err)
	}
	return openRoot(onlyFolder(dir), shown, clean)
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
