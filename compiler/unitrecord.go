package compiler

import (
	"strings"

	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// packUnit writes what an analysis made of a file, as far as it follows from the
// file and the options alone: links are kept as written, because whether they lead
// anywhere follows from the other files.
func (f *file) packUnit(w *store.Writer) {
	w.Str(f.info.Title)
	w.Str(string(f.info.Status))
	w.Uint(int(f.info.Size))
	w.Uint(f.info.Comments)
	w.Uint(len(f.info.Headings))
	for _, h := range f.info.Headings {
		w.Uint(h.Level)
		w.Str(h.ID)
		w.Str(h.Text)
	}
	w.Strs(f.info.Targets)
	w.Strs(f.info.Aliases)
	w.Strs(f.info.Addresses)
	w.Bool(f.walked)
	w.Bool(f.limits)
	w.Uint(f.lines)
	w.Str(f.lead)
	w.Str(f.routing)
	w.Uint(len(f.citations))
	for _, c := range f.citations {
		w.Str(c.path)
		w.Str(c.fragment)
		w.Str(c.written)
		c.at.pack(w)
	}
	w.Findings(f.diags)
	packSuppressions(w, f.suppress)
	w.Uint(len(f.sections))
	for i := range f.sections {
		f.sections[i].pack(w)
	}
}

func (s *section) pack(w *store.Writer) {
	w.Str(s.id)
	w.Str(s.title)
	s.at.pack(w)
	w.Bool(s.bare)
	w.Strs(s.anchors)
	w.Bool(s.shared)
	if !s.shared {
		w.Str(s.split.Path)
	}
	if s.split.Path != "" && !s.shared {
		w.Str(s.split.ID)
		w.Str(s.split.Title)
		w.Uint(s.split.TokenEstimate)
		w.Str(s.split.SHA256)
		w.Uint(s.size)
	}
	w.Uint(len(s.statements))
	for _, st := range s.statements {
		w.Str(st.text)
		w.Uint(int(st.item))
		w.Uint(int(st.units))
		w.Str(string(st.marker))
		w.Bool(st.confirmed)
		w.Uint(len(st.anchors))
		for _, a := range st.anchors {
			w.Str(a.path)
			w.Str(a.fragment)
		}
	}
}

// unpackUnit fills a file with what packUnit wrote; false when that is damaged.
func (f *file) unpackUnit(blob []byte) bool {
	r := store.ReadBytes(blob)
	f.info = UnitInfo{Path: f.path, SHA256: f.info.SHA256, Title: r.Str(), Status: schema.Status(r.Str()), Size: int64(r.Uint()), Comments: r.Uint()}
	f.info.Headings = make([]HeadingInfo, r.Count())
	for i := range f.info.Headings {
		f.info.Headings[i] = HeadingInfo{Level: r.Uint(), ID: r.Str(), Text: r.Str()}
	}
	f.info.Targets, f.info.Aliases, f.info.Addresses = r.Strs(), r.Strs(), r.Strs()
	f.walked, f.limits, f.lines, f.lead, f.routing = r.Bool(), r.Bool(), r.Uint(), r.Str(), r.Str()
	f.citations = make([]citation, r.Count())
	for i := range f.citations {
		f.citations[i] = citation{anchor{r.Str(), r.Str()}, r.Str(), unpackPlace(r)}
	}
	f.diags = r.Findings()
	f.suppress = unpackSuppressions(r)
	f.sections = make([]section, r.Count())
	var first *section // of the split at hand
	for i := range f.sections {
		s := &f.sections[i]
		switch s.unpack(r, f.path); {
		case !s.shared:
			first = s
		case first == nil || first.split.Path == "":
			r.Fail()
		default:
			s.joinTo(first)
		}
	}
	return r.Done()
}

func (s *section) unpack(r *store.Reader, document string) {
	s.id, s.title, s.at, s.bare, s.anchors = r.Str(), r.Str(), unpackPlace(r), r.Bool(), r.Strs()
	name := ""
	if s.shared = r.Bool(); !s.shared {
		name = r.Str()
	}
	if name != "" {
		if !strings.HasPrefix(name, splitsDir) || packpath.Check(name) != nil {
			r.Fail()
		}
		s.split = schema.Split{
			Path: name, ID: r.Str(), Title: r.Str(), TokenEstimate: r.Uint(), SHA256: r.Str(),
			Document: document, SectionID: s.id, SourceAnchors: s.anchors,
		}
		s.size = r.Uint()
	}
	if n := r.Count(); n > 0 {
		s.statements = make([]statement, n)
	}
	for i := range s.statements {
		st := &s.statements[i]
		st.text, st.item, st.units, st.marker, st.confirmed = r.Str(), int32(r.Uint()), int32(r.Uint()), schema.Status(r.Str()), r.Bool()
		if n := r.Count(); n > 0 {
			st.anchors = make([]anchor, n)
		}
		for j := range st.anchors {
			st.anchors[j] = anchor{r.Str(), r.Str()}
		}
	}
}

func (at place) pack(w *store.Writer) {
	w.Uint(at.line)
	w.Uint(at.column)
}

func unpackPlace(r *store.Reader) place { return place{r.Uint(), r.Uint()} }
