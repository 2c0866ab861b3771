package layers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// The layers, weakest first.
const (
	Global  = "global"
	Org     = "org"
	Project = "project"
	Session = "session"
)

// The layers of packs, between those of the organisation and of the project.
const (
	Locked = "locked packs"
	Packs  = "packs"
)

// The environment variables that name layers (loadout section 26).
const (
	OrgVariable     = "AI_LOADOUT_ORG"
	SessionVariable = "AI_LOADOUT_SESSION"
)

// Options says where to look. The zero value looks where the originals do: in
// the home directory, the working directory and the environment.
type Options struct {
	GlobalDir   *string // directory of the global index; nil: .ai-loadout in the home directory
	OrgPath     *string // file; nil: the environment decides; empty: no such layer
	ProjectRoot *string // directory; nil or empty: the working directory
	SessionPath *string // file; nil: the environment decides; empty: no such layer

	Home   string              // empty: the user's home directory
	Dir    string              // the working directory, absolute; empty: the process's
	Getenv func(string) string // nil: os.Getenv
	// From are layers from elsewhere, the weakest of all.
	From []loadout.Layer
	// Locked is the layer of the packs that a repository has locked, and PacksIndex the
	// index that is built of its own; nil and "" for none.
	Locked     *loadout.Layer
	PacksIndex string
	// Need says which entries an answer is about: of a large layer only those are read, when
	// it has a prebuilt form. nil reads all of them.
	Need *loadout.Need
	// Compat reproduces the originals: a global directory is not made absolute,
	// and any JSON counts as a layer.
	Compat bool
}

// Stack is what was found.
type Stack struct {
	Layers   []loadout.Layer // those that loaded, weakest first
	Searched []Searched      // every candidate, in stack order
	Faults   []Fault
}

// Searched is one place that was looked at.
type Searched struct {
	Name  string
	Path  string
	Found bool
	// Malformed says that something exists which cannot be used, and Problem
	// why.
	Malformed bool
	Problem   string
	// Err is the error that Problem describes; nil when there is none. A text that
	// is not JSON is an *indexjson.SyntaxError.
	Err error
}

// Fault is an entry of a layer whose shape is wrong.
type Fault struct {
	Layer    string
	Path     string
	Position int // in the layer, from 0
	ID       string
	Problem  string
}

// Discover finds and reads the layers. It returns an error only when it cannot
// find the home or the working directory.
func Discover(o Options) (*Stack, error) {
	places, err := o.places()
	if err != nil {
		return nil, err
	}
	s := &Stack{Layers: o.From}
	large := o.prebuilt(places)
	defer large.close()
	for _, p := range places {
		layer := p.layer
		if layer == nil {
			layer = large.layer(p)
		}
		var err error
		if layer == nil {
			layer, err = readLayer(p, o.Compat)
		}
		searched := Searched{Name: p.name, Path: p.path}
		switch {
		case err == nil:
			searched.Found = true
			s.add(*layer)
		case !errors.Is(err, fs.ErrNotExist):
			searched.Malformed, searched.Problem, searched.Err = true, err.Error(), err
		}
		s.Searched = append(s.Searched, searched)
	}
	return s, nil
}

// add adds a layer and notes the faults of its entries.
func (s *Stack) add(l loadout.Layer) {
	s.Layers = append(s.Layers, l)
	for i := range l.Index.Entries {
		e := &l.Index.Entries[i]
		if e.Priority == loadout.PriorityCore || e.Priority == loadout.PriorityManual {
			continue // no words decide about it
		}
		if problem := indexjson.WordsProblem(e); problem != "" {
			s.Faults = append(s.Faults, Fault{l.Name, l.Path, i, e.ID, problem})
		}
	}
}

// place is a candidate: its path as reported and as read.
type place struct {
	name, path, read string
	layer            *loadout.Layer // read already; nil for any other
}

// places returns the candidates, weakest first.
func (o *Options) places() ([]place, error) {
	dir := o.Dir
	if dir == "" {
		var err error
		if dir, err = os.Getwd(); err != nil {
			return nil, fmt.Errorf("find the working directory: %w", err)
		}
	}
	absolute := func(path string) string {
		if filepath.IsAbs(path) {
			return filepath.Clean(path)
		}
		return filepath.Join(dir, path)
	}
	global, err := o.globalIndex()
	if err != nil {
		return nil, err
	}
	first := place{name: Global, path: absolute(global), read: absolute(global)}
	if o.Compat {
		first.path = global
	}
	list := []place{first}
	add := func(name string, option *string, variable string) {
		if path := o.setting(option, variable); path != "" {
			path = absolute(path)
			list = append(list, place{name: name, path: path, read: path})
		}
	}
	add(Org, o.OrgPath, OrgVariable)
	if o.Locked != nil {
		list = append(list, place{Locked, o.Locked.Path, o.Locked.Path, o.Locked})
	}
	packs := len(list)
	root := dir
	if o.ProjectRoot != nil {
		root = absolute(*o.ProjectRoot)
	}
	project := filepath.Join(root, ".claude", "loadout", "index.json")
	list = append(list, place{name: Project, path: project, read: project})
	add(Session, o.SessionPath, SessionVariable)
	if o.PacksIndex == "" || slices.ContainsFunc(list, func(p place) bool { return p.read == o.PacksIndex }) {
		return list, nil // it is a layer already
	}
	return slices.Insert(list, packs, place{name: Packs, path: o.PacksIndex, read: o.PacksIndex}), nil
}

