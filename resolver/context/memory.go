package context

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/context/parallel"
	"github.com/packgen/packgen/resolver/context/rank"
)

// Memory keeps what is counted in the sections of a pack from one process to the next.
// What it loses is counted again.
type Memory interface {
	Recall() []byte   // what was kept last; nil for nothing
	Keep(data []byte) // data may not be kept
}

// memoryMagic opens what is kept; its number changes with what is counted.
const memoryMagic = "packgen sections 1\n"

// remembered is what is kept of a pack. It holds while no file of it was touched.
type remembered struct {
	index      *rank.Index
	Boundaries []string          `json:"boundaries"` // places that front matter calls boundaries
	Sums       map[string]string `json:"sums"`       // SHA-256 of documents and pages
}

// stampKey is a hash of the sizes and times of the files that answers rest on; nil where
// the file system does not tell enough to know that nobody has touched them. Quiet says
// that none was touched so lately that its times may not tell.
func stampKey(p *pack.Pack) (key []byte, quiet bool) {
	h := sha256.New()
	var line []byte
	now := p.Listed.UnixNano()
	quiet = true
	for _, f := range p.Files {
		top, _, _ := strings.Cut(f.Path, "/")
		if !slices.Contains([]string{pack.EntryName, "compiled", "documents", "wiki", "answers"}, top) {
			continue
		}
		s := f.Stamp()
		if s.ChangeTime == 0 {
			return nil, false
		}
		quiet = quiet && store.Quiet(store.Stat{Size: f.Size, ModTime: s.ModTime, ChangeTime: s.ChangeTime, Inode: s.Inode}, now, false)
		line = append(line[:0], f.Path...)
		line = append(line, 0)
		for _, n := range []uint64{uint64(f.Size), uint64(s.ModTime), uint64(s.ChangeTime), s.Inode} {
			line = binary.LittleEndian.AppendUint64(line, n)
		}
		h.Write(line)
	}
	return h.Sum(nil), quiet
}

// recall reads what is kept of the pack, if it is still so.
func (s *shelf) recall(m Memory) {
	key, quiet := stampKey(s.pack)
	if key == nil {
		return
	}
	if quiet {
		s.memory, s.key = m, key
	}
	rest, ok := bytes.CutPrefix(m.Recall(), append([]byte(memoryMagic), key...))
	if !ok || len(rest) < 8 || crc32.ChecksumIEEE(rest[4:]) != binary.LittleEndian.Uint32(rest) {
		return
	}
	length := uint64(binary.LittleEndian.Uint32(rest[4:]))
	if length > uint64(len(rest)-8) {
		return
	}
	kept := &remembered{}
	if json.Unmarshal(rest[8:8+length], kept) != nil {
		return
	}
	x, err := rank.ReadIndex(rest[8+length:])
	if err != nil || x.Len() != len(s.splits) {
		return
	}
	kept.index = x
	s.kept = kept
}

// remember counts all sections and keeps that. It does so only where all splits are
// there as compile wrote them.
func (s *shelf) remember(sections []rank.Section) *rank.Index {
	s.counting.Do(func() {
		kept := &remembered{index: rank.NewIndex(sections), Boundaries: s.frontBoundaries(documentsOf(s.splits)), Sums: map[string]string{}}
		for _, f := range slices.Concat(s.pack.List("documents"), s.pack.List("wiki")) {
			if sum := s.document(f.Path).sha256; makesViews(f.Path) && sum != "" {
				kept.Sums[f.Path] = sum
			}
		}
		meta, err := json.Marshal(kept)
		if err != nil {
			return
		}
		body := binary.LittleEndian.AppendUint32(nil, uint32(len(meta)))
		body = kept.index.Append(append(body, meta...))
		data := append([]byte(memoryMagic), s.key...)
		data = binary.LittleEndian.AppendUint32(data, crc32.ChecksumIEEE(body))
		s.memory.Keep(append(data, body...))
		s.counted = kept.index
	})
	return s.counted
}

// frontBoundaries are the places that the front matter of files calls boundaries.
func (s *shelf) frontBoundaries(names []string) []string {
	if s.kept != nil {
		return s.kept.Boundaries
	}
	lists := make([][]string, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			lists[i] = s.boundariesOf(names[i])
		}
	})
	return slices.Concat(lists...)
}

// sumOf is the SHA-256 of a document or page as it is now, "" when it is gone.
func (s *shelf) sumOf(name string) string {
	if s.kept != nil {
		if sum := s.kept.Sums[name]; sum != "" {
			return sum
		}
	}
	return s.document(name).sha256
}

// textOf is the text of a unit, which need not be loaded.
func (s *shelf) textOf(u *unit) string {
	if s.kept == nil || u.text != "" || u.absent {
		return u.text
	}
	own := *u
	s.read(&own)
	return own.text
}

// loaded returns a unit with its text: itself, or a copy where texts are not loaded.
// It is nil when the file is no longer what compile wrote.
func (s *shelf) loaded(u *unit) *unit {
	if u == nil || s.kept == nil || u.kind != split || u.text != "" {
		return u
	}
	own := *u
	if s.read(&own); own.absent || own.altered {
		return nil
	}
	return &own
}

// scoreIndex ranks the splits over what is counted in them; nil where nothing is.
func (p *picker) scoreIndex(pool []*unit) []rank.Ranking {
	scorer, ok := p.scorer.(rank.BM25F)
	if !ok || len(pool) == 0 || len(pool) != len(p.splits) || pool[0] != p.splits[0] {
		return nil
	}
	var x *rank.Index
	switch {
	case p.kept != nil:
		x = p.kept.index
	case p.memory != nil && len(p.lost) == 0 && !slices.ContainsFunc(pool, func(u *unit) bool { return u.absent || u.insteadOf != "" }):
		x = p.remember(p.sections(pool, p.questions()))
	}
	if x == nil {
		return nil
	}
	list := make([]rank.Ranking, len(p.asked))
	for i, wording := range p.asked {
		var err error
		if list[i], err = scorer.ScoreIndex(wording, x); err != nil {
			return nil // damaged: the texts are counted
		}
	}
	return list
}
