package markdown

import "github.com/packgen/packgen/compiler/schema"

// Marked returns the text with markers after the claims that are not what
// they seem: status says for each claim unit "stale" or "disputed", or "" for one that
// stays as it is. A claim that says so itself gets no second marker. It is for text
// that is shown: files on disk stay as they are.
func (doc *Document) Marked(status func(u *Unit) schema.Status) []byte {
	var out []byte
	at := 0
	for i := range doc.Units {
		u := &doc.Units[i]
		if u.Text == "" || u.End < at {
			continue
		}
		if word := status(u); word != "" && word != u.Marker {
			out = append(append(out, doc.Text[at:u.End]...), " [status: "+string(word)+"]"...)
			at = u.End
		}
	}
	if out == nil {
		return doc.Text
	}
	return append(out, doc.Text[at:]...)
}
