package repo

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
)

// Outputs is the directory below which runs of a pack are written.
func Outputs(w *Repo, used resolver.Activated) string {
	if w.Config.Overlay != "" {
		return filepath.Join(w.Paths.Abs(w.Config.Overlay), used.Name)
	}
	return w.Paths.Abs(used.Dir)
}

// maxRecords is how many records of one second get names of their own.
const maxRecords = 1000

// WriteRecord writes the record of a resolution to a new file in runs/ and
// returns its path. It never replaces a file, and writes nothing in a dry run.
func WriteRecord(paths Paths, dir string, r *resolver.Resolution, now time.Time, dryRun bool) (string, error) {
	if now.IsZero() {
		now = time.Now()
	}
	runs := filepath.Join(dir, "runs")
	if info, err := os.Lstat(runs); err == nil && !info.IsDir() {
		return "", diag.Refuse(diag.WithHint(fmt.Errorf("%s is not a directory: records are not written through a link", paths.Rel(runs)), "move it away"))
	}
	for n := 1; n <= maxRecords; n++ {
		id := resolver.RecordID(now, n)
		record, err := r.Record(id)
		if err != nil {
			return "", err
		}
		data, err := schema.Encode(record)
		if err != nil {
			return "", err
		}
		name := filepath.Join(runs, id+".json")
		if dryRun {
			if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				return name, nil
			}
			continue
		}
		if err := atomicfile.WriteBelow(dir, "runs/"+id+".json", data, true); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", errors.New("there are too many records of this second")
}

// Remarks are the warnings of a resolution with paths that a person can open.
// The same warning about several packs is one warning with all of their paths.
func Remarks(r *resolver.Resolution) []resolver.Warning {
	if len(r.Activated) == 0 { // about the repository, not about a file
		list := slices.Concat(r.Warnings, r.CompileWarnings)
		for i := range list {
			list[i].Path = ""
		}
		return list
	}
	var list []resolver.Warning
	add := func(a *resolver.Activated, of []resolver.Warning) {
		for _, w := range of {
			same := -1
			if w.Path == pack.EntryName {
				same = slices.IndexFunc(list, func(o resolver.Warning) bool { return o.Severity == w.Severity && o.Message == w.Message })
			}
			w.Path = path.Join(a.Dir, w.Path)
			if same >= 0 {
				list[same].Path += ", " + w.Path
				continue
			}
			list = append(list, w)
		}
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].Warnings)
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].CompileWarnings)
	}
	return list
}
