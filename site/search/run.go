package search

import (
	"fmt"

	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Words joins the words of some pages that follow each other. Of a page it depends on the
// note, and on the numbers and questions of its sections. It returns false when a note is
// damaged.
func Words(pages []Page) (string, bool) {
	j := joiner{words: lists{}, part: &Part{}, untitled: true}
	for i := range pages {
		if !j.page(&pages[i]) {
			return "", false
		}
	}
	w := store.NewWriter(1 << 12)
	for _, n := range j.part.Totals {
		w.Uint(n)
	}
	j.words.write(w, 0)
	return w.Text(), true
}

// run adds some pages.
func (j *joiner) run(run *Run) bool {
	if run.Words == "" {
		for i := range run.Pages {
			if !j.page(&run.Pages[i]) {
				return false
			}
		}
		return true
	}
	base := j.part.Sections
	for i := range run.Pages {
		p := &run.Pages[i]
		for s := range p.Sections {
			j.section(p, s)
		}
	}
	words := store.NewReader(run.Words)
	var totals [rank.Fields]int
	for f := range totals {
		totals[f] = words.Uint()
	}
	j.count(totals)
	n := words.CountOf(leastWord)
	return j.add(words, n, base)
}

// mostHeld is how many bytes of postings of a pack are held before they go to a file. Those
// of 100,000 pages are some hundred megabytes.
const mostHeld = 16 << 20

// spill is a file with words of a pack, in batches of sections that follow each other. The
// zero value is empty.
type spill struct {
	file    scratch.File
	size    int64
	batches []batch
}

// batch is where the words of some sections are in a spill, as [lists.end] hands them on.
type batch struct {
	base, sections int
	ranges         [Ranges + 1]int64 // where each begins, and the end of the last
}

// spillWords moves the words that are held to the file.
func (j *joiner) spillWords() error {
	s := &j.spill
	if s.batches == nil {
		var err error
		if s.file, err = scratch.NewFile("", "words"); err != nil {
			return fmt.Errorf("make a file for the words of a pack: %w", err)
		}
	}
	b := batch{base: j.base, sections: j.part.Sections - j.base}
	var failed error
	i := 0
	j.words.end(func(words []byte) {
		b.ranges[i] = s.size
		if failed == nil {
			_, failed = s.file.Write(words)
		}
		s.size += int64(len(words))
		i++
	}, j.base)
	if failed != nil {
		return fmt.Errorf("keep the words of a pack: %w", failed)
	}
	b.ranges[i] = s.size
	s.batches = append(s.batches, b)
	j.words, j.base, j.held = lists{}, j.part.Sections, 0
	return nil
}

// end hands on the words of each range, valid until the next; false when what was read of a
// file is damaged.
func (j *joiner) end(keep func(words []byte)) (bool, error) {
	if j.spill.batches == nil {
		j.words.end(keep, 0)
		return true, nil
	}
	if err := j.spillWords(); err != nil {
		return false, err
	}
	j.base = 0
	var buf []byte
	w := store.NewWriter(1 << 12)
	for i := range Ranges {
		j.words = lists{}
		for _, b := range j.spill.batches {
			size := int(b.ranges[i+1] - b.ranges[i])
			if cap(buf) < size {
				buf = make([]byte, size+size/4)
			}
			if _, err := j.spill.file.ReadAt(buf[:size], b.ranges[i]); err != nil {
				return false, fmt.Errorf("read the words of a pack: %w", err)
			}
			words := store.ReadBytes(buf[:size])
			if n := words.CountOf(leastWord); !j.addWords(words, n, b.base, b.sections) {
				return false, nil
			}
		}
		w.Reset()
		j.words.write(w, 0)
		keep(w.Bytes())
	}
	return true, nil
}

// close removes the file.
func (s *spill) close() {
	if s.batches != nil {
		_ = s.file.Close() // it has no name, or is swept up by a later run
	}
}
