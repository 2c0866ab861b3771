package site

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
)

// putJSON writes a data file of the pack.
func (w *making) putJSON(name string, value any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return err
	}
	return w.put(w.ps.Dir+name, text.Bytes())
}

// Limits of what is said of links.
const (
	graphShard = 64  // pages of which a file says who links to whom, about
	graphLinks = 200 // links of a page, in each direction
	graphNodes = 500 // pages, or folders, in the graph of a pack
	graphEdges = 4000
)

// graphRecord is what the graph says of a page.
type graphRecord struct {
	Title string      `json:"title"`
	To    []string    `json:"to,omitempty"`   // pages that it links to
	From  [][2]string `json:"from,omitempty"` // pages that link to it, each with the sentence that does
	More  int         `json:"more,omitempty"` // links that are left out
}

func graphRecordOf(ps *model.Pack, n *model.Node) (r graphRecord, err error) {
	r.Title = diag.OneLine(n.Name(), 120)
	for _, i := range n.Links[:min(len(n.Links), graphLinks)] {
		r.To = append(r.To, model.InPack(ps, ps.Nodes[i]))
	}
	for _, b := range n.Back[:min(len(n.Back), graphLinks)] {
		said, err := ps.Links.Said.Of(b)
		if err != nil {
			return r, err
		}
		r.From = append(r.From, [2]string{model.InPack(ps, ps.Nodes[b.From]), said})
	}
	r.More = max(0, len(n.Links)-graphLinks) + max(0, len(n.Back)-graphLinks)
	return r, nil
}

// packGraph is the graph of a pack: of its pages, or of its folders where there are too
// many.
type packGraph struct {
	Files int         `json:"files"` // graph/0.json and so on
	Nodes []graphNode `json:"nodes"`
	Edges [][2]int    `json:"edges"` // places in nodes
	More  int         `json:"more,omitempty"`
}

type graphNode struct {
	Title string `json:"title"`
	Page  string `json:"page"`  // below the pack
	Size  int    `json:"size"`  // pages in a folder, or 0 for a page
	Group string `json:"group"` // the folder that it is in
}

// graph draws pages, or folders as deep as there is room for, with the most linked first
// where even these are too many.
func graph(ps *model.Pack) packGraph {
	of := make([]int, len(ps.Nodes)) // the place of each page
	var g packGraph
	if len(ps.Nodes) <= graphNodes {
		for i, n := range ps.Nodes {
			of[i] = i
			g.Nodes = append(g.Nodes, graphNode{Title: diag.OneLine(n.Name(), 80), Page: strings.TrimPrefix(n.Out, ps.Dir), Group: path.Dir(n.Path)})
		}
	} else {
		g.Nodes = graphFolders(ps, of)
	}
	seen := map[[2]int]bool{}
	for i, n := range ps.Nodes {
		for _, j := range n.Links {
			edge := [2]int{min(of[i], of[j]), max(of[i], of[j])}
			if edge[0] >= 0 && edge[0] != edge[1] && !seen[edge] {
				seen[edge] = true
				g.Edges = append(g.Edges, edge)
			}
		}
	}
	slices.SortFunc(g.Edges, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	g.More = max(0, len(g.Edges)-graphEdges)
	g.Edges = g.Edges[:min(len(g.Edges), graphEdges)]
	return g
}

// graphFolders returns the folders of the deepest level of which there are not too many, and
// notes in which of them each page is; -1 for those in a folder that is left out.
func graphFolders(ps *model.Pack, of []int) []graphNode {
	level := func(n *model.Node, depth int) string {
		parts := strings.Split(path.Dir(n.Path), "/")
		return strings.Join(parts[:min(len(parts), depth)], "/")
	}
	sizes := map[string]int{}
	depth := 1
	for ; depth <= 8; depth++ {
		deeper := map[string]int{}
		for _, n := range ps.Nodes {
			deeper[level(n, depth)]++
		}
		if depth > 1 && (len(deeper) > graphNodes || len(deeper) == len(sizes)) {
			break
		}
		sizes = deeper
	}
	depth--
	dirs := make([]string, 0, len(sizes))
	for dir := range sizes {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], cmp.Compare(a, b)) })
	dirs = dirs[:min(len(dirs), graphNodes)]
	slices.Sort(dirs)
	places := map[string]int{}
	var nodes []graphNode
	for i, dir := range dirs {
		places[dir] = i
		nodes = append(nodes, graphNode{Title: dir + "/", Page: strings.TrimPrefix(ps.Folders[dir].Out, ps.Dir), Size: sizes[dir], Group: path.Dir(dir)})
	}
	for i, n := range ps.Nodes {
		at, ok := places[level(n, depth)]
		if !ok {
			at = -1
		}
		of[i] = at
	}
	return nodes
}

// Sizes of the files of the navigation.
const (
	treeItems  = 400 // items of one folder in a file
	treeInline = 60  // items of a folder that is written where it is named
)

// navigation is the navigation of a pack in files, by their names: one for the pack, and one
// for each folder above a size. An item is [name, file] for a page, [name, folder, items] for
// a folder; in place of items, and after the last one, may be the name of the file that has
// them. Names depend on the path alone, so that a page need not change when its pack does.
type navigation map[string][]any

// navigationOf makes the navigation of a pack.
func navigationOf(ps *model.Pack) navigation {
	nav, roots := navigation{}, []any{}
	for _, f := range ps.Roots() {
		roots = append(roots, []any{model.RootNames[f.Path], f.Path, nav.items(f, 0)})
	}
	nav["index"] = roots
	return nav
}

// items returns the items of a folder from a place on. Those that are too many are
// in a file of their own.
func (nav navigation) items(f *model.Folder, from int) []any {
	list := []any{}
	for i, it := range f.Items[from:] {
		if i == treeItems {
			return append(list, nav.file(f, from+i))
		}
		if it.Folder == nil {
			list = append(list, []any{diag.OneLine(it.Name(), 200), path.Base(it.Page.Out)})
			continue
		}
		var inside any
		if it.Folder.Size <= treeInline {
			inside = nav.items(it.Folder, 0)
		} else {
			inside = nav.file(it.Folder, 0)
		}
		list = append(list, []any{diag.OneLine(it.Folder.Name(), 200), path.Base(it.Folder.Path), inside})
	}
	return list
}

// file adds a file with the items of a folder from a place on, and returns its name.
func (nav navigation) file(f *model.Folder, from int) string {
	sum := store.Sum([]byte(f.Path + "\x00" + strconv.Itoa(from)))
	name := hex.EncodeToString(sum[:6])
	nav[name] = nav.items(f, from)
	return name
}

// putTree writes the files of the navigation.
func putTree(w *making) error {
	for name, items := range navigationOf(w.ps) {
		if err := w.putJSON("tree/"+name+".json", items); err != nil {
			return err
		}
	}
	return nil
}
