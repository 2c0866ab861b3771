// Package templates holds the HTML of a site: one view struct for each kind of
// page, and a template for it. The templates are embedded and parsed once; a
// view holds nothing but what its page shows, so that a wrong name is found by
// the first test that renders the page, not by a reader. Pages of which a site
// has thousands, documents and claims, write themselves: that takes a tenth of
// the time.
//
// The content security policy of every page is in the head: pages load
// scripts, styles and pictures from their own site alone, and WebAssembly is for
// the match page. It is a second wall: pages are safe without it, and tested so.
//
// Every URL in a view is relative and percent-encoded already. Fields of type
// [template.HTML] come from the site's own renderer, which escapes everything a
// pack wrote.
package templates

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

//go:embed *.html
var files embed.FS

// parsed is the whole set: every page and the parts they share.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	set := template.New("").Funcs(template.FuncMap{
		"count": Count,
		"label": label,
		"size":  Size,
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
		// The templates are written with quotes; pages do without those that
		// mean nothing, since what is on every page adds up.
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
type writer interface{ write(m *markup) }

var written = sync.Pool{New: func() any { return new(markup) }}

// Render writes the page of a view. It returns the first error of the template
// or of w; what was written before it is not a whole page.
func Render(w io.Writer, v View) error {
	if page, ok := v.(writer); ok {
		m := written.Get().(*markup)
		defer written.Put(m)
		m.b = m.b[:0]
		page.write(m)
		if _, err := w.Write(m.b); err != nil {
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

// Count writes a number with a comma every three digits, in every locale.
func Count(n int) string {
	s := strconv.Itoa(n)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Size writes a number of bytes for people, in units of 1,000: "812 B", "4.2 kB",
// "1.3 MB".
func Size(n int64) string {
	const step = 1000
	if n < step {
		return strconv.FormatInt(n, 10) + " B"
	}
	value, units := float64(n), []string{"kB", "MB", "GB"}
	i := -1
	for value >= step-0.05 && i < len(units)-1 {
		value /= step
		i++
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[i]
}

// label writes a number and its noun: "1 split", "4 splits".
func label(n int, noun string) string {
	if n != 1 {
		if strings.HasSuffix(noun, "y") {
			noun = strings.TrimSuffix(noun, "y") + "ie"
		}
		noun += "s"
	}
	return Count(n) + " " + noun
}
