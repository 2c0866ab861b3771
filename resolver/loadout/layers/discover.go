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
