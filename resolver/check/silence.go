package check

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
)

// Silence says which findings the comments of their own files switch off. It is for files
// outside of packs, such as memories and rule files. A file is read when the first finding
// in it is asked about.
type Silence struct {
	Read func(path string) ([]byte, error)
	by   map[string][]lint.Suppression
	// Faults are the comments in those files that cannot be used.
	Faults []diag.Diagnostic
}

// Covers reports whether a comment switches a finding off.
func (s *Silence) Covers(d *diag.Diagnostic) bool {
	by, known := s.by[d.Path]
	if !known {
		by = s.read(d.Path)
	}
	for i := range by {
		if by[i].Covers(d) {
			return true
		}
	}
	return false
}

// read reads the comments of a file. One that cannot be read has none.
func (s *Silence) read(path string) (by []lint.Suppression) {
	if s.by == nil {
		s.by = map[string][]lint.Suppression{}
	}
	if data, err := s.Read(path); err == nil {
		if text, ok := frontmatter.Decode(data); ok {
			var faults []diag.Diagnostic
			by, faults = lint.Suppressions(path, text)
			s.Faults = append(s.Faults, faults...)
		}
	}
	s.by[path] = by
	return by
}
