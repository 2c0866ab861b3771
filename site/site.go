// Package site turns compiled packs and their loadout index into the files of a
// browsable site: a page for everything a person reads, the raw Markdown beside
// it for everything an agent reads, the index with the matcher that runs on it,
// and the lists that programs start from (agent-knowledge sections 12.4 and 20).
//
// # Two steps
//
// [Site.Visit] sees each file while compile has its parsed tree in memory. It
// renders the article once and spools it to a temporary file; of the page it
// keeps a few numbers. [Site.Generate] then knows every page, title, heading,
// claim and split, puts the pages together in parallel, and hands each file to
// a [Sink]. No bodies are held in memory, and no page grows with the number of
// pages.
//
// # What a pack may do to a page
//
// Nothing but show text. Raw HTML is shown as the text it is, addresses are
// limited to a few schemes, pictures come from the pack itself, and a content
// security policy stands behind all that.
package site

import (
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/site/highlight"
	"github.com/packgen/packgen/site/spool"
)

// Options describe a site. The zero value is a site without a title or an
// address, highlighted, without a cache.
type Options struct {
	Title          string   // of the site; "" is "Knowledge packs"
	Description    string   // one sentence below the title
	BaseURL        string   // absolute URL of the published site with a final slash; "" when unknown: no sitemap, no canonical links
	Language       string   // of our own words on pages without a pack; "" is "en"
	PublishSources bool     // publish sources/, on the pages and in the archives, and link anchors to them
	PublishRuns    bool     // put all of runs/ into the archives, not only the newest compile run
	PlainCode      bool     // do not highlight code blocks
	Examples       []string // tasks offered on the match page; none: made from the index
	Custom         fs.FS    // the site's own site.css and site.ts; may be nil
	CacheDir       string   // where highlighted code is kept between builds; "" keeps none
	TempDir        string   // where pages are spooled; "" is the system's
	Jobs           int      // pages worked on at once; 0 is GOMAXPROCS
	Version        string   // of packgen, for the foot of every page
	NoPolicy       bool     // leave the content security policy out: for tests that must not lean on it
}

// Sink takes the files of a site. Put may be called from several goroutines; it
// must not keep data. [publish.Tx] is one.
type Sink interface {
	Put(path string, data []byte) (publish.Change, error)
}

// Site collects the pages of a site. Make one with [New] and close it.
type Site struct {
	opts  Options
	spool *spool.Spool
	paint *highlight.Highlighter // nil when code stays plain

	mu    sync.Mutex
	packs map[string]*packState // by name
}

// New prepares a site. Packs may be named now, or come with their first page.
// The caller closes the site, whatever happens.
func New(o Options, packs ...*pack.Pack) (*Site, error) {
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
	s := &Site{opts: o, packs: map[string]*packState{}}
	var err error
	if s.spool, err = spool.New(o.TempDir); err != nil {
		return nil, err
	}
	if !o.PlainCode {
		s.paint = highlight.New(s.spool, o.CacheDir)
	}
	for _, p := range packs {
		s.state(p)
	}
	return s, nil
}

// Close removes the spool and saves the highlighted code. A cache that cannot
// be saved is no error: the next build is slower, that is all.
func (s *Site) Close() error {
	if s.paint != nil {
		_ = s.paint.Save()
	}
	if err := s.spool.Close(); err != nil {
		return fmt.Errorf("remove the page spool: %w", err)
	}
	return nil
}

// state returns what is known of a pack, made when it is first asked for.
func (s *Site) state(p *pack.Pack) *packState {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st, ok := s.packs[p.Meta.Name]; ok {
		return st
	}
	st := newPackState(p)
	s.packs[p.Meta.Name] = st
	return st
}
