package compiler

import (
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
)

// packUnit writes what an analysis made of a file, as far as it follows from the
// file and the options alone: links are kept as written, because whether they lead
// anywhere follows from the other files.
func (f *file) packUnit(p *packer) {
	p.str(f.info.Title)
	p.str(f.info.Status)
	p.uint(int(f.info.Size))
	p.uint(len(f.info.Headings))
	for _, h := range f.info.Headings {
		p.uint(h.Level)
		p.str(h.ID)
		p.str(h.Text)
	}
	p.bool(f.walked)
	p.bool(f.limits)
	p.uint(f.lines)
	p.str(f.lead)
	p.uint(len(f.written))
	for _, l := range f.written {
		p.str(l.dest)
		p.place(l.at)
	}
	p.uint(len(f.citations))
	for _, c := range f.citations {
		p.str(c.path)
		p.str(c.fragment)
		p.str(c.written)
		p.place(c.at)
	}
	packFindings(p, f.diags[:f.before])
	packFindings(p, f.diags[f.after:])
	p.uint(len(f.sections))
	for i := range f.sections {
		f.sections[i].pack(p)
	}
}

func (s *section) pack(p *packer) {
	p.str(s.id)
	p.str(s.title)
	p.place(s.at)
	p.bool(s.bare)
	p.strs(s.anchors)
	p.str(s.split.Path)
	if s.split.Path != "" {
		p.str(s.split.ID)
		p.uint(s.split.TokenEstimate)
		p.str(s.split.SHA256)
	}
	p.uint(len(s.statements))
	for _, st := range s.statements {
		p.str(st.text)
		p.str(st.line)
		p.str(st.marker)
		p.uint(len(st.anchors))
		for _, a := range st.anchors {
			p.str(a.path)
			p.str(a.fragment)
		}
	}
}

// unpackUnit fills a file with what packUnit wrote; false when that is damaged.
func (f *file) unpackUnit(blob string) bool {
	u := &unpacker{s: blob}
	f.info = UnitInfo{Path: f.path, SHA256: f.info.SHA256, Title: u.str(), Status: u.str(), Size: int64(u.uint())}
	f.info.Headings = make([]HeadingInfo, u.count())
	for i := range f.info.Headings {
		f.info.Headings[i] = HeadingInfo{Level: u.uint(), ID: u.str(), Text: u.str()}
	}
	f.walked, f.limits, f.lines, f.lead = u.bool(), u.bool(), u.uint(), u.str()
	f.written = make([]writtenLink, u.count())
	for i := range f.written {
		f.written[i] = writtenLink{u.str(), u.place()}
	}
	f.citations = make([]citation, u.count())
	for i := range f.citations {
		f.citations[i] = citation{anchor{u.str(), u.str()}, u.str(), u.place()}
	}
	f.diags = unpackFindings(u)
	f.before = len(f.diags)
	f.diags = append(f.diags, unpackFindings(u)...)
	f.after = f.before
	f.sections = make([]section, u.count())
	for i := range f.sections {
		f.sections[i].unpack(u, f.path)
	}
	return !u.bad && u.s == ""
}

func (s *section) unpack(u *unpacker, document string) {
	s.id, s.title, s.at, s.bare, s.anchors = u.str(), u.str(), u.place(), u.bool(), u.strs()
	if name := u.str(); name != "" {
		s.split = schema.Split{
			Path: name, ID: u.str(), TokenEstimate: u.uint(), SHA256: u.str(),
			Title: s.title, Document: document, SectionID: s.id, SourceAnchors: s.anchors,
		}
	}
	if n := u.count(); n > 0 {
		s.statements = make([]statement, n)
	}
	for i := range s.statements {
		st := &s.statements[i]
		st.text, st.line, st.marker = u.str(), u.str(), u.str()
		if n := u.count(); n > 0 {
			st.anchors = make([]anchor, n)
		}
		for j := range st.anchors {
			st.anchors[j] = anchor{u.str(), u.str()}
		}
	}
}

func packFindings(p *packer, list []diag.Diagnostic) {
	p.uint(len(list))
	for _, d := range list {
		p.str(d.ID)
		p.uint(int(d.Severity))
		p.str(d.Pack)
		p.str(d.Path)
		p.place(place{d.Line, d.Column})
		p.str(d.Message)
		p.str(d.Hint)
	}
}

func unpackFindings(u *unpacker) []diag.Diagnostic {
	list := make([]diag.Diagnostic, 0, u.count())
	for range cap(list) {
		d := diag.Diagnostic{ID: u.str(), Severity: diag.Severity(u.uint()), Pack: u.str(), Path: u.str()}
		at := u.place()
		d.Line, d.Column, d.Message, d.Hint = at.line, at.column, u.str(), u.str()
		list = append(list, d)
	}
	return list
}
