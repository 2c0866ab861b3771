// Package templates holds the HTML of a site: one template and one view struct
// for each kind of page. The templates are embedded and parsed once; a view
// holds nothing but what its page shows, so that a wrong name is found by the
// first test that renders the page, not by a reader.
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
	"strconv"
	"strings"
	"sync"
)

//go:embed *.html
var files embed.FS

// parsed is the whole set: every page and the parts they share.
var parsed = sync.OnceValues(func() (*template.Template, error) {
	return template.New("").Funcs(template.FuncMap{
		"count": Count,
		"label": label,
		"words": func(s string) string { return strings.ReplaceAll(s, "-", " ") },
	}).ParseFS(files, "*.html")
})

// View is a value that a page template can show. Only the view structs of this
// package implement it.
type View interface{ page() string }

// Render writes the page of a view. It returns the first error of the template
// or of w; what was written before it is not a whole page.
func Render(w io.Writer, v View) error {
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
