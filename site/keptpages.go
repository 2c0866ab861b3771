package site

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/templates"
)

// Kept is a pack that could not be built: the files that the previous site has of it stay,
// and each of its pages says so.
type Kept struct {
	Name   string // below packs/
	Before int    // how many of the results come before it
	Errors int    // that keep it from being built; 0 when they are not known
}

// HasLast reports whether the previous site has pages of a pack.
func HasLast(last publish.Target, name string) bool {
	_, found := slices.BinarySearch(last.Last("packs/"+name+"/"), "packs/"+name+"/index.html")
	return found
}

// LastSecret reports whether the previous site shows a likely secret in the texts of a
// pack. A build that finds one in a pack that it cannot make again shows nothing of it.
func LastSecret(last publish.Target, name string) bool {
	return slices.ContainsFunc(last.Last("packs/"+name+"/"), func(file string) bool {
		if path.Ext(file) == ".gz" || model.IsImage(file) {
			return false
		}
		text, err := last.ReadLast(file)
		return err == nil && slices.ContainsFunc(secret.Find(text), func(hit secret.Hit) bool { return hit.Known })
	})
}

// keepPacks plans to take over the files of the packs that could not be built, and
// puts what the site says of them among the others.
func (b *build) keepPacks() error {
	if len(b.in.Kept) == 0 {
		return nil
	}
	for i, k := range b.in.Kept {
		notice := templates.Kept(k.Name, k.Errors)
		f := keptPack(b.sink, k.Name, &notice)
		b.packs = slices.Insert(b.packs, min(k.Before+i, len(b.packs)), f)
		if err := b.keptSearch(f); err != nil {
			return err
		}
		for _, name := range f.last {
			b.add(func() error { return b.keepFile(name, notice) })
		}
	}
	b.keepAssets()
	if b.sink.Wants(llmsFullName) {
		b.keepFulls()
	}
	return nil
}

// keepFile takes over one file. One that somebody has changed is no longer what was
// published, and goes.
func (b *build) keepFile(name string, notice templates.Notice) error {
	if !strings.HasSuffix(name, ".html") {
		keepLast(b, name)
		return nil
	}
	page, err := b.sink.ReadLast(name)
	if err != nil {
		return nil
	}
	return b.put(name, templates.WithKept(page, notice))
}

// keepLast takes over a file of the previous site as it is, unless somebody has changed it.
func keepLast(b *build, name string) {
	if last, ok := b.sink.LastSum(name); ok {
		b.keep(last.Path, last.Sum)
	}
}

// keepAssets plans to take over the styles and scripts of the previous site that the new
// one has not: kept pages load them.
func (b *build) keepAssets() {
	made := map[string]bool{}
	for _, f := range b.frames.Assets.Files {
		made[f.Path] = true
	}
	for _, name := range b.sink.Last("assets/") {
		if !made[name] {
			b.add(func() error {
				keepLast(b, name)
				return nil
			})
		}
	}
}

// keptPack is what the site as a whole says of a pack that it keeps, by the files of the
// previous site. What cannot be read is left out.
func keptPack(last publish.Target, name string, notice *templates.Notice) *packFacts {
	f := &packFacts{name: name, dir: "packs/" + name + "/", pack: &pack.Pack{}}
	f.last = last.Last(f.dir)
	if entry, err := last.ReadLast(f.dir + pack.EntryName); err == nil {
		if p, _ := pack.FromEntry(entry, name); p != nil {
			f.pack = p
		}
	}
	f.pack.Meta.Name = name
	m := &f.pack.Meta
	f.said.Card = templates.Card{
		URL: f.dir + "index.html", Name: name, Description: m.Description, Type: m.Type, Profile: m.EffectiveProfile(),
		Status: string(m.Status), Trust: m.Trust, Grounding: m.Grounding, Version: m.Version, Kept: notice,
	}
	if m.EffectiveMode() == "persona" {
		f.said.Card.Mode = "persona"
	}
	if text, err := last.ReadLast(f.dir + pack.IndexPath); err == nil {
		if ix, err := schema.DecodeIndex(text); err == nil {
			f.said.Card.Splits, f.said.Card.Tokens = len(ix.Splits), ix.TotalTokenEstimate
		}
	}
	if text, err := last.ReadLast(f.dir + pack.SourceMapPath); err == nil {
		if sources, err := schema.DecodeSourceMap(text); err == nil {
			f.said.Card.Claims = len(sources.Claims)
		}
	}
	f.said.Pages, f.said.Card.Pages = keptPages(f)
	f.last = slices.DeleteFunc(f.last, func(name string) bool { return strings.HasPrefix(name, f.dir+"search/") }) // made again
	return f
}

// keptPages lists the pages of a kept pack for the sitemap, and counts those of documents
// and wiki: a page has its Markdown beside it, and a redirect has not.
func keptPages(f *packFacts) (pages []string, documents int) {
	has := func(name string) bool {
		_, found := slices.BinarySearch(f.last, name)
		return found
	}
	for _, out := range f.last {
		switch below := strings.TrimPrefix(out, f.dir); {
		case !strings.HasSuffix(out, ".html"):
		case below == "index.html":
			pages = append(pages, f.dir)
		case below == "claims.html", below == "history.html", below == page.GraphName:
			pages = append(pages, out)
		case model.MarkdownOf(out, has) != "":
			pages = append(pages, out)
			if top := pack.LayerOf(below); top == pack.Documents || top == pack.Wiki {
				documents++
			}
		}
	}
	return pages, documents
}

// keptFull returns the part of a kept pack in the llms-full.txt of the previous site; nil
// when that has none.
func keptFull(text []byte, name string) []byte {
	// A pack's own text cannot hold the tag: fences make it harmless.
	open := "\n<knowledge_pack name=\"" + xmlAttr(name) + "\""
	at := bytes.Index(text, []byte(open))
	if at < 0 {
		return nil
	}
	const closing = "</knowledge_pack>\n"
	head, end := bytes.LastIndex(text[:at], []byte("\n# ")), bytes.Index(text[at:], []byte(closing))
	if head < 0 || end < 0 {
		return nil
	}
	return text[head : at+end+len(closing)]
}

// keepFulls takes over the parts of kept packs in llms-full.txt.
func (b *build) keepFulls() {
	text, err := b.sink.ReadLast(llmsFullName)
	if err != nil {
		return
	}
	for _, f := range b.packs {
		if f.said.Card.Kept == nil {
			continue
		}
		if part := keptFull(text, f.name); part != nil {
			f.full = []store.Digest{b.opts.Store.SetBlob(part)}
		}
	}
}

// keptNote goes with a kept pack in lists for programs.
func (f *packFacts) keptNote() string {
	if f.said.Card.Kept == nil {
		return ""
	}
	return ", as of its last good build"
}
