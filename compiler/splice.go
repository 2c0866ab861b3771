package compiler

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/packgen/packgen/compiler/cache"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// splice writes the records and views of a patch: the parts of changed files made
// anew, all between them copied from the files as they stand.
type splice struct {
	*patch
	files map[string]*standingFile
	lists struct{ claims, sections, splits, chapters, facts, items list }
	plan  plan
}

// standingFile is a record or view of an earlier run.
type standingFile struct {
	*os.File
	name string
	size int
	at   pack.File
}

// list is a list of elements in a record, one part for each file, or the lines of
// a view.
type list struct {
	in          *standingFile
	start, size int // offset and length in bytes of all parts
	length      func(*cache.Part) int
}

// The texts between the lists of records, as [schema.Write] writes them.
const (
	mapHead      = "{\n  \"claims\": ["
	mapMiddle    = "\n  ],\n  \"document_sections\": ["
	recordTail   = "\n  ]\n}\n"
	indexTail    = "\n  ],\n  \"total_token_estimate\": "
	chaptersTail = "[]\n}\n" // of a run without chapters
)

// openSplice opens what stands there.
func openSplice(p *patch) (*splice, error) {
	w := &splice{patch: p, files: map[string]*standingFile{}}
	for _, name := range []string{sourceMapPath, indexPath, p.joined.Run, factsPath, briefingPath} {
		at, ok := p.pack.Stat(name)
		if !ok {
			continue
		}
		f, err := p.out.old.Open(name)
		if err != nil {
			w.close()
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		if file, ok := f.(*os.File); ok {
			w.files[name] = &standingFile{File: file, name: name, size: int(at.Size), at: at}
		}
	}
	return w, nil
}

func (w *splice) close() {
	for _, f := range w.files {
		_ = f.Close()
	}
}

// read finds the lists in the files and reads the parts of changed files; false
// when the sizes do not add up, or a list is empty.
func (w *splice) read() bool {
	l := &w.lists
	l.claims.length = func(p *cache.Part) int { return p.Claims }
	l.sections.length = func(p *cache.Part) int { return p.Sections }
	l.splits.length = func(p *cache.Part) int { return p.Splits }
	l.chapters.length = func(p *cache.Part) int { return p.Chapters }
	l.facts.length = func(p *cache.Part) int { return p.Facts }
	l.items.length = func(p *cache.Part) int { return p.Item }
	for _, x := range []*list{&l.claims, &l.sections, &l.splits, &l.chapters, &l.facts, &l.items} {
		for i := range w.joined.Parts {
			x.size += x.length(&w.joined.Parts[i])
		}
	}
	m, x, run := w.files[sourceMapPath], w.files[indexPath], w.files[w.joined.Run]
	if m == nil || x == nil || run == nil || l.claims.size == 0 || l.sections.size == 0 || l.splits.size == 0 || l.chapters.size == 0 {
		return false
	}
	total := indexTail + strconv.Itoa(w.cache.files.Counts[3]) + "\n}\n"
	l.claims.in, l.claims.start = m, len(mapHead)
	l.sections.in, l.sections.start = m, len(mapHead)+l.claims.size+len(mapMiddle)
	l.splits.in, l.splits.start = x, x.size-len(total)-l.splits.size
	l.chapters.in, l.chapters.start = run, run.size-len(recordTail)-l.chapters.size
	ok := l.splits.start > 0 && l.chapters.start > 0 && l.sections.start+l.sections.size+len(recordTail) == m.size &&
		x.holds(x.size-len(total), total) && m.holds(0, mapHead) && m.holds(l.claims.start+l.claims.size, mapMiddle)
	if f := w.files[factsPath]; l.facts.size > 0 && f != nil {
		l.facts.in, l.facts.start = f, len(factsHead)
		ok = ok && f.size == len(factsHead)+l.facts.size
	}
	if f := w.files[briefingPath]; l.items.size > 0 && f != nil {
		l.items.in, l.items.start = f, f.size-l.items.size
		ok = ok && l.items.start > 0
	}
	return ok && w.readOld()
}

// holds reports whether a text stands at an offset.
func (f *standingFile) holds(at int, want string) bool {
	buf := make([]byte, len(want))
	_, err := f.ReadAt(buf, int64(at))
	return err == nil && string(buf) == want
}

// readOld reads what the changed files gave to the records before.
func (w *splice) readOld() bool {
	for _, f := range w.changed {
		var err error
		if f.old.claims, err = elements[schema.Claim](w.lists.claims.part(w.joined, f.place)); err != nil {
			return false
		}
		if f.old.splits, err = elements[schema.Split](w.lists.splits.part(w.joined, f.place)); err != nil {
			return false
		}
	}
	return true
}

// part reads the part of a file; nil when it cannot be read.
func (l *list) part(j *cache.Joined, place int) []byte {
	at := l.start
	for i := range place {
		at += l.length(&j.Parts[i])
	}
	buf := make([]byte, l.length(&j.Parts[place]))
	if _, err := l.in.ReadAt(buf, int64(at)); err != nil {
		return nil
	}
	return buf
}

// elements reads the elements of a list from their text, which may start with the
// comma behind the element before.
func elements[T any](text []byte) ([]T, error) {
	var list []T
	text = append([]byte("["), bytes.TrimPrefix(text, []byte(","))...)
	err := json.Unmarshal(append(text, ']'), &list)
	return list, err
}

// stretch is a part of a file that stands, or a text.
type stretch struct {
	in       *standingFile
	from, to int
	text     string
}

// replace returns the pieces of a list with new parts of the changed files, and
// whether any of them differs; parts get the comma that they have there. A part that is the first of its list has no comma
// in front, so one may neither come nor go there: then ok is false.
func (l *list) replace(j *cache.Joined, changed []*patched, parts []string) (pieces []stretch, differs, ok bool) {
	at, from, next := l.start, l.start, 0
	for i := 0; i < len(j.Parts) && next < len(changed); i++ {
		size := l.length(&j.Parts[i])
		if i == changed[next].place {
			fresh := parts[next]
			if at == l.start && (size == 0) != (fresh == "") {
				return nil, false, false
			}
			if fresh != "" && at > l.start && l.commas() {
				fresh = "," + fresh
				parts[next] = fresh
			}
			if len(fresh) != size || !l.in.holds(at, fresh) {
				pieces = append(pieces, stretch{in: l.in, from: from, to: at}, stretch{text: fresh})
				differs, from = true, at+size
			}
			next++
		}
		at += size
	}
	return append(pieces, stretch{in: l.in, from: from, to: l.start + l.size}), differs, true
}

// commas reports a list in a record.
func (l *list) commas() bool { return strings.HasSuffix(l.in.name, ".json") }

// texts returns the elements of a list of a record as they stand in it.
func texts(record any, name string) (string, error) {
	var b strings.Builder
	start, end := 0, 0
	err := schema.WriteMarked(&b, record, func(list string, i, at int) {
		if list == name {
			if end = at; i < 0 {
				start = at
			}
		}
	})
	return b.String()[start:end], err
}

// hold reads pieces into memory.
func hold(pieces []stretch) ([]byte, error) {
	size := 0
	for _, p := range pieces {
		size += p.to - p.from + len(p.text)
	}
	text := make([]byte, 0, size)
	for _, p := range pieces {
		if p.in == nil {
			text = append(text, p.text...)
			continue
		}
		at := len(text)
		text = text[:at+p.to-p.from]
		if _, err := p.in.ReadAt(text[at:], int64(p.from)); err != nil {
			return nil, fmt.Errorf("read %s: %w", p.in.name, err)
		}
	}
	return text, nil
}

// chunk is the number of bytes that are copied at once.
const chunk = 256 << 10

// copyPieces writes pieces.
func copyPieces(to io.Writer, pieces []stretch) error {
	buf := make([]byte, chunk)
	for _, p := range pieces {
		if p.in == nil {
			if _, err := io.WriteString(to, p.text); err != nil {
				return err
			}
			continue
		}
		for at := p.from; at < p.to; {
			part := buf[:min(chunk, p.to-at)]
			if _, err := p.in.ReadAt(part, int64(at)); err != nil {
				return fmt.Errorf("read %s: %w", p.in.name, err)
			}
			if _, err := to.Write(part); err != nil {
				return err
			}
			at += len(part)
		}
	}
	return nil
}
