package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// maxChangedTasks is how many tasks a summary names: a pull request is read by people.
const maxChangedTasks = 20

// RoutingFigures sum up what goldens came to.
type RoutingFigures struct {
	Tasks, Met      int // tasks, and those without a miss
	Expected, Found int // entries of must, and those of them that are selected, at any place
	Tokens          int // what the plans of all tasks load
}

// routingChange is what goldens come to with one index and with another.
type routingChange struct {
	Before, After RoutingFigures
	Tasks         []TaskDiff // those whose selection or tokens changed
}

// Add runs a file of goldens against both indexes. dialect holds where the file names no
// matcher.
func (c *routingChange) Add(r *Routing, before, after *loadout.Index, dialect loadout.Dialect) error {
	was, err := Route(r, before, dialect)
	if err != nil {
		return err
	}
	is, err := Route(r, after, dialect)
	if err != nil {
		return err
	}
	c.Before.add(was)
	c.After.add(is)
	for i := range was {
		if t := compareTask(r.Tasks[i].Task, was[i].Selected, is[i].Selected); t.changed() {
			c.Tasks = append(c.Tasks, t)
		}
	}
	return nil
}

func (f *RoutingFigures) add(results []TaskResult) {
	for i := range results {
		r := &results[i]
		f.Tasks++
		f.Tokens += r.Tokens
		if len(r.Misses) == 0 {
			f.Met++
		}
		f.Expected += len(r.Task.Must)
		f.Found += len(r.Task.Must)
		absent := map[string]bool{} // misses of must, of which several may be about one entry
		for _, m := range r.Misses {
			absent[m.ID] = absent[m.ID] || m.Kind == NotSelected || m.Kind == NoEntry
		}
		for _, want := range r.Task.Must {
			if absent[want.ID] {
				f.Found--
			}
		}
	}
}

// recall is the share of expected entries that are selected, as printed.
func (f *RoutingFigures) recall() string {
	if f.Expected == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(f.Found)/float64(f.Expected))
}

// Markdown is the change for a pull request: the figures, and the tasks that now select
// something else. No text of a file is read as markup.
func (c *routingChange) Markdown() string {
	var b strings.Builder
	b.WriteString("| Routing | Before | After |\n| --- | ---: | ---: |\n")
	fmt.Fprintf(&b, "| Tasks met, of %s | %s | %s |\n", amount.Grouped(c.After.Tasks), amount.Grouped(c.Before.Met), amount.Grouped(c.After.Met))
	fmt.Fprintf(&b, "| Recall | %s | %s |\n", c.Before.recall(), c.After.recall())
	fmt.Fprintf(&b, "| Tokens | %s | %s |\n", amount.Grouped(c.Before.Tokens), amount.Grouped(c.After.Tokens))
	if len(c.Tasks) == 0 {
		b.WriteString("\nEvery task selects what it did.\n")
		return b.String()
	}
	b.WriteString("\n| Task | Selects now | No longer | Tokens |\n| --- | --- | --- | ---: |\n")
	for i := range min(len(c.Tasks), maxChangedTasks) {
		t := &c.Tasks[i]
		gained := cellsOf(t.Gained)
		for _, m := range t.Moved {
			gained = append(gained, fmt.Sprintf("%s in place %d, not %d", diag.Cell(m.ID), m.After, m.Before))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s → %s |\n", diag.Cell(secret.Redact(t.Task)), strings.Join(gained, "<br>"), strings.Join(cellsOf(t.Lost), "<br>"),
			amount.Grouped(t.Tokens[0]), amount.Grouped(t.Tokens[1]))
	}
	if more := len(c.Tasks) - maxChangedTasks; more > 0 {
		fmt.Fprintf(&b, "\n%s changed as well.\n", amount.Counted(more, "further task"))
	}
	return b.String()
}

func cellsOf(ids []string) []string {
	cells := make([]string, 0, min(len(ids), maxChangedTasks))
	for _, id := range ids[:min(len(ids), maxChangedTasks)] {
		cells = append(cells, diag.Cell(id))
	}
	if more := len(ids) - maxChangedTasks; more > 0 {
		cells = append(cells, fmt.Sprintf("%s more", amount.Grouped(more)))
	}
	return cells
}

// LockedRouting runs the routing goldens of a repository against its own packs with the
// locked ones, as they were and as they are, and returns the change as Markdown; "" where
// there are no goldens or nothing changed. layers gives the indexes of the locked packs.
// What fails is said in the text: the lock is good without it.
func LockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) string {
	change, err := lockedRouting(ctx, w, layers)
	switch {
	case err != nil:
		return fmt.Sprintf("\nRouting is not compared: %s. Where the cache lacks a pack, run packgen pull before packgen lock update.\n", diag.Cell(err.Error()))
	case change == nil:
		return ""
	}
	return "\n" + change.Markdown()
}

func lockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) (*routingChange, error) {
	own := openOwn(w)
	defer own.Close()
	goldens, err := readGoldens(w, own)
	if err != nil || len(goldens) == 0 {
		return nil, err
	}
	before, after, err := layers()
	if err != nil || len(before)+len(after) == 0 {
		return nil, err
	}
	run := &Run{Options: Options{At: time.Unix(0, 0)}, ws: w} // nothing is written, and no entry holds the time
	ix, err := run.prepare(ctx, own)
	if err != nil {
		return nil, err
	}
	repository := loadout.Layer{Name: "packs", Index: ix} // its entries win over those of packs from elsewhere
	was, err := mergedIndex(append(before, repository))
	if err != nil {
		return nil, err
	}
	is, err := mergedIndex(append(after, repository))
	if err != nil {
		return nil, err
	}
	dialect, _ := loadout.NamedDialect(w.Config.Matcher) // the configuration was checked
	change := &routingChange{}
	for _, g := range goldens {
		if err := change.Add(g, was, is, dialect); err != nil {
			return nil, err
		}
	}
	return change, nil
}

// openOwn opens the packs of a repository. One that only uses packs has none.
func openOwn(w *repo.Repo) *repo.Packs {
	own, err := w.Open()
	if err != nil {
		return &repo.Packs{}
	}
	return own
}

// readGoldens reads all routing goldens of a repository: at its root, and in each pack.
func readGoldens(w *repo.Repo, own *repo.Packs) ([]*Routing, error) {
	files := []string{w.Paths.Abs(RoutingPath)}
	for _, m := range own.Members {
		files = append(files, filepath.Join(w.Paths.Abs(m.Dir), filepath.FromSlash(RoutingPath)))
	}
	var list []*Routing
	for _, file := range files {
		data, err := atomicfile.Read(file, MaxRoutingBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read routing goldens %s: %w", w.Paths.Rel(file), err)
		}
		r, faults := ReadRouting(w.Paths.Rel(file), data)
		if r == nil {
			return nil, &repo.Faults{List: faults}
		}
		list = append(list, r)
	}
	return list, nil
}

// mergedIndex lays indexes over each other, weakest first.
func mergedIndex(list []loadout.Layer) (*loadout.Index, error) {
	merged, err := loadout.Merge(list, loadout.MergeOptions{})
	if err != nil {
		return nil, fmt.Errorf("merge the indexes: %w", err)
	}
	for _, l := range list {
		if l.Index.Tokenizer == loadout.Unicode {
			merged.SetTokenizer(loadout.Unicode)
		}
	}
	return &merged.Index, nil
}
