package matching

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/shard"
)

// version is that of the format. A script of another version does not read the index.
const version = 1

// dir is where the files are, below the site root.
const dir = "match/"

// RootPath is where the root is.
const RootPath = dir + "index.json"

// root is match/index.json.
type root struct {
	Version int         `json:"version"`
	Entries int         `json:"entries"`
	Lazy    int         `json:"lazy"` // entries that words decide on
	Unicode bool        `json:"unicode"`
	Packs   []rootPack  `json:"packs"`
	Runs    []rootRun   `json:"runs"`
	Words   shard.Table `json:"words"`
	Paths   shard.Table `json:"paths"`
	Tasks   string      `json:"tasks,omitempty"`  // the name of the file of tasks
	Suites  string      `json:"suites,omitempty"` // and of that of other evals
}

type rootPack struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
}

// rootRun is a file that names files of entries.
type rootRun struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
}

// Options say what an index is made with.
type Options struct {
	Store   store.Store // remembers the lists of packs
	Program string      // what made what is in the store
	Tasks   []Task      // of the routing evals of the packs
	Suites  []Suite     // their other evals
	Put     func(shard.File) error
	Known   func(pack string, keys []store.Digest) // gets the keys by which the store has the lists of a pack; may be nil
}

// Builder makes the files of entries that are given one after another, those of a pack
// together. Make one with [New].
type Builder struct {
	o     Options
	root  root
	files runs
	pack  *packEntries // at hand
	lists []packLists  // of the packs before it
	tasks tasks
}

// packLists are the lists of a pack in the store.
type packLists struct {
	pack int
	blob store.Digest
}

// New returns a builder of an index without entries.
func New(o Options) *Builder {
	o.Put = shard.Once(o.Put)
	b := &Builder{o: o, root: root{Version: version, Packs: []rootPack{}, Runs: []rootRun{}}, files: runs{put: o.Put}}
	b.tasks.want(o.Tasks)
	return b
}

// Add adds an entry, given its JSON.
func (b *Builder) Add(e *loadout.Entry, text []byte) error {
	name := packOf(e)
	if b.pack == nil || b.pack.name != name {
		if err := b.closePack(); err != nil {
			return err
		}
		b.pack = &packEntries{name: name, builder: b}
	}
	b.tasks.meet(e.ID, b.root.Entries)
	b.root.Entries++
	if e.Priority != loadout.PriorityCore && e.Priority != loadout.PriorityManual && e.Fault < loadout.FaultKeywords {
		b.root.Lazy++
	}
	return b.pack.add(e, text)
}

// packOf is the pack that an entry of a site is of.
func packOf(e *loadout.Entry) string {
	rest, _ := strings.CutPrefix(e.Path, "packs/")
	name, _, _ := strings.Cut(rest, "/")
	return name
}

// closePack ends the pack at hand.
func (b *Builder) closePack() error {
	p := b.pack
	if p == nil {
		return nil
	}
	if err := p.closeFile(); err != nil {
		return err
	}
	blob, err := p.lists()
	if err != nil {
		return err
	}
	if b.o.Known != nil {
		b.o.Known(p.name, p.keys)
	}
	b.lists = append(b.lists, packLists{len(b.root.Packs), blob})
	b.root.Packs = append(b.root.Packs, rootPack{p.name, p.entries})
	return nil
}

// End puts the files that are about all entries; the root is the last. The index says
// everything but the entries.
func (b *Builder) End(ix *loadout.Index) error {
	if err := b.closePack(); err != nil {
		return err
	}
	b.root.Unicode = ix.Tokenizer == loadout.Unicode
	var err error
	if b.root.Runs, err = b.files.end(); err != nil {
		return err
	}
	if err := b.merge(); err != nil {
		return err
	}
	if b.root.Tasks, err = b.tasks.put(b.o.Tasks, b.o.Put); err != nil {
		return err
	}
	if b.root.Suites, err = putSuites(b.o.Suites, b.o.Put); err != nil {
		return err
	}
	data, err := json.Marshal(&b.root)
	if err != nil {
		return fmt.Errorf("write the root of the match index: %w", err)
	}
	return b.o.Put(shard.File{Path: RootPath, Data: append(data, '\n'), Text: true})
}

