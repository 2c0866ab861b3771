package site

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/matching"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// addRoot plans the files that are about the site as a whole.
func (b *build) addRoot() {
	b.addCatalog()
	b.addLLMs()
	b.addReport()
	b.add(b.putMatch)
	b.add(b.putNotFound)
	b.add(b.putSearchPage)
	b.add(b.putSchemas)
	b.add(func() error { return b.put(".nojekyll", nil) })
	b.add(b.putRobots)
	if b.opts.BaseURL != "" {
		b.add(b.putSitemap)
	}
	if b.opts.feed() != "" {
		b.add(b.putFeed)
	}
	for _, f := range b.frames.Assets.Files {
		b.add(func() error { return b.put(f.Path, f.Data) })
	}
}

// putNotFound makes the page that a server shows for any unknown address, at
// any depth. Relative links would break there, so it is addressed from the
// site's base URL; without one a script that it carries looks for the site. It carries the
// stylesheet, too, so that it does not change its looks once that is found.
func (b *build) putNotFound() error {
	f := b.frames.Of("404.html", "No such page", "")
	f.Canonical, f.Here = "", ""
	f.Look, f.Style = templates.Inline(b.frames.Assets.LostLook), b.frames.Assets.Style[1:]
	if u, err := url.Parse(b.opts.BaseURL); err == nil && u.Path != "" {
		f.Root = u.EscapedPath()
	}
	return b.render("404.html", templates.NotFound{Frame: f, Lost: templates.Inline(b.frames.Assets.Lost)})
}

func (b *build) putMatch() error {
	f := b.frames.Of(matchName, "Match", "Type a task and see which entries of the index it would load, and why")
	f.Here = "match"
	f.Style, f.Module = slices.Concat(f.Style, b.frames.Assets.MatchStyle), b.frames.Assets.Match
	start := loadout.MatchOptions{}
	start.Dialect, _ = loadout.NamedDialect(b.opts.Matcher) // any other name is the first one
	return b.render(matchName, templates.Match{
		Dialects: loadout.Dialects(), Dialect: start.Dialect.String(), Threshold: start.Threshold(),
		Frame: f, Index: matching.RootPath,
		Entries: b.in.Index.Entries, Tokens: b.in.Index.Tokens, Examples: b.examples(),
	})
}

// maxExamples is how many tasks the match page offers.
const maxExamples = 6

// examples are the tasks that the match page offers: those of the options, otherwise
// prompts that the packs' own evals expect to select them (agent-knowledge
// section 11.1).
func (b *build) examples() []string {
	if len(b.opts.Examples) > 0 {
		return b.opts.Examples
	}
	var perPack [][]string
	for _, ps := range b.packs {
		perPack = append(perPack, ps.said.Prompts)
	}
	var list []string
	for round := range maxExamples {
		for _, prompts := range perPack {
			if round < len(prompts) && len(list) < maxExamples {
				list = append(list, prompts[round])
			}
		}
	}
	return list
}

// shortPrompts returns the short prompts of the pack's evals that should select it.
func shortPrompts(ps *model.Pack) []string {
	const suite = "evals/discovery.train.json"
	if !ps.Pack.Has(suite) || ps.Outputs.Withheld[suite] {
		return nil
	}
	data, err := ps.Pack.ReadFile(suite)
	if err != nil {
		return nil // examples are a courtesy; the eval command reports the file
	}
	var s struct {
		Cases []struct{ Prompt, Expected string }
	}
	if json.Unmarshal(data, &s) != nil {
		return nil
	}
	var list []string
	for _, c := range s.Cases {
		if c.Expected == "select" && c.Prompt != "" && len(c.Prompt) <= 90 && len(list) < maxExamples {
			list = append(list, diag.OneLine(c.Prompt, 90))
		}
	}
	return list
}

// putSchemas publishes the JSON Schemas of every record.
func (b *build) putSchemas() error {
	schemas := schema.Schemas()
	entries, err := fs.ReadDir(schemas, ".")
	if err != nil {
		return fmt.Errorf("list the schemas: %w", err)
	}
	for _, e := range entries {
		data, err := fs.ReadFile(schemas, e.Name())
		if err != nil {
			return fmt.Errorf("read schema %s: %w", e.Name(), err)
		}
		if err := b.put("schemas/"+e.Name(), data); err != nil {
			return err
		}
	}
	return nil
}

func (b *build) putRobots() error {
	text := "User-agent: *\nAllow: /\n"
	if b.opts.BaseURL != "" {
		text += "Sitemap: " + b.opts.BaseURL + "sitemap.xml\n"
	}
	return b.put("robots.txt", []byte(text))
}

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
