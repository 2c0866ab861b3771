package matching

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/shard"
)

// errGone is what the store has forgotten while it was needed.
var errGone = errors.New("what the match page knows of a pack is no longer in the store: build again")

// packEntries is a pack whose entries are being added.
type packEntries struct {
	builder *Builder
	name    string
	entries int

	id   string // of the last entry
	at   []loadout.Entry
	data []byte
	made []entryFile
	keys []store.Digest // of the lists of these files, where somebody asks for them
}

// entryFile is a file of entries. Its lists are made of the entries when the store does
// not have them.
type entryFile struct {
	name    string
	entries int
	lists   store.Digest
}

func (p *packEntries) add(e *loadout.Entry, text []byte) error {
	full := len(p.at) >= mostEntries || len(p.data)+len(text) > mostBytes || len(p.at) >= leastEntries && endsFile(p.id)
	if full && len(p.at) > 0 {
		if err := p.closeFile(); err != nil {
			return err
		}
	}
	p.id = e.ID
	p.at = append(p.at, *e)
	p.data = shard.AppendText(p.data, string(text))
	p.entries++
	return nil
}

// closeFile puts the file at hand, and makes sure of its lists.
func (p *packEntries) closeFile() error {
	if len(p.at) == 0 {
		return nil
	}
	b := p.builder
	f := entryFile{name: shard.Name(p.data), entries: len(p.at)}
	err := b.o.Put(shard.File{Path: dir + f.name + ".bin", Data: p.data})
	err = cmp.Or(err, b.files.add(f.name, f.entries))
	if err != nil {
		return err
	}
	s, key := b.o.Store, store.Key("match entries", b.o.Program, string(p.at[0].Tokenizer()), f.name)
	if found, ok := s.Action(key); ok && len(found) == 1 && s.Has(found[0]) {
		f.lists = found[0]
	} else {
		f.lists = s.SetBlob(listsOf(p.at))
		s.SetAction(key, store.Result{f.lists})
	}
	if b.o.Known != nil {
		p.keys = append(p.keys, key)
	}
	p.made = append(p.made, f)
	p.at, p.data = p.at[:0], nil
	return nil
}

// listsOf are the lists of a few entries, by key.
func listsOf(entries []loadout.Entry) []byte {
	all := lists{}
	for i := range entries {
		loadout.Post(&entries[i], func(key string, posting []byte) { all.add(key, i, posting) })
		all.add(pathMark+pathOf(&entries[i]), i, nil)
	}
	return all.write()
}

// pathOf is how the page of an entry asks for it: its path below packs/, of a split without
// the folder of all splits.
func pathOf(e *loadout.Entry) string {
	path := strings.TrimPrefix(e.Path, "packs/")
	return strings.TrimSuffix(strings.Replace(path, "/compiled/splits/", "/", 1), ".md")
}

// lists are postings by key while they are collected.
type lists map[string]*list

type list struct {
	last     int // entry
	postings []byte
}

func (l lists) of(key string) *list {
	at := l[key]
	if at == nil {
		at = &list{last: -1}
		l[key] = at
	}
	return at
}

func (l lists) add(key string, entry int, posting []byte) {
	at := l.of(key)
	at.postings = append(loadout.AppendVarint(at.postings, entry-at.last), posting...)
	at.last = entry
}

// write writes the lists in the order of their keys. Of each the last entry is in front,
// so that the lists of the entries after these can be put behind them as they are.
func (l lists) write() []byte {
	w := store.NewWriter(1 << 12)
	w.Uint(len(l))
	for _, key := range slices.Sorted(maps.Keys(l)) {
		w.Str(key)
		w.Uint(l[key].last)
		w.Uint(len(l[key].postings))
		w.Raw(l[key].postings)
	}
	return w.Bytes()
}

// lists returns where the lists of the pack are in the store.
func (p *packEntries) lists() (store.Digest, error) {
	s := p.builder.o.Store
	parts := []string{"match pack", p.builder.o.Program}
	for _, f := range p.made {
		parts = append(parts, f.lists.String())
	}
	key := store.Key(parts...)
	if found, ok := s.Action(key); ok && len(found) == 1 && s.Has(found[0]) {
		return found[0], nil
	}
	all, base := lists{}, 0
	for _, f := range p.made {
		blob, ok := s.Blob(f.lists)
		if !ok {
			return store.Digest{}, errGone
		}
		c := newCursor(0, blob)
		for c.Next() {
			at := all.of(c.key)
			gap, rest := cutNumber(c.postings)
			at.postings = append(loadout.AppendVarint(at.postings, gap+base-1-at.last), rest...)
			at.last = base + c.last
		}
		base += f.entries
	}
	blob := s.SetBlob(all.write())
	s.SetAction(key, store.Result{blob})
	return blob, nil
}

// cutNumber reads the number at the start of postings, which were written here.
func cutNumber(s string) (n int, rest string) {
	for i := range len(s) {
		n |= int(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:]
		}
	}
	return n, ""
}

// cursor is at a list of a pack.
type cursor struct {
	pack     int
	key      string
	last     int
	postings string
	r        *store.Reader
	left     int
}

// leastList is the least size of a list in what write writes, in bytes.
const leastList = 4

func newCursor(pack int, blob []byte) *cursor {
	r := store.ReadBytes(blob)
	return &cursor{pack: pack, r: r, left: r.CountOf(leastList)}
}

// Key implements [shard.Cursor].
func (c *cursor) Key() string { return c.key }

// Next implements [shard.Cursor].
func (c *cursor) Next() bool {
	if c.left == 0 {
		return false
	}
	c.left--
	c.key, c.last, c.postings = c.r.Str(), c.r.Uint(), c.r.Str()
	return c.postings != ""
}

// Suite is what the evals of a pack ask besides routing: which prompts select the pack,
// and which sections a query selects.
type Suite struct {
	Pack     string              `json:"pack"`
	Words    []string            `json:"words,omitempty"`    // of its name, type and description
	Declared map[string][]string `json:"declared,omitempty"` // keywords, by the id of the entry
	Prompts  []Prompt            `json:"prompts,omitempty"`
	Budget   int                 `json:"budget,omitempty"` // of queries that have none; 0 is that of resolve
	Queries  []Query             `json:"queries,omitempty"`
}

// Prompt is a case of a discovery eval.
type Prompt struct {
	Prompt string `json:"prompt"`
	Select bool   `json:"select,omitempty"` // the pack must be selected; otherwise it must not
	Never  bool   `json:"never,omitempty"`  // it expects a warning that the pack does not raise
}

// Query is a case of a context eval.
type Query struct {
	Query        string   `json:"query"`
	Also         []string `json:"also,omitempty"`
	Budget       int      `json:"budget,omitempty"`
	Unanswerable bool     `json:"unanswerable,omitempty"`
	Required     []string `json:"required,omitempty"`
	Forbidden    []string `json:"forbidden,omitempty"`
}

// putSuites puts the file of suites and returns its name; "" when there are none.
func putSuites(list []Suite, put func(shard.File) error) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	data, err := json.Marshal(list)
	if err != nil {
		return "", fmt.Errorf("write the suites of evals: %w", err)
	}
	name := shard.Name(data)
	return name, put(shard.File{Path: dir + name + ".bin", Data: data})
}

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
