package site

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// addClaims plans the source map as tables: of all claims, and where those are more than
// one page, of each status that is not confirmed.
func (b *build) addClaims(w *making) {
	claims := w.ps.Result.SourceMap.Claims
	all, by := make([]int32, len(claims)), map[schema.Status][]int32{}
	for i, c := range claims {
		all[i] = int32(i)
		by[c.Status] = append(by[c.Status], int32(i))
	}
	var counts []templates.StatusCount
	for _, s := range schema.ClaimStatuses() {
		if len(by[s]) == 0 {
			continue
		}
		count := templates.StatusCount{Status: string(s), Count: len(by[s])}
		if s != schema.Confirmed && len(claims) > page.RowsPerPage {
			count.URL = page.Numbered("claims-"+string(s), 1)
		}
		counts = append(counts, count)
	}
	b.addClaimPages(w, "claims", "", all, counts)
	for _, c := range counts {
		if c.URL != "" {
			b.addClaimPages(w, "claims-"+c.Status, c.Status, by[schema.Status(c.Status)], counts)
		}
	}
}

// addClaimPages plans the pages of some claims: those of a status, or all when it is "".
func (b *build) addClaimPages(w *making, name, status string, claims []int32, counts []templates.StatusCount) {
	for at := 1; at <= page.PagesFor(len(claims)); at++ {
		w.plan(w.ps.Dir+page.Numbered(name, at), func(out string) (templates.View, error) {
			v := page.Claims(w.pages, out, status, page.Window(claims, at))
			v.Counts, v.Pager = counts, page.Pager(name, at, len(claims))
			return v, nil
		})
	}
}

// addDocument plans a page of documents/ or wiki/ and the Markdown beside it.
func (b *build) addDocument(w *making, n *model.Node) {
	b.add(func() error {
		if err := putMarkdown(w, n); err != nil {
			return err
		}
		if err := putRedirects(w, n); err != nil {
			return err
		}
		return putPage(w, n)
	})
}

// putPage makes a page, unless the page made of the same view and article is still where it
// was put.
func putPage(w *making, n *model.Node) error {
	body := pageBuffers.Get().(*templates.Markup)
	defer pageBuffers.Put(body)
	v, err := page.Document(w.pages, n)
	if err != nil {
		return err
	}
	key, err := page.Key(w.pages, body, n, &v)
	if err != nil {
		return err
	}
	s := w.b.opts.Store
	if made, ok := s.Action(key); ok && len(made) == 1 && w.b.keep(n.Out, made[0]) {
		w.b.pages.Add(1)
		return nil
	}
	if err := w.pages.Body(body, n, n.Out); err != nil {
		return err
	}
	v.Body = body.B
	w.b.frames.SeenFirst(&v.Frame, len(v.Body))
	if err := w.b.render(n.Out, v); err != nil {
		return err
	}
	if kept, ok := w.b.sink.Sum(n.Out); ok {
		s.SetAction(key, store.Result{kept.Sum})
	}
	return nil
}

// addGraph plans what is said of the links between pages: files that say it page by page,
// and the graph of the pack. A file has the pages whose paths have one hash, so that a
// page which is added or edited changes few of them.
func (b *build) addGraph(w *making) {
	files := 1
	for files*graphShard < len(w.ps.Nodes) {
		files *= 2
	}
	shards := make([][]*model.Node, files)
	for _, n := range w.ps.Nodes {
		h := fnv.New32a()
		h.Write([]byte(model.InPack(w.ps, n)))
		at := h.Sum32() % uint32(files)
		shards[at] = append(shards[at], n)
	}
	for i, nodes := range shards {
		b.add(func() error {
			pages := map[string]graphRecord{}
			for _, n := range nodes {
				record, err := graphRecordOf(w.ps, n)
				if err != nil {
					return err
				}
				pages[model.InPack(w.ps, n)] = record
			}
			return w.putJSON("graph/"+strconv.Itoa(i)+".json", pages)
		})
	}
	b.add(func() error {
		g := graph(w.ps)
		g.Files = files
		return w.putJSON("graph/index.json", g)
	})
	w.plan(w.ps.Dir+page.GraphName, func(out string) (templates.View, error) { return page.Graph(w.pages, out), nil })
}

// addHistory plans the list of compile runs, and the newest record as it is.
// Older records stay in the repository: their messages quote text that may have
// been withdrawn since.
func (b *build) addHistory(w *making) {
	if newest := model.NewestRun(w.ps.Result); newest != "" {
		b.addLarge(func() error { return putRun(w, newest) })
	}
	for at := 1; at <= page.PagesFor(len(w.ps.Result.Runs())); at++ {
		out := w.ps.Dir + page.Numbered("history", at)
		b.addLarge(func() error { // it reads records, which list every input
			v, err := page.History(w.pages, out, at)
			if err != nil {
				return err
			}
			return w.render(out, v)
		})
	}
}

