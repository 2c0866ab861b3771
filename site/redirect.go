package site

import (
	"strings"

	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/templates"
)

// nameRedirects gives the former paths of pages to them. Where a page is, or two
// pages want one path, whatever its case, the page, or the first of them, has it.
func nameRedirects(ps *packSite) {
	taken := map[string]bool{}
	for _, n := range ps.nodes {
		taken[strings.ToLower(n.out)] = true
	}
	for _, f := range ps.folders {
		taken[strings.ToLower(f.out)] = true
	}
	for _, n := range ps.nodes {
		kept := n.former[:0]
		for _, former := range n.former {
			out := ps.dir + former + ".html"
			if packpath.Check(former) != nil || taken[strings.ToLower(out)] || ps.pack.Has(former+".html") {
				continue
			}
			taken[strings.ToLower(out)] = true
			kept = append(kept, strings.Clone(former)) // it is a part of all that is kept of the page
		}
		n.former = kept
	}
}

// putRedirects publishes a page at each former path that leads to the page.
func putRedirects(w *making, n *node) error {
	for _, former := range n.former {
		out := w.ps.dir + former + ".html"
		url := relative(out, n.out)
		var page templates.Markup
		page.Put("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">\n<title>%s</title>\n<meta name=robots content=noindex>\n<meta http-equiv=refresh%[content]>\n<link rel=canonical%[href]>\n<p>This page has moved: <a%[href]>%s</a>\n",
			n.name(), "0; url="+url, url, url, n.name())
		if err := w.put(out, page.B); err != nil {
			return err
		}
	}
	return nil
}
