package context

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// What has become of a source since the newest run.
const (
	sourceChanged = "changed"
	sourceGone    = "gone"
)

// source says what has become of a cited file since the newest run; "" for nothing, and
// where no run lists it.
func (s *contents) source(name string) string {
	newest := s.runs.newest()
	if newest == nil || newest.inputs[name] == "" {
		return ""
	}
	s.lock.Lock()
	state, known := s.sources[name]
	s.lock.Unlock()
	if known {
		return state
	}
	switch f, ok := s.pack.Stat(name); {
	case !ok && s.from.leftOut(s.pack, name):
	case !ok:
		state = sourceGone
	case s.unread(f, newest.inputs[name]):
	default:
		if sum, err := s.pack.Digest(name); err != nil || sum != newest.inputs[name] && !s.pack.HasSum(name, newest.inputs[name]) {
			state = sourceChanged
		}
	}
	s.lock.Lock()
	s.sources[name] = state
	s.lock.Unlock()
	return state
}

// leftOut reports a source that the pack was handed on without: its pack.json says so, or it
// was pulled from the directory that it is written in, and has none.
func (p *Pack) leftOut(files *pack.Pack, name string) bool {
	return files.LeftOut(name) || p.MaxTrust != "" && strings.HasPrefix(name, "sources/")
}

// freeBytes is how many bytes of cited files are hashed before anybody is asked what is
// remembered of them: reading that takes as long.
const freeBytes = 1 << 20

// unread reports whether a file has a hash by what is remembered of its size and times,
// so that it need not be read.
func (s *contents) unread(f pack.File, want string) bool {
	if s.from.Known == nil {
		return false
	}
	s.lock.Lock()
	s.hashed += f.Size
	free := s.hashed <= freeBytes
	s.lock.Unlock()
	return !free && s.from.Known(f) == want
}

// mark writes "stale" and "disputed" after the claims of what was picked: those that
// the source map calls so, and those whose source has changed or gone since the newest
// run. The contents stay as they are, for the next query.
func (p *picker) mark() {
	for i := range p.picks {
		p.picks[i].unit = p.marked(p.picks[i].unit)
	}
}

// marked returns a unit with its doubtful claims marked: a copy, unless nothing is known
// of it that was not known before.
func (s *contents) marked(u *unit) *unit {
	own := *u
	var doc *markdown.Document
	if own.cites = u.anchors; own.cites == nil {
		// A view, or a file as a whole: no record holds its anchors.
		own.parsed, own.cites = true, []string{}
		if doc = parseText(u.path, u.text); doc != nil {
			own.cites = usableAnchors(doc)
		}
	}
	of := u.document
	if u.kind == view {
		of = "" // its lines come from several files
	}
	changed := func(anchor string) bool { return s.source(sourceOf(anchor)) != "" }
	switch {
	case slices.ContainsFunc(own.cites, changed):
		own.doubt = schema.Stale // also where a heading cites it, or a claim with a marker
	case !s.doubts.Any(of):
		return &own
	}
	if doc == nil {
		decoded, ok := frontmatter.Decode([]byte(u.text))
		if !ok {
			return &own
		}
		doc = markdown.Parse(u.path, decoded)
		own.parsed, own.cites = true, usableAnchors(doc) // nobody need parse it again for these
	}
	own.text = string(doc.Marked(func(c *markdown.Unit) schema.Status {
		status, source := s.doubtOf(of, c)
		if status != "" {
			own.doubt = schema.Worse(own.doubt, status)
			own.claims = append(own.claims, Claim{u.path, secret.Redact(c.Text), status, source})
		}
		return status
	}))
	return &own
}

// doubtOf is "stale" or "disputed" for a claim of a file, with the source that it rests
// on; "" for any other text.
func (s *contents) doubtOf(document string, c *markdown.Unit) (status schema.Status, source string) {
	status, source = schema.Worse(c.Marker.Doubt(), s.doubts.Of(document, c.Text)), anchorOf(c)
	if c.Marker != "" && c.Marker != schema.Confirmed {
		return status, source
	}
	for _, a := range c.Anchors {
		if a.Usable && s.source(a.Path) != "" {
			if status == "" {
				source = a.String()
			}
			status = schema.Worse(status, schema.Stale)
		}
	}
	return status, source
}

// anchorOf is the first usable anchor of a claim, "" when it has none.
func anchorOf(c *markdown.Unit) string {
	for _, a := range c.Anchors {
		if a.Usable {
			return a.String()
		}
	}
	return ""
}

// sourceOf is the file of an anchor string.
func sourceOf(anchor string) string {
	name, _, _ := strings.Cut(anchor, "#")
	return name
}

// changedSources names the sources of what was selected that have changed or gone.
func (s *contents) changedSources(units []*unit) []Warning {
	var list []Warning
	reported := map[string]bool{}
	for _, u := range units {
		for _, anchor := range u.cites {
			name := sourceOf(anchor)
			if reported[name] {
				continue
			}
			reported[name] = true
			switch s.source(name) {
			case sourceChanged:
				list = append(list, Warning{diag.Warning, name, "This source has changed since the newest compile run; the claims on it are stale."})
			case sourceGone:
				list = append(list, Warning{diag.Warning, name, "This source is gone since the newest compile run; the claims on it are stale."})
			}
		}
	}
	return list
}
