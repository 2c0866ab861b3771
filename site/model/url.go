package model

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/site/article"
)

// Relative returns the URL of a file seen from another, both named by their
// slash paths below the site root. Nothing on a site is addressed absolutely,
// so that it works from any folder of any server, and from a disk.
func Relative(from, to string) string {
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

// HTMLPath returns the page of a Markdown file: documents/x.md is shown by
// documents/x.html beside it. The page of a folder is at the address of the folder, in
// whatever letter case its name is.
func HTMLPath(md string) string {
	if dir, base := path.Split(md); slices.Contains(reference.FolderPages[:], base) {
		return dir + "index.html"
	}
	return strings.TrimSuffix(md, ".md") + ".html"
}

// MarkdownOf returns the Markdown file that a page shows; "" when there is none.
func MarkdownOf(out string, has func(md string) bool) string {
	stem, isPage := strings.CutSuffix(out, ".html")
	if !isPage {
		return ""
	}
	if has(stem + ".md") {
		return stem + ".md"
	}
	for _, base := range reference.FolderPages {
		if md := path.Join(path.Dir(out), base); path.Base(out) == "index.html" && has(md) {
			return md
		}
	}
	return ""
}
