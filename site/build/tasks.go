package build

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/matching"
)

// maxTasks is how many tasks of evals the match page knows.
const maxTasks = 1000

// tasks are those of the routing evals, of the packs that the site shows and of the
// repository. A file with a fault has none: check and eval report it.
func (b *Run) tasks() ([]matching.Task, error) {
	var list []matching.Task
	add := func(pack string, data []byte) {
		if r, _ := eval.ReadRouting(eval.RoutingPath, data); r != nil {
			list = appendTasks(list, pack, r, r.Dialect(loadout.Coverage))
		}
	}
	for _, m := range b.out.shown {
		if !m.Pack.Has(eval.RoutingPath) {
			continue
		}
		data, err := b.readEvals(m, eval.RoutingPath)
		if err != nil {
			return nil, err
		}
		if data != nil && len(lint.Scan(eval.RoutingPath, data).Secrets) == 0 {
			add(m.Name(), data)
		}
	}
	data, err := b.ownTasks()
	if err == nil && data != nil && len(lint.Scan(eval.RoutingPath, data).Secrets) == 0 {
		add("", data)
	}
	return list[:min(len(list), maxTasks)], err
}

// ownTasks are the routing evals of the repository; nil when it has none.
func (b *Run) ownTasks() ([]byte, error) {
	data, err := atomicfile.Read(b.ws.Path(eval.RoutingPath), eval.MaxRoutingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", eval.RoutingPath, err)
	}
	return data, nil
}

func appendTasks(list []matching.Task, pack string, r *eval.Routing, dialect loadout.Dialect) []matching.Task {
	for _, t := range r.Tasks {
		task := matching.Task{Pack: pack, File: eval.RoutingPath, Task: t.Task, Dialect: dialect.String(), Tokens: t.Tokens}
		for _, e := range t.Must {
			task.Must = append(task.Must, matching.Target{ID: e.ID, Rank: e.Rank})
		}
		for _, id := range t.MustNot {
			task.MustNot = append(task.MustNot, matching.Target{ID: id})
		}
		list = append(list, task)
	}
	return list
}
