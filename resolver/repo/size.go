package repo

import (
	"slices"
	"strings"
)

// Files is how many files the packs of the repository hold, without compiled ones.
func (r *Packs) Files() int {
	n := 0
	for _, m := range r.Members {
		n += m.sources()
	}
	return n
}

// BuildFiles is how many files the memory of a build is for: those of all packs, and
// half of the largest one again, which is joined as a whole; and how many that one has.
func (r *Packs) BuildFiles() (files, largest int) {
	for _, m := range r.Members {
		largest = max(largest, m.sources())
	}
	return r.Files() + largest/2, largest
}

// sources is how many files a pack holds, without compiled ones.
func (m *Member) sources() int {
	if m.Pack == nil {
		return 0
	}
	n := 0
	for _, f := range m.Pack.Files {
		if !strings.HasPrefix(f.Path, "compiled/") {
			n++
		}
	}
	return n
}

// Text is how many bytes the documents and pages of a pack have.
func (m *Member) Text() (n int64) {
	if m.Pack == nil {
		return 0
	}
	for _, dir := range []string{"documents", "wiki"} {
		for _, f := range m.Pack.List(dir) {
			n += f.Size
		}
	}
	return n
}

// AtOnce is how many files, without compiled ones, and bytes of text the packs have that
// may be compiled at the same time, and how many files of any kind all packs list.
func (r *Packs) AtOnce() (files int, text int64, listed int) {
	type size struct {
		files int
		text  int64
	}
	var sizes []size
	for _, m := range r.Members {
		sizes = append(sizes, size{m.sources(), m.Text()})
		if m.Pack != nil {
			listed += len(m.Pack.Files)
		}
	}
	slices.SortFunc(sizes, func(a, b size) int { return b.files - a.files })
	for _, s := range sizes[:min(len(sizes), PacksAtOnce)] {
		files, text = files+s.files, text+s.text
	}
	return files, text, listed
}
