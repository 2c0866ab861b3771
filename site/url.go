package site

import (
	"path"
	"strings"

	"github.com/packgen/packgen/site/article"
)

// relative returns the URL of a file seen from another, both named by their
// slash paths below the site root. Nothing on a site is addressed absolutely,
// so that it works from any folder of any server, and from a disk.
func relative(from, to string) string {
	dir := path.Dir(from)
	if dir == "." {
		dir = ""
	}
	rest := to
	for dir != "" {
		head, tail, more := strings.Cut(dir, "/")
		if !strings.HasPrefix(rest, head+"/") {
			break
		}
		rest = rest[len(head)+1:]
		if dir = tail; !more {
			dir = ""
		}
	}
	up := 0
	if dir != "" {
		up = 1 + strings.Count(dir, "/")
	}
	url := strings.Repeat("../", up) + article.EscapePath(rest)
	if first, _, _ := strings.Cut(url, "/"); strings.Contains(first, ":") {
		return "./" + url // otherwise it would read as a scheme
	}
	return url
}

// root returns the way from a page to the site root: "" or "../../".
func root(page string) string {
	return strings.Repeat("../", strings.Count(page, "/"))
}

// htmlPath returns the page of a Markdown file: documents/x.md is shown by
// documents/x.html beside it.
func htmlPath(md string) string {
	return strings.TrimSuffix(md, ".md") + ".html"
}
