package injection

import (
	"bytes"
	"slices"

	"github.com/packgen/packgen/compiler/invisible"
)

// maxStrays is how many stray zero-width characters, such as a paste from the web
// leaves at the edges of words and in headings, are nothing in one text: that many
// cannot carry a message.
const maxStrays = 16

// invisible finds characters that steer or carry text unseen. One hit stands for a
// run of them.
func (s *scan) invisible() {
	strays, first := 0, len(s.hits)
	for _, r := range invisible.Find(s.text) {
		stray := r.Stray || r.Count <= maxInHeading && invisible.IsZeroWidth(r.First) && s.inHeading(r.Start)
		if stray {
			strays += r.Count
		}
		start, end := s.place(r.Start, r.End)
		s.hits = append(s.hits, Hit{Kind: KindHidden, Start: start, End: end, Shown: codePoint(r.First), Weak: stray})
	}
	if strays <= maxStrays {
		s.hits = slices.DeleteFunc(s.hits, func(h Hit) bool { return h.Kind == KindHidden && h.Weak })
		return
	}
	for i := first; i < len(s.hits); i++ {
		s.hits[i].Weak = false
	}
}

// maxInHeading is how many zero-width characters side by side in a heading are what a
// tool leaves there for its links.
const maxInHeading = 2

// inHeading reports whether the line of an offset is an ATX heading.
func (s *scan) inHeading(at int) bool {
	if at < s.asked {
		s.asked, s.line = 0, 0
	}
	if i := bytes.LastIndexByte(s.text[s.asked:at], '\n'); i >= 0 {
		s.line = s.asked + i + 1
	}
	s.asked = at
	head := s.text[s.line:min(at, s.line+4)] // a heading is indented by three spaces at most
	return bytes.HasPrefix(bytes.TrimLeft(head, " "), []byte("#"))
}

// codePoint names a character as U+200B.
func codePoint(c rune) string {
	const hex = "0123456789ABCDEF"
	name := []byte("U+")
	digits := 4
	if c > 0xFFFF {
		digits = 5
	}
	for shift := 4 * (digits - 1); shift >= 0; shift -= 4 {
		name = append(name, hex[c>>shift&0xf])
	}
	return string(name)
}
