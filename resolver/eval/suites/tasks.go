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
	"github.com/packgen/packgen/resolver/repo"
)

// DiffTasks returns the tasks of a file, or of all routing goldens of the
// repository.
func DiffTasks(w *repo.Repo, name string) ([]string, error) {
	if name == "" {
		return ownTasks(w)
	}
	data, err := atomicfile.Read(w.Paths.Abs(name), eval.MaxRoutingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("file", name, "name a file with one task per line, or routing goldens")
	}
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		r, faults := eval.ReadRouting(w.Paths.Rel(w.Paths.Abs(name)), data)
		if r == nil {
			return nil, &repo.Faults{List: faults}
		}
		return tasksOf(r), nil
	}
	tasks, err := eval.ReadTasks(data)
	if err != nil {
		return nil, fmt.Errorf("read tasks %s: %w", name, err)
	}
	return tasks, nil
}

// ownTasks returns the tasks of all routing goldens of a repository, each once.
func ownTasks(w *repo.Repo) ([]string, error) {
	own := ownPacks(w)
	defer own.Close()
	goldens, err := readGoldens(w, own)
	var tasks []string
	for _, r := range goldens {
		for _, t := range tasksOf(r) {
			if !slices.Contains(tasks, t) {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks, err
}

func tasksOf(r *eval.Routing) []string {
	tasks := make([]string, len(r.Tasks))
	for i := range r.Tasks {
		tasks[i] = r.Tasks[i].Task
	}
	return tasks
}
