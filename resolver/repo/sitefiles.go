package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/packgen/packgen/compiler/diag"
)

// customFiles shows the stylesheet and the script that a configuration names
// under the names the bundler looks for. What they import is found beside them.
type customFiles struct {
	root    fs.FS
	entries map[string]string // site.css and site.ts: where they are below root
}

// CustomFiles returns the site's own files; nil when it has none.
func CustomFiles(w *Repo) (fs.FS, error) {
	below, err := checkoutOf(w)
	if err != nil {
		return nil, err
	}
	files := customFiles{root: below, entries: map[string]string{}}
	for name, given := range map[string]string{"site.css": w.Config.Site.CSS, "site.ts": w.Config.Site.TS} {
		if given == "" {
			continue
		}
		given = path.Clean(filepath.ToSlash(given))
		if _, err := fs.Stat(files.root, given); diag.HintOf(err) != "" {
			return nil, fmt.Errorf("%s: %w", name, err)
		} else if err != nil {
			return nil, diag.WithHint(err, "correct site.css and site.ts in %s, which name files in the repository", ConfigName)
		}
		files.entries[name] = given
	}
	if len(files.entries) == 0 {
		return nil, nil
	}
	return files, nil
}

// Open implements fs.FS.
func (f customFiles) Open(name string) (fs.File, error) {
	if given, ok := f.entries[name]; ok {
		return f.root.Open(given)
	}
	if name == "site.css" || name == "site.ts" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	err := error(&fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	for _, entry := range []string{"site.css", "site.ts"} {
		if given, ok := f.entries[entry]; ok {
			file, other := f.root.Open(path.Join(path.Dir(given), name))
			if other == nil {
				return file, nil
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = other
			}
		}
	}
	return nil, err
}