// globalIndex returns the path of the global index, joined but not absolute.
func (o *Options) globalIndex() (string, error) {
	if o.GlobalDir != nil {
		return filepath.Join(*o.GlobalDir, "index.json"), nil
	}
	home := o.Home
	if home == "" {
		var err error
		if home, err = os.UserHomeDir(); err != nil {
			return "", fmt.Errorf("find the home directory: %w", err)
		}
	}
	return filepath.Join(home, ".ai-loadout", "index.json"), nil
}

// setting returns an option, otherwise the variable. An empty option wins over the
// variable.
func (o *Options) setting(option *string, variable string) string {
	if option != nil {
		return *option
	}
	if o.Getenv != nil {
		return o.Getenv(variable)
	}
	return os.Getenv(variable)
}

// readLayer reads a layer. Outside compatibility mode, what is not an index is an error.
func readLayer(p place, compat bool) (*loadout.Layer, error) {
	data, err := atomicfile.Read(p.read, indexjson.MaxIndex)
	if err != nil {
		return nil, fmt.Errorf("read %w", err)
	}
	ix, err := indexfile.ReadBeside(p.read, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.read, err)
	}
	if err := ix.Check(); err != nil && !compat {
		return nil, fmt.Errorf("%s: %w", p.read, err)
	}
	return &loadout.Layer{Name: p.name, Path: p.path, Index: ix}, nil
}

// SearchedJSON returns the places looked at as a compact JSON array: name,
// path, found, and for unusable ones malformed and error. The ai-loadout
// dialect (plain) leaves the last two out.
func SearchedJSON(list []Searched, plain bool) []byte {
	return indexjson.List(list, func(dst []byte, s Searched) []byte {
		var o indexjson.Object
		o.Text("name", s.Name).Text("path", s.Path).Bool("found", s.Found)
		if s.Malformed && !plain {
			o.Bool("malformed", true).Text("error", cmp.Or(s.Problem, "unreadable"))
		}
		return append(dst, o.JSON()...)
	})
}

// prebuilt are the large layers that have a prebuilt form, by the path that is read, and
// what an answer needs of them.
type prebuilt struct {
	readers map[string]*indexfile.Reader
	parsed  map[string]*loadout.Layer // layers that were read to be compared
	need    loadout.Need
}

// prebuilt opens the prebuilt forms, where some entries are enough. What the words of a
// task are worth in the weighted dialect depends on all entries of all layers: then only a
// layer that is alone answers from its form.
func (o *Options) prebuilt(places []place) *prebuilt {
	p := &prebuilt{readers: map[string]*indexfile.Reader{}, parsed: map[string]*loadout.Layer{}}
	if o.Need == nil || o.Compat {
		return p
	}
	p.need = *o.Need
	for _, at := range places {
		if at.layer != nil {
			continue
		}
		if r := indexfile.OpenPrebuilt(at.read); r != nil && p.readers[at.read] == nil && r.Keys() != nil {
			p.readers[at.read] = r
		} else {
			r.Close()
		}
	}
	if len(p.readers) == 0 {
		return p
	}
	others := o.From
	layers := len(p.readers) + len(o.From)
	for _, at := range places {
		if p.readers[at.read] != nil {
			continue
		}
		if at.layer != nil {
			others = append(slices.Clip(others), *at.layer)
			layers++
			continue
		}
		if l, err := readLayer(at, false); err == nil {
			others = append(slices.Clip(others), *l)
			p.parsed[at.read] = l
			layers++
		}
	}
	if o.Need.Match.Dialect == loadout.Weighted && layers > 1 || o.twice(places, p) {
		p.close()
		return p
	}
	p.need.Keys = p.common(others)
	return p
}

// twice reports whether a large index is two of the layers: all its ids are then in both.
func (o *Options) twice(places []place, p *prebuilt) bool {
	large := 0
	for _, at := range places {
		if p.readers[at.read] != nil {
			large++
		}
	}
	return large > len(p.readers)
}

// common returns the hashes of the ids that more than one layer may have.
func (p *prebuilt) common(others []loadout.Layer) []uint32 {
	var keys []uint32
	for _, l := range others {
		for i := range l.Index.Entries {
			keys = append(keys, loadout.Key(l.Index.Entries[i].ID))
		}
	}
	var all []uint32
	for _, r := range p.readers {
		all = append(all, slices.Compact(slices.Clone(r.Keys()))...)
	}
	if len(p.readers) < 2 {
		return keys
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i] == all[i-1] {
			keys = append(keys, all[i])
		}
	}
	return keys
}

// layer is the layer of a place with the entries that are needed; nil where it has to be
// read.
func (p *prebuilt) layer(at place) *loadout.Layer {
	if l := p.parsed[at.read]; l != nil {
		return &loadout.Layer{Name: at.name, Path: at.path, Index: l.Index}
	}
	r := p.readers[at.read]
	if r == nil {
		return nil
	}
	ix, omitted := r.Select(&p.need)
	if ix == nil || p.need.Match.Dialect == loadout.Weighted && hasTwins(ix) {
		return nil
	}
	return &loadout.Layer{Name: at.name, Path: at.path, Index: ix, Omitted: *omitted}
}

// hasTwins reports an id that two entries have: a merge drops one of them, and then words
// are worth something else.
func hasTwins(ix *loadout.Index) bool {
	ids := make(map[string]bool, len(ix.Entries))
	for i := range ix.Entries {
		ids[ix.Entries[i].ID] = true
	}
	return len(ids) < len(ix.Entries)
}

// close closes the forms; none answers any more.
func (p *prebuilt) close() {
	for _, r := range p.readers {
		r.Close()
	}
	clear(p.readers)
}