// putRun publishes a run record and its ledger.
func putRun(w *making, run string) error {
	for _, name := range []string{run, ledgerOf(w.ps.Result, w.files.open)} {
		if name == "" {
			continue
		}
		_, err := w.putFrom(w.ps.Dir+name, func(out io.Writer) error {
			return copyFrom(out, func() (io.ReadCloser, error) { return w.files.open(name) })
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// copyFrom copies what open opens.
func copyFrom(w io.Writer, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(w, r)
	return err
}

// addFolders plans a list of all pages of documents/ or wiki/, and a page for each folder
// in it that has no index page of its own.
func (b *build) addFolders(w *making) {
	ps := w.ps
	for _, root := range ps.Roots() {
		var list []*model.Node
		for _, n := range ps.Reading {
			if pack.LayerOf(n.Path) == pack.Layer(root.Path) {
				list = append(list, n)
			}
		}
		for at := 1; at <= page.PagesFor(len(list)); at++ {
			w.plan(ps.Dir+page.Numbered(root.Path, at), func(out string) (templates.View, error) {
				return page.Listing(w.pages, out, root, list, at), nil
			})
		}
	}
	for _, f := range ps.Folders {
		if f.Up == nil || f.Index != nil {
			continue
		}
		for at := 1; at <= page.PagesFor(len(f.Items)); at++ {
			w.plan(ps.Dir+f.Path+"/"+page.Numbered("index", at), func(out string) (templates.View, error) {
				return page.Folder(w.pages, out, f, at)
			})
		}
	}
}

// manyPages is the size in pages above which the search of a pack is not made beside its history
// and its archive: together they would be a third of the peak of memory.
const manyPages = 20_000

// addPack plans everything below packs/<name>/ but the pages of documents and wiki.
func (b *build) addPack(w *making) {
	b.owner = w.ps.Name
	b.addFolders(w)
	b.addGraph(w)
	b.addPrint(w)
	b.add(func() error { return putTree(w) })
	b.add(func() error { return putBadge(w) })
	b.addClaims(w)
	b.addSources(w)
	search := func() error { return putSearch(w) }
	if len(w.ps.Nodes) > manyPages {
		b.addLarge(search)
	} else {
		b.add(search)
	}
	b.addHistory(w)
	b.addViews(w)
	b.addRaw(w)
	addLLMs(w)
	b.addLarge(func() error {
		published := templates.Archive{URL: archive.ArchiveName, Text: archive.ArchiveName}
		if b.wantsArchive(w.ps.Dir) {
			var err error
			if published, err = putArchive(w); err != nil {
				return err
			}
		}
		out := w.ps.Dir + "index.html"
		v, err := page.Pack(w.pages, out, published)
		if err != nil {
			return err
		}
		if err := keepFront(w, published); err != nil {
			return err
		}
		return w.render(out, v)
	})
}

// addPrint plans the documents of a pack: lists of its pages in the author's order, whose
// texts the script puts in when the page is opened. Written out they would be made again
// with every edit.
func (b *build) addPrint(w *making) {
	parts := max(1, (len(w.ps.Reading)+page.PagesInPrint-1)/page.PagesInPrint)
	for part := 1; part <= parts; part++ {
		w.plan(w.ps.Dir+page.Numbered("print", part), func(out string) (templates.View, error) {
			return page.Print(w.pages, out, part, parts), nil
		})
	}
}

// addRaw plans the files that are published as they are, except for the Markdown
// of pages, which their own jobs read.
func (b *build) addRaw(w *making) {
	for _, f := range w.ps.Pack.Files {
		if pack.LayerOf(f.Path) == pack.Compiled || w.ps.ByPath[f.Path] != nil || !w.ps.MayPublish(f.Path) || f.Path == pack.EntryName {
			continue
		}
		b.add(func() error {
			if packpath.IsDrawing(f.Path) && refuses(w, f.Path) {
				return nil
			}
			data, err := w.ps.Pack.ReadFile(f.Path)
			if err != nil {
				return fmt.Errorf("publish %s of %s: %w", f.Path, w.ps.Name, err)
			}
			return w.put(w.ps.Dir+f.Path, model.Visible(f.Path, data))
		})
	}
	b.add(func() error {
		return w.put(w.ps.Dir+pack.EntryName, markdown.Visible(pack.EntryName, w.ps.Pack.Entry))
	})
	b.addLarge(func() error { return w.putRecord(pack.IndexPath, w.ps.Result.Index) })
	b.addLarge(func() error { return w.putRecord(pack.SourceMapPath, w.ps.Result.SourceMap) })
}

// putMarkdown publishes the Markdown of a page beside it, as a reader of the page sees it,
// and its splits.
func putMarkdown(w *making, n *model.Node) error {
	sum := n.Unit.Visible
	if !sum.Known() {
		sum = store.ParseDigest(n.Unit.SHA256)
	}
	if w.b.keep(w.ps.Dir+n.Path, sum) {
		return putSplits(w, n)
	}
	data, err := w.ps.Pack.ReadFile(n.Path)
	if err != nil {
		return fmt.Errorf("publish %s of %s: %w", n.Path, w.ps.Name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != n.Unit.SHA256 && n.Unit.SHA256 != "" {
		return fmt.Errorf("publish %s of %s: it changed while the site was being built; build again", n.Path, w.ps.Name)
	}
	if err := w.b.put(w.ps.Dir+n.Path, markdown.Visible(n.Path, data)); err != nil {
		return err
	}
	return putSplits(w, n)
}

// putSplits publishes the splits of a page; those that are where they should are
// not read.
func putSplits(w *making, n *model.Node) error {
	kept := map[string]bool{}
	left := false
	for _, s := range n.Facts.Splits {
		if !model.IsIndexed(w.ps, n, s.Path) {
			continue
		}
		if !w.ps.Outputs.Edited[s.Path] && w.b.keep(w.ps.Dir+s.Path, store.ParseDigest(w.ps.Split(w.ps.Outputs.Splits[s.Path]).SHA256)) {
			kept[s.Path] = true
		} else {
			left = true
		}
	}
	if !left {
		return nil
	}
	return model.EachSplit(w.ps, n, func(s model.Split, text []byte) error {
		if kept[s.Path] {
			return nil
		}
		return w.b.put(w.ps.Dir+s.Path, text)
	})
}

// putRedirects publishes a page at each former path that leads to the page.
func putRedirects(w *making, n *model.Node) error {
	for _, former := range n.Facts.Former {
		out := w.ps.Dir + former + ".html"
		url := model.Relative(out, n.Out)
		var page templates.Markup
		page.Put("<!doctype html>\n<html lang=en>\n<meta charset=utf-8>\n<meta http-equiv=Content-Security-Policy content=\"default-src 'none'\">\n<title>%s</title>\n<meta name=robots content=noindex>\n<meta http-equiv=refresh%[content]>\n<link rel=canonical%[href]>\n<p>This page has moved: <a%[href]>%s</a>\n",
			n.Name(), "0; url="+url, url, url, n.Name())
		if err := w.b.put(out, page.B); err != nil {
			return err
		}
	}
	return nil
}

// addSources plans a page for each source that claims rest on: its lines where sources are
// published, and the claims.
func (b *build) addSources(w *making) {
	for name, claims := range w.ps.Claims.Citing() {
		dir, stem := path.Split(strings.TrimSuffix(w.ps.SourcePage(name), ".html"))
		for at := 1; at <= page.PagesFor(len(claims)); at++ {
			w.plan(dir+page.Numbered(stem, at), func(out string) (templates.View, error) {
				v := page.Source(w.pages, out, name, page.Window(claims, at))
				v.Total, v.Pager = len(claims), page.Pager(stem, at, len(claims))
				if at == 1 {
					v.Lines = model.SourceLines(w.ps, name)
				}
				return v, nil
			})
		}
	}
}

// addViews plans the compiled views: a page and the Markdown beside it.
func (b *build) addViews(w *making) {
	for _, view := range w.ps.Result.Index.Views {
		if !w.ps.HasView(view.Path) {
			continue
		}
		b.addLarge(func() error {
			text, err := model.ViewText(w.ps, view.Path)
			if err != nil {
				return err
			}
			if err := w.put(w.ps.Dir+view.Path, text); err != nil {
				return err
			}
			out := w.ps.Dir + model.HTMLPath(view.Path)
			v, err := page.View(w.pages, out, &view, text)
			if err != nil {
				return err
			}
			return w.render(out, v)
		})
	}
}

// pageBuffers are articles with their links, while pages are put together.
var pageBuffers = sync.Pool{New: func() any { return new(templates.Markup) }}

// refuses reports whether a drawing is refused, and makes a finding of it.
func refuses(w *making, name string) bool {
	r := model.Refusal(w.ps, name)
	if r == nil {
		return false
	}
	w.report(diag.Diagnostic{
		ID: page.RuleRefused, Severity: diag.Warning, Pack: w.ps.Name, Path: name, Line: r.Line, Column: r.Column,
		Message: "the drawing is left out of the site: " + r.Why,
		Hint:    "export it as a plain drawing, with nothing that runs and nothing from elsewhere",
	})
	return true
}
