package matching

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/shard"
)

// Task is a task of an eval, with the entries that it must, and must not, select.
type Task struct {
	Pack    string   `json:"pack"` // "" for one of the repository
	File    string   `json:"file"` // below the pack
	Task    string   `json:"task"`
	Dialect string   `json:"dialect"`
	Must    []Target `json:"must,omitempty"`
	MustNot []Target `json:"mustNot,omitempty"`
	Tokens  int      `json:"tokens,omitempty"` // the most that it may load; 0 is any number
}

// Target is an entry that a task names.
type Target struct {
	ID   string `json:"id"`
	Rank int    `json:"rank,omitempty"` // greatest allowed place, from 1; 0 is any
	At   int    `json:"at"`             // place in the index; -1 when there is no such entry
}

// tasks finds out what the tasks of evals load.
type tasks struct {
	places map[string]int // of the entries that tasks name
	keys   map[string]bool
	lists  map[string][]byte // by key, as an excerpt has them
	all    []Task
}

func (t *tasks) want(all []Task) {
	t.all, t.places = all, map[string]int{}
	t.each(func(target *Target) { t.places[target.ID] = -1 })
}

func (t *tasks) each(visit func(*Target)) {
	for i := range t.all {
		for _, list := range [][]Target{t.all[i].Must, t.all[i].MustNot} {
			for j := range list {
				visit(&list[j])
			}
		}
	}
}

// meet notes where an entry is.
func (t *tasks) meet(id string, place int) {
	if at, ok := t.places[id]; ok && at < 0 {
		t.places[id] = place
	}
}

// cut finds the keys of the lists that the tasks ask for.
func (t *tasks) cut(unicode bool) {
	t.keys, t.lists = map[string]bool{}, map[string][]byte{}
	for i := range t.all {
		for _, key := range loadout.Keys(t.all[i].Task, t.all[i].options(), unicode) {
			t.keys[key] = true
		}
	}
}

func (t *Task) options() loadout.MatchOptions {
	dialect, _ := loadout.NamedDialect(t.Dialect)
	return loadout.MatchOptions{Dialect: dialect}
}

// take keeps the postings of a pack when a task asks for them.
func (t *tasks) take(key string, base int, postings string) {
	if t.keys[key] {
		t.lists[key] = shard.AppendText(loadout.AppendVarint(t.lists[key], base), postings)
	}
}

// run returns the numbers of the tasks that load an entry, by its place.
func (t *tasks) run(all []Task, r root) (map[int][]int, error) {
	loads := map[int][]int{}
	if len(all) == 0 {
		return loads, nil
	}
	data := loadout.AppendExcerpt(nil, r.Entries, r.Lazy, r.Unicode, len(t.lists))
	for key, packs := range t.lists {
		data = shard.AppendText(shard.AppendText(data, key), string(packs))
	}
	t.lists = nil
	x, err := loadout.OpenExcerpt(string(append(data, 0)))
	if err != nil {
		return nil, fmt.Errorf("match the tasks of evals: %w", err)
	}
	for i := range all {
		b, err := x.Detail(all[i].Task, all[i].options())
		if err != nil {
			return nil, fmt.Errorf("match the tasks of evals: %w", err)
		}
		for j := range b.Entries {
			if e := &b.Entries[j]; e.Included && e.Mode != loadout.Eager {
				loads[e.Place()] = append(loads[e.Place()], i)
			}
		}
	}
	return loads, nil
}

// put puts the file of tasks and returns its name; "" when there are none.
func (t *tasks) put(all []Task, put func(shard.File) error) (string, error) {
	if len(all) == 0 {
		return "", nil
	}
	t.all = slices.Clone(all)
	t.each(func(target *Target) { target.At = t.places[target.ID] })
	data, err := json.Marshal(t.all)
	if err != nil {
		return "", fmt.Errorf("write the tasks of evals: %w", err)
	}
	name := shard.Name(data)
	return name, put(shard.File{Path: dir + name + ".bin", Data: data})
}
