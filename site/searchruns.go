package site

import (
	"cmp"
	"hash/fnv"
	"iter"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/search"
)

// Of a large pack the words of some neighbouring pages are joined once and kept, so that an
// edit joins those of few pages again. A run ends with a page whose path has a certain
// hash: a page more or less changes one run.
const (
	leastRuns = 256 // pages of a pack that is cut into runs
	meanRun   = 64  // pages of a run
	mostRun   = 256
)

// putSearch makes what the search has of the pack.
func putSearch(w *making) error {
	asked := context.PackQuestions(w.ps.Pack, w.ps.Result.SourceMap.Claims)
	var err error
	found, joined := w.b.join(w.ps.Name, w.ps.Dir, func(yield func(search.Run) bool) {
		for nodes := range searchRuns(w.ps.Nodes) {
			var run search.Run
			if run, err = searchRun(w, nodes, asked); err != nil || !yield(run) {
				return
			}
		}
	}, w.made)
	if err := cmp.Or(err, joined); err != nil {
		return err
	}
	w.facts.said.Search = found
	return putLayout(w)
}

// searchRuns cuts the pages of a pack into runs: of one page each where there are few
// pages, because the notes of all would fill much memory.
func searchRuns(nodes []*model.Node) iter.Seq[[]*model.Node] {
	return func(yield func([]*model.Node) bool) {
		large := len(nodes) >= leastRuns
		for from := 0; from < len(nodes); {
			to := from + 1
			for large && to < len(nodes) && to-from < mostRun && !endsRun(nodes[to-1]) {
				to++
			}
			if !yield(nodes[from:to]) {
				return
			}
			from = to
		}
	}
}

func endsRun(n *model.Node) bool {
	h := fnv.New32a()
	h.Write([]byte(n.Path))
	return h.Sum32()%meanRun == 0
}

// searchRun is what the search has of a run of pages.
func searchRun(w *making, nodes []*model.Node, asked map[string][]string) (search.Run, error) {
	pages := make([]search.Page, len(nodes))
	for i, n := range nodes {
		pages[i] = searched(w.ps, n, asked)
	}
	if len(nodes) == 1 {
		var err error
		pages[0].Note, err = noteOf(w.ps, nodes[0])
		return search.Run{Pages: pages}, err
	}
	var failed error
	words := store.Do(w.b.opts.Store, runKey(w.ps, nodes, pages), func() []byte {
		for i, n := range nodes {
			if pages[i].Note, failed = noteOf(w.ps, n); failed != nil {
				return nil
			}
		}
		words, ok := search.Words(pages)
		if !ok {
			failed = model.DamagedError(nodes[0].Path)
		}
		return []byte(words)
	})
	return search.Run{Pages: pages, Words: string(words)}, failed
}

// runKey is the key of what search.Words makes of pages.
func runKey(ps *model.Pack, nodes []*model.Node, pages []search.Page) store.Digest {
	w := store.NewWriter(64 * len(nodes))
	for i, n := range nodes {
		w.Digest(ps.Result.PartSum(n.Unit, model.PartName)) // the note is in it
		w.Uint(len(pages[i].Sections))
		for _, s := range pages[i].Sections {
			w.Uint(s.Number)
			w.Strs(s.Questions)
		}
	}
	return store.Key("search run", compiler.Program(), w.Text())
}

// noteOf reads what the search has counted of a page.
func noteOf(ps *model.Pack, n *model.Node) (string, error) {
	p, _, err := model.ReadFacts(ps, n)
	return p.Note, err
}
