package site

import "github.com/packgen/packgen/templates"

// printPage is the page that shows a pack as one document.
const printPage = "print.html"

// maxPrinted is how many pages one document has; a larger pack is printed in parts.
const maxPrinted = 200

// addPrint plans the documents of a pack: lists of its pages in the author's order, whose
// texts the script puts in when the page is opened. Written out they would be made again
// with every edit.
func (b *build) addPrint(w *making) {
	parts := max(1, (len(w.ps.reading)+maxPrinted-1)/maxPrinted)
	for part := range parts {
		b.add(func() error {
			out := w.ps.dir + numbered("print", part+1)
			v := templates.Print{
				Frame: w.frame(out, "To print · "+w.ps.name, ""),
				Pack:  templates.Link{URL: "index.html", Text: w.ps.name}, Description: w.ps.pack.Meta.Description, Pages: len(w.ps.reading),
				Pager: templates.Pager{Page: part + 1, Pages: parts, First: printPage, Last: numbered("print", parts)},
			}
			if part > 0 {
				v.Pager.Prev = numbered("print", part)
			}
			if part+1 < parts {
				v.Pager.Next = numbered("print", part+2)
			}
			for _, n := range w.ps.reading[part*maxPrinted : min(len(w.ps.reading), (part+1)*maxPrinted)] {
				v.Rows = append(v.Rows, templates.Link{URL: relative(out, n.out), Text: oneLine(n.name(), 200)})
			}
			return w.render(out, v)
		})
	}
}
