package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/matching"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/site/search"
	"github.com/packgen/packgen/templates"
)

// Options describe a site. The zero value is a site without a title or an
// address, highlighted, without a cache.
type Options struct {
	Title          string      // of the site; "" is "Knowledge packs"
	Description    string      // one sentence below the title
	BaseURL        string      // absolute URL of the published site with a final slash; "" when unknown: no sitemap, no canonical links
	Language       string      // of our own words on pages without a pack; "" is "en"
	PublishSources bool        // publish sources/, on the pages and in the archives, and link anchors to them
	Excerpts       bool        // show what a claim cites of sources that are not published, where the pack has a licence
	PublishRuns    bool        // put all of runs/ into the archives, not only the newest compile run
	PlainCode      bool        // do not highlight code blocks
	Matcher        string      // the dialect that the match page starts with; "" for the first
	Examples       []string    // tasks offered on the match page; none: made from the index
	Custom         fs.FS       // the site's own site.css and site.ts; may be nil
	Store          store.Store // remembers the results of packs; nil remembers nothing
	Code           store.Store // remembers highlighted code; nil remembers nothing
	Offline        bool        // keep what was read for times without a network
	Edit           string      // an address that edits a file, with {path} for its path from the root of the repository; "" offers none
	Context        string      // what else the pages of a pack depend on, such as how its evals are run
	Again          bool        // the site is generated more than once: packs are kept in memory
	Front          bool        // a site of one pack opens on its page, where it has no roles and no report: the start page of each pack is made
	Jobs           int         // pages worked on at once; 0 is GOMAXPROCS
	Version        string      // of packgen, for the foot of every page

	// Locate returns the path of a file of a pack from the root of the repository; it is
	// needed where there is Edit.
	Locate func(p *pack.Pack, name string) string
	// Changed returns when a file of a pack was last changed, zero when that is not known;
	// nil shows no dates.
	Changed func(p *pack.Pack, name string) time.Time

	// SplitIndex makes index.json a root that names a part for each pack, an index of its
	// own below index/.
	SplitIndex bool

	// Lists keeps by which keys the store has what the match page has of each pack, for
	// [Site.MatchLists].
	Lists bool

	NoPolicy bool // leave the content security policy out: for tests that must not lean on it
}

// Costly reports a file that takes long to make, and that an author does not look at.
// A server decides on no other whether it is made now.
func Costly(name string) bool {
	switch name {
	case llmsFullName, "index.json", "index.bin", matching.RootPath, search.RootPath:
		return true
	}
	base := path.Base(name)
	return base != name && (base == archive.ArchiveName || base == schema.PackManifestName)
}

// MadeWith returns the costly file that a file is made with: the parts of the search and of
// the match index come with their roots. Any other file is made by itself.
func MadeWith(name string) string {
	for _, root := range []string{search.RootPath, matching.RootPath} {
		if strings.HasPrefix(name, path.Dir(root)+"/") {
			return root
		}
	}
	if strings.HasPrefix(name, partsDir) {
		return "index.json"
	}
	return name
}

// llmsFullName is the file that holds the whole site as one text.
const llmsFullName = "llms-full.txt"

// Site makes a site. Make one with [New].
type Site struct {
	opts   Options
	paint  *highlight.Highlighter // nil when code stays plain
	assets func() (*assets.Bundle, error)

	mostEntries int // of an index that is read again

	large sync.Mutex // held by the job that makes a file as large as the packs

	mu    sync.Mutex
	known map[string]*packFacts     // packs of which nothing has changed, by name
	lists map[string][]store.Digest // what Options.Lists asks for, by pack
	kept  map[string]keptFacts      // what was said of packs last, when Options.Again asks for it
}

// New prepares a site.
func New(o Options) *Site {
	if o.Title == "" {
		o.Title = "Knowledge packs"
	}
	if o.Language == "" {
		o.Language = "en"
	}
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	if o.BaseURL != "" && !strings.HasSuffix(o.BaseURL, "/") {
		o.BaseURL += "/"
	}
	if o.Store == nil {
		o.Store = &store.Memory{}
	}
	if o.Code == nil {
		o.Code = &store.Memory{}
	}
	s := &Site{opts: o, mostEntries: indexjson.MaxEntries, known: map[string]*packFacts{}, kept: map[string]keptFacts{}}
	s.assets = sync.OnceValues(func() (*assets.Bundle, error) {
		return assets.Build(assets.Options{Custom: o.Custom, Offline: o.Offline})
	})
	if !o.PlainCode {
		s.paint = highlight.New(o.Code, compiler.Program())
	}
	return s
}

// contributorVersion changes with what is kept of a unit and with how an article is
// rendered.
const contributorVersion = "14 highlight="

// Contributor renders the article of each unit, with placeholders where links to other
// pages go.
func (s *Site) Contributor() compiler.Contributor {
	return compiler.Contributor{
		Name: model.PartName, Key: contributorVersion + strconv.FormatBool(!s.opts.PlainCode),
		Unit: func(u *compiler.Unit) (facts, body []byte, err error) {
			facts, body = model.PartOf(u, s.paint)
			return facts, body, nil
		},
	}
}

// frontPage is the start page.
const frontPage = "index.html"

// keepFront puts the page of the pack as the start page into the store, when a site is to
// open on it: that page is made with those of the site, which no longer know the pack.
func keepFront(w *making, published templates.Archive) error {
	if !w.b.opts.Front {
		return nil
	}
	v, err := page.Pack(w.pages, frontPage, published)
	if err != nil {
		return err
	}
	v.Front = true
	if v.Canonical != "" {
		v.Canonical = w.b.frames.Of(w.ps.Dir+"index.html", "", "").Canonical // all links lead there
	}
	var page bytes.Buffer
	if err := templates.Render(&page, v); err != nil {
		return fmt.Errorf("make the start page: %w", err)
	}
	w.facts.front = w.b.opts.Store.SetBlob(page.Bytes())
	return nil
}

// alone returns the pack that the site opens on: the only one, where there is nothing else
// that the start page would list; nil otherwise.
func (b *build) alone() *packFacts {
	if len(b.packs) != 1 || len(b.roles) > 0 || b.in.Report != nil {
		return nil
	}
	return b.packs[0]
}

// opens reports whether the start page is that of a pack. Where the pack has pages of an
// earlier build alone, it is a list that leads on.
func (b *build) opens() bool {
	f := b.alone()
	return f != nil && b.opts.Front && f.said.Card.Kept == nil
}

// addFront plans the start page of a site that opens on its pack.
func (b *build) addFront() {
	if !b.opens() {
		return
	}
	b.add(func() error {
		page, ok := b.opts.Store.Blob(b.packs[0].front)
		if !ok {
			return errReused(b.packs[0].name)
		}
		return b.put(frontPage, page)
	})
}
