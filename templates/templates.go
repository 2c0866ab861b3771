package templates

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"sync"

	"github.com/packgen/packgen/compiler/amount"
)

//go:embed *.html
var files embed.FS

// parsed is the whole set: every page and the parts they share.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	set := template.New("").Funcs(template.FuncMap{
		"count": amount.Grouped[int],
		"label": amount.Counted,
		"size":  amount.Size,
		"words": words,
		"head":  headHTML, "foot": footHTML, "badge": badgeHTML, "notice": noticeHTML, "pager": pagerHTML,
	})
	names, err := fs.Glob(files, "*.html")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		// The templates quote every attribute value; pages leave out the quotes that
		// HTML does not need.
		if _, err := set.New(name).Parse(string(idleQuotes.ReplaceAll(text, []byte("=$1$2")))); err != nil {
			return nil, err
		}
	}
	return set, nil
})

// idleQuotes finds attribute values of our own that need no quotes.
var idleQuotes = regexp.MustCompile(`="([A-Za-z0-9._#-]+)"([ >])`)

// View is a value that a page template can show. Only the view structs of this
// package implement it.
type View interface{ page() string }

// writer is a view that writes its page itself: pages of which there are many.
type writer interface{ write(m *Markup) }

var written = sync.Pool{New: func() any { return new(Markup) }}

// Render writes the page of a view. It returns the first error of the template
// or of w; what was written before it is not a whole page.
func Render(w io.Writer, v View) error {
	if page, ok := v.(writer); ok {
		m := written.Get().(*Markup)
		defer written.Put(m)
		m.B = m.B[:0]
		page.write(m)
		if _, err := w.Write(m.B); err != nil {
			return fmt.Errorf("render %s: %w", v.page(), err)
		}
		return nil
	}
	set, err := parsed()
	if err != nil {
		return fmt.Errorf("parse page templates: %w", err)
	}
	if err := set.ExecuteTemplate(w, v.page(), v); err != nil {
		return fmt.Errorf("render %s: %w", v.page(), err)
	}
	return nil
}
