package site

import (
	"bytes"
	"cmp"
	"encoding/json"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// graphPage is the page of a pack that shows how its pages link to each other.
const graphPage = "graph.html"

// Limits of what is said of links.
const (
	graphShard  = 64  // pages of which a file says who links to whom, about
	graphLinks  = 200 // links of a page, in each direction
	graphNodes  = 500 // pages, or folders, in the graph of a pack
	graphEdges  = 4000
	graphListed = 100 // pages that the page lists
)

// inPack is the address of a page in its pack, without ending: what the graph calls it.
func inPack(ps *model.Pack, n *model.Node) string {
	return strings.TrimSuffix(strings.TrimPrefix(n.Out, ps.Dir), ".html")
}

// addGraph plans what is said of the links between pages: files that say it page by page,
// and the graph of the pack. A file has the pages whose paths have one hash, so that a
// page which is added or edited changes few of them.
func (b *build) addGraph(w *making) {
	files := 1
	for files*graphShard < len(w.ps.Nodes) {
		files *= 2
	}
	shards := make([][]*model.Node, files)
	for _, n := range w.ps.Nodes {
		h := fnv.New32a()
		h.Write([]byte(inPack(w.ps, n)))
		at := h.Sum32() % uint32(files)
		shards[at] = append(shards[at], n)
	}
	for i, nodes := range shards {
		b.add(func() error {
			pages := map[string]graphRecord{}
			for _, n := range nodes {
				record, err := graphRecordOf(w.ps, n)
				if err != nil {
					return err
				}
				pages[inPack(w.ps, n)] = record
			}
			return w.putJSON("graph/"+strconv.Itoa(i)+".json", pages)
		})
	}
	b.add(func() error {
		g := graph(w.ps)
		g.Files = files
		return w.putJSON("graph/index.json", g)
	})
	w.plan(w.ps.Dir+graphPage, func(out string) (templates.View, error) { return graphView(w.pages, out), nil })
}

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
		r.To = append(r.To, inPack(ps, ps.Nodes[i]))
	}
	for _, b := range n.Back[:min(len(n.Back), graphLinks)] {
		said, err := ps.Links.Said.Of(b)
		if err != nil {
			return r, err
		}
		r.From = append(r.From, [2]string{inPack(ps, ps.Nodes[b.From]), said})
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

// graphView is the page of the graph. Without script it lists the pages that most others
// link to.
func graphView(p *pageMaker, out string) templates.Graph {
	v := templates.Graph{
		Frame: p.frame(out, "Graph · "+p.ps.Name, "How the pages of "+p.ps.Name+" link to each other"),
		Pack:  p.home(out), Pages: len(p.ps.Nodes),
	}
	linked := slices.Clone(p.ps.Nodes)
	slices.SortStableFunc(linked, func(a, b *model.Node) int { return len(b.Back) - len(a.Back) })
	for _, n := range linked[:min(len(linked), graphListed)] {
		if len(n.Back) > 0 {
			v.Rows = append(v.Rows, templates.GraphRow{URL: model.Relative(out, n.Out), Title: diag.OneLine(n.Name(), 120), From: len(n.Back), To: len(n.Links)})
		}
	}
	for _, n := range p.ps.Nodes {
		v.Links += len(n.Links)
	}
	return v
}

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
