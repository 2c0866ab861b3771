package site

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"iter"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/scratch"
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

// spool keeps texts that are made once and written more than once: in memory as long as
// they are few, otherwise in a file that nobody else sees. The zero value is empty.
type spool struct {
	buf  []byte
	file *scratch.File
	size int64 // bytes in the file
}

// maxSpool is how many bytes of texts are in memory at most.
const maxSpool = 8 << 20

// add adds a text, and a number that goes with it.
func (s *spool) add(text []byte, number int) error {
	s.buf = binary.AppendUvarint(s.buf, uint64(len(text)))
	s.buf = binary.AppendUvarint(s.buf, uint64(number))
	s.buf = append(s.buf, text...)
	if len(s.buf) < maxSpool {
		return nil
	}
	if s.file == nil {
		f, err := scratch.NewFile("", "spool")
		if err != nil {
			return fmt.Errorf("keep texts in a file: %w", err)
		}
		s.file = &f
	}
	n, err := s.file.Write(s.buf)
	s.size += int64(n)
	s.buf = s.buf[:0]
	if err != nil {
		return fmt.Errorf("keep texts in a file: %w", err)
	}
	return nil
}

// place is where the next text will be.
func (s *spool) place() int64 { return s.size + int64(len(s.buf)) }

// each calls visit with each text, which is valid until the next, and its number.
func (s *spool) each(visit func(text []byte, number int) error) error {
	return s.between(0, s.place(), visit)
}

// between is each for the texts from a place up to another.
func (s *spool) between(from, to int64, visit func(text []byte, number int) error) error {
	var all io.Reader = bytes.NewReader(s.buf[max(0, min(from, to)-s.size):max(0, to-s.size)])
	if s.file != nil && from < s.size {
		all = io.MultiReader(io.NewSectionReader(s.file, from, min(to, s.size)-from), all)
	}
	in := bufio.NewReaderSize(all, streamBuffer)
	var text []byte
	for {
		size, err := binary.ReadUvarint(in)
		if err == io.EOF {
			return nil
		}
		number, err2 := binary.ReadUvarint(in)
		if err == nil && err2 == nil {
			if uint64(cap(text)) < size {
				text = make([]byte, 2*size)
			}
			text = text[:size]
			_, err = io.ReadFull(in, text)
		}
		if err == nil {
			err = err2
		}
		if err != nil {
			return fmt.Errorf("read texts from a file: %w", err)
		}
		if err := visit(text, int(number)); err != nil {
			return err
		}
	}
}

// close removes the file, where the system keeps the name of an open one.
func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
