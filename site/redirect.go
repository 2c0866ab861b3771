package site

import (
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// putRedirects publishes a page at each former path that leads to the page.
func putRedirects(w *making, n *model.Node) error {
	for _, former := range n.Facts.Former {
		out := w.ps.Dir + former + ".html"
		url := model.Relative(out, n.Out)
		var page templates.Markup
		page.Put("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">\n<title>%s</title>\n<meta name=robots content=noindex>\n<meta http-equiv=refresh%[content]>\n<link rel=canonical%[href]>\n<p>This page has moved: <a%[href]>%s</a>\n",
			n.Name(), "0; url="+url, url, url, n.Name())
		if err := w.put(out, page.B); err != nil {
			return err
		}
	}
	return nil
}