// merge puts the lists of all packs, and says for each path which tasks load it.
func (b *Builder) merge() error {
	lists := make([]*cursor, 0, len(b.lists))
	bases := make([]int, len(b.lists))
	for i, l := range b.lists {
		if i > 0 {
			bases[i] = bases[i-1] + b.root.Packs[i-1].Entries
		}
		blob, ok := b.o.Store.Blob(l.blob)
		if !ok {
			return errGone
		}
		if c := newCursor(l.pack, blob); c.Next() {
			lists = append(lists, c)
		}
	}
	b.tasks.cut(b.root.Unicode)
	words := shard.Cutter{Dir: dir, Put: b.o.Put}
	var paths []located
	var value, packs []byte
	n, last := 0, -1
	err := shard.Merge(lists, func(c *cursor) {
		if strings.HasPrefix(c.key, pathMark) {
			place, _ := cutNumber(c.postings)
			paths = append(paths, located{c.key[len(pathMark):], c.pack, place - 1})
			return
		}
		packs = shard.AppendText(binary.AppendUvarint(packs, uint64(c.pack-last)), c.postings)
		n, last = n+1, c.pack
		b.tasks.take(c.key, bases[c.pack], c.postings)
	}, func(key string) error {
		if n == 0 {
			return nil
		}
		value = append(binary.AppendUvarint(value[:0], uint64(n)), packs...)
		n, last, packs = 0, -1, packs[:0]
		return words.Add(key, value)
	})
	if err != nil {
		return err
	}
	if b.root.Words, err = words.End(); err != nil {
		return err
	}
	return b.putPaths(paths, bases)
}

// pathMark starts the keys by which the entry of a file is found, among the lists of a pack.
const pathMark = "/"

// located is a file of a pack and the number of its entry there.
type located struct {
	path        string
	pack, place int
}

// putPaths puts where the entry of each file is and which tasks load it.
func (b *Builder) putPaths(paths []located, bases []int) error {
	loads, err := b.tasks.run(b.o.Tasks, b.root)
	if err != nil {
		return err
	}
	cut := shard.Cutter{Dir: dir, Put: b.o.Put}
	var value []byte
	for _, p := range paths {
		tasks := loads[bases[p.pack]+p.place]
		value = binary.AppendUvarint(value[:0], uint64(p.pack))
		value = binary.AppendUvarint(value, uint64(p.place))
		value = binary.AppendUvarint(value, uint64(len(tasks)))
		for _, task := range tasks {
			value = binary.AppendUvarint(value, uint64(task))
		}
		if err := cut.Add(p.path, value); err != nil {
			return err
		}
	}
	b.root.Paths, err = cut.End()
	return err
}

// runs makes the files that name files of entries.
type runs struct {
	put  func(shard.File) error
	at   []fileOfEntries
	size int // entries of the run at hand
	list []rootRun
}

// fileOfEntries is the name of a file and how many entries it has, as JSON.
type fileOfEntries [2]any

// leastRun is how many entries a run has at least, except for the last one.
const leastRun = 4096

func (x *runs) add(name string, entries int) error {
	x.at, x.size = append(x.at, fileOfEntries{name, entries}), x.size+entries
	if x.size < leastRun {
		return nil
	}
	return x.close()
}

func (x *runs) close() error {
	data, err := json.Marshal(x.at)
	if err != nil {
		return fmt.Errorf("name files of entries: %w", err)
	}
	name := shard.Name(data)
	x.list = append(x.list, rootRun{name, x.size})
	x.at, x.size = nil, 0
	return x.put(shard.File{Path: dir + name + ".bin", Data: data})
}

func (x *runs) end() ([]rootRun, error) {
	if x.size == 0 {
		return append([]rootRun{}, x.list...), nil
	}
	err := x.close()
	return x.list, err
}

// Sizes of a file of entries. Where one ends depends on the entry, so that one more does
// not move the ends of all that follow.
const (
	leastEntries = 6
	mostEntries  = 24
	mostBytes    = 16 << 10
	oftenEnd     = 8 // one entry in that many ends a file
)

func endsFile(id string) bool {
	sum := sha256.Sum256([]byte(id))
	return sum[0]%oftenEnd == 0
}
