package workspace

import "strings"

// Files is how many files the packs of the repository hold, without compiled ones.
func (r *Repository) Files() int {
	n := 0
	for _, m := range r.Members {
		if m.Pack == nil {
			continue
		}
		for _, f := range m.Pack.Files {
			if !strings.HasPrefix(f.Path, "compiled/") {
				n++
			}
		}
	}
	return n
}

// Bytes is how much text the documents and pages of the repository hold.
func (r *Repository) Bytes() int64 {
	n := int64(0)
	for _, m := range r.Members {
		if m.Pack == nil {
			continue
		}
		for _, dir := range []string{"documents", "wiki"} {
			for _, f := range m.Pack.List(dir) {
				n += f.Size
			}
		}
	}
	return n
}
