package site

import (
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// siteCrawl is a generated site to be looked at.
type siteCrawl struct {
	Files  fs.FS
	Base   string // where it is served, such as "https://example.org/" or "https://example.org/a/b/"
	Policy bool   // every page must carry a content security policy
}

// Crawl returns what is wrong with a site, each fault on one line, sorted:
// links and pictures that lead nowhere, fragments without an element, addresses
// that leave the base, files loaded from elsewhere, ids that are twice, text
// that was escaped twice, and pages that no other page links to.
func (s siteCrawl) Crawl() ([]string, error) {
	c := crawler{siteCrawl: s, ids: map[string]map[string]bool{}, linked: map[string]bool{"index.html": true, "404.html": true}}
	var pages []string
	err := fs.WalkDir(s.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(name, ".html") {
			pages = append(pages, name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("walk the site: %w", err)
	}
	for _, page := range pages {
		if err := c.page(page); err != nil {
			return nil, err
		}
	}
	for _, page := range pages {
		if !c.linked[page] {
			c.fault(page, "no page links here")
		}
	}
	slices.Sort(c.faults)
	return c.faults, nil
}

type crawler struct {
	siteCrawl
	ids    map[string]map[string]bool // by page
	linked map[string]bool
	faults []string
}

func (c *crawler) fault(page, format string, args ...any) {
	c.faults = append(c.faults, page+": "+fmt.Sprintf(format, args...))
}

var (
	tagPattern       = regexp.MustCompile(`<([a-z][a-z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*"|=[^\s">]+)?)*)\s*/?>`)
	attributePattern = regexp.MustCompile(`([a-zA-Z-]+)(?:="([^"]*)"|=([^\s">]+))?`)
)

// codePattern finds what a pack wrote as code: there "&amp;lt;" may be meant.
var codePattern = regexp.MustCompile(`(?s)<(pre|code)>.*?</(pre|code)>`)

// twice are the marks of text that was escaped two times over, and of template
// actions that went wrong.
var twice = []string{"&amp;amp;", "&amp;lt;", "&amp;gt;", "&amp;#", "&amp;quot;", "ZgotmplZ", "%!", "<no value>"}

func (c *crawler) page(page string) error {
	data, err := fs.ReadFile(c.Files, page)
	if err != nil {
		return fmt.Errorf("read %s: %w", page, err)
	}
	text := string(data)
	prose := codePattern.ReplaceAllString(text, "")
	for _, mark := range twice {
		if i := strings.Index(prose, mark); i >= 0 {
			c.fault(page, "holds %q: …%s…", mark, prose[max(0, i-30):min(len(prose), i+40)])
		}
	}
	if strings.IndexByte(text, 0) >= 0 {
		c.fault(page, "holds a NUL")
	}
	if c.Policy && !strings.Contains(strings.ReplaceAll(text, `"`, ""), "http-equiv=Content-Security-Policy") {
		c.fault(page, "has no content security policy")
	}
	for _, tag := range tagPattern.FindAllStringSubmatch(text, -1) {
		for _, a := range attributePattern.FindAllStringSubmatch(tag[2], -1) {
			c.attribute(page, tag[1], strings.ToLower(a[1]), html.UnescapeString(a[2]+a[3]))
		}
	}
	return nil
}

func (c *crawler) attribute(page, tag, name, value string) {
	switch {
	case strings.HasPrefix(name, "on"), name == "style", name == "srcdoc":
		c.fault(page, "<%s> has an attribute %s", tag, name)
	case name == "src", name == "href" && tag == "link" && !isAbsolute(value), name == "data-index":
		c.follow(page, tag, value, true)
	case name == "href" && tag != "link":
		c.follow(page, tag, value, false)
	}
}

func isAbsolute(u string) bool { return strings.Contains(u, "://") }

// follow resolves an address as a browser would and looks for what it names.
func (c *crawler) follow(page, tag, address string, load bool) {
	base, err := url.Parse(c.Base + percentEscape(page))
	if err != nil {
		c.fault(page, "bad base: %v", err)
		return
	}
	u, err := base.Parse(address)
	if err != nil {
		c.fault(page, "<%s> has a bad address %q: %v", tag, address, err)
		return
	}
	home, _ := url.Parse(c.Base)
	if u.Host != home.Host {
		if load {
			c.fault(page, "<%s> loads from elsewhere: %q", tag, address)
		} else if u.Scheme != "http" && u.Scheme != "https" && u.Scheme != "mailto" && u.Scheme != "tel" {
			c.fault(page, "<%s> has the scheme of %q", tag, address)
		}
		return
	}
	if strings.Contains(address, "%25") {
		c.fault(page, "<%s> has an address escaped twice: %q", tag, address)
	}
	name, ok := strings.CutPrefix(u.Path, home.Path)
	if !ok {
		c.fault(page, "<%s> leaves the site: %q", tag, address)
		return
	}
	if name == "" || strings.HasSuffix(name, "/") {
		c.fault(page, "<%s> names a folder: %q", tag, address)
		return
	}
	if _, err := fs.Stat(c.Files, name); err != nil {
		c.fault(page, "<%s> leads nowhere: %q", tag, address)
		return
	}
	if name != page {
		c.linked[name] = true
	}
	if u.Fragment != "" && strings.HasSuffix(name, ".html") && !c.idsOf(name)[u.Fragment] && u.Fragment != "top" {
		c.fault(page, "<%s> names no element: %q", tag, address)
	}
}

// idsOf returns the ids of a page, and reports those that are twice.
func (c *crawler) idsOf(page string) map[string]bool {
	if ids, ok := c.ids[page]; ok {
		return ids
	}
	ids := map[string]bool{}
	c.ids[page] = ids
	data, err := fs.ReadFile(c.Files, page)
	if err != nil {
		return ids
	}
	for _, tag := range tagPattern.FindAllStringSubmatch(string(data), -1) {
		for _, a := range attributePattern.FindAllStringSubmatch(tag[2], -1) {
			if strings.ToLower(a[1]) != "id" {
				continue
			}
			id := html.UnescapeString(a[2] + a[3])
			if ids[id] {
				c.fault(page, "the id %q stands twice", id)
			}
			ids[id] = true
		}
	}
	return ids
}

func percentEscape(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return path.Join(parts...)
}
