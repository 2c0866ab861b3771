package site

import (
	"strings"

	"github.com/packgen/packgen/compiler/packpath"
)

// nameRedirects gives the former paths of pages to them. Where a page is, or two
// pages want one path, whatever its case, the page, or the first of them, has it.
func (ps *packSite) nameRedirects() {
	taken := map[string]bool{}
	for _, n := range ps.nodes {
		taken[strings.ToLower(n.out)] = true
	}
	for _, n := range ps.nodes {
		kept := n.former[:0]
		for _, former := range n.former {
			out := ps.dir + former + ".html"
			if packpath.Check(former) != nil || taken[strings.ToLower(out)] || ps.pack.Has(former+".html") {
				continue
			}
			taken[strings.ToLower(out)] = true
			kept = append(kept, former)
		}
		n.former = kept
	}
}

// putRedirects publishes a page at each former path that leads to the page.
func (ps *packSite) putRedirects(n *node) error {
	for _, former := range n.former {
		out := ps.dir + former + ".html"
		url := relative(out, n.out)
		var w writer
		w.raw("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">\n<title>")
		w.literal([]byte(n.name()))
		w.raw("</title>\n<meta name=robots content=noindex>\n<meta http-equiv=refresh")
		w.attr("content", "0; url="+url)
		w.raw(">\n<link rel=canonical")
		w.attr("href", url)
		w.raw(">\n<p>This page has moved: <a")
		w.attr("href", url)
		w.raw(">")
		w.literal([]byte(n.name()))
		w.raw("</a>\n")
		if err := ps.put(out, w.b); err != nil {
			return err
		}
	}
	return nil
}
