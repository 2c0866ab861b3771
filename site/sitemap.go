package site

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/packgen/packgen/site/article"
)

// What one sitemap may hold, as the protocol says: so many addresses, and so many bytes
// with its last line. A site of more has an index of sitemaps.
const (
	maxSitemap      = 50_000
	maxSitemapBytes = 50<<20 - 1<<10
)

const sitemapSpace = `xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n"

// sitemaps cuts the list of addresses into files.
type sitemaps struct {
	b       *build
	text    bytes.Buffer // of the file that is being made
	entries int          // in it
	full    int          // files that were put
}

// putSitemap lists the pages with their full addresses, as the protocol asks.
func (b *build) putSitemap() error {
	s := &sitemaps{b: b}
	pages := []string{"", matchName, searchName}
	if b.opens() {
		pages = pages[1:] // it is the page of the pack
	}
	for _, page := range pages {
		if err := s.add(page, ""); err != nil {
			return err
		}
	}
	for _, f := range b.packs {
		for _, page := range f.said.Pages {
			if err := s.add(page, b.lastmod(f, page)); err != nil {
				return err
			}
		}
	}
	for _, p := range b.roles {
		if err := s.add(p.dir, ""); err != nil {
			return err
		}
	}
	return s.end()
}

// add adds the address of a page, with the day of its last change where that is known.
func (s *sitemaps) add(page, day string) error {
	if day != "" {
		day = "<lastmod>" + day + "</lastmod>"
	}
	entry, err := s.entry("url", strings.TrimSuffix(page, "index.html"), day)
	if err != nil {
		return err
	}
	if s.entries == maxSitemap || s.text.Len()+len(entry) > maxSitemapBytes {
		if err := s.put(); err != nil {
			return err
		}
	}
	s.entries++
	s.text.WriteString(entry)
	return nil
}

// entry is an element with the full address of a path.
func (s *sitemaps) entry(element, path, rest string) (string, error) {
	var address bytes.Buffer
	if err := xml.EscapeText(&address, []byte(s.b.opts.BaseURL+article.EscapePath(path))); err != nil {
		return "", fmt.Errorf("write sitemap.xml: %w", err)
	}
	return "<" + element + "><loc>" + address.String() + "</loc>" + rest + "</" + element + ">\n", nil
}

// put puts the file that is full.
func (s *sitemaps) put() error {
	s.full++
	err := s.b.put(sitemapPart(s.full), s.list())
	s.text.Reset()
	s.entries = 0
	return err
}

func (s *sitemaps) list() []byte {
	return []byte(xml.Header + "<urlset " + sitemapSpace + s.text.String() + "</urlset>\n")
}

func sitemapPart(n int) string { return fmt.Sprintf("sitemap-%d.xml", n) }

// end puts the last file: the only one, or a part and the index of all.
func (s *sitemaps) end() error {
	if s.full == 0 {
		return s.b.put("sitemap.xml", s.list())
	}
	if err := s.put(); err != nil {
		return err
	}
	text := xml.Header + "<sitemapindex " + sitemapSpace
	for n := range s.full {
		entry, err := s.entry("sitemap", sitemapPart(n+1), "")
		if err != nil {
			return err
		}
		text += entry
	}
	return s.b.put("sitemap.xml", []byte(text+"</sitemapindex>\n"))
}
