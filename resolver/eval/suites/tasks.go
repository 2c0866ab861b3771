package suites

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/workspace"
)

// DiffTasks returns the tasks of a file, or of all routing goldens of the
// repository.
func DiffTasks(w *workspace.Workspace, name string, cfg workspace.Config) ([]string, error) {
	if name != "" {
		data, err := atomicfile.Read(w.Paths.Abs(name), eval.MaxRoutingBytes)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, diag.Absent("file", name, "name a file with one task per line, or routing goldens")
		}
		if err != nil {
			return nil, fmt.Errorf("read tasks: %w", err)
		}
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			return goldenTasks(w.Paths.Rel(w.Paths.Abs(name)), data)
		}
		tasks, err := eval.ReadTasks(data)
		if err != nil {
			return nil, fmt.Errorf("read tasks %s: %w", name, err)
		}
		return tasks, nil
	}
	var own *workspace.Repository
	if r, err := w.Open(cfg.Packs); err == nil {
		own = r
		defer r.Close()
	}
	var tasks []string
	for _, file := range goldenFiles(w, own) {
		data, err := atomicfile.Read(file, eval.MaxRoutingBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read tasks: %w", err)
		}
		more, err := goldenTasks(w.Paths.Rel(file), data)
		if err != nil {
			return nil, err
		}
		for _, t := range more {
			if !slices.Contains(tasks, t) {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks, nil
}

// goldenFiles are where routing goldens may be: at the root, and in each pack of a
// repository, which may be nil.
func goldenFiles(w *workspace.Workspace, own *workspace.Repository) []string {
	files := []string{w.Paths.Abs(eval.RoutingPath)}
	if own != nil {
		for _, m := range own.Members {
			files = append(files, filepath.Join(w.Paths.Abs(m.Dir), filepath.FromSlash(eval.RoutingPath)))
		}
	}
	return files
}

// goldenTasks returns the tasks of a file of routing goldens.
func goldenTasks(name string, data []byte) ([]string, error) {
	r, faults := eval.ReadRouting(name, data)
	if r == nil {
		return nil, &workspace.Faults{List: faults}
	}
	tasks := make([]string, len(r.Tasks))
	for i := range r.Tasks {
		tasks[i] = r.Tasks[i].Task
	}
	return tasks, nil
}
