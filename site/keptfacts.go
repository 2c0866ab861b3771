package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/page"
	"github.com/packgen/packgen/site/search"
	"github.com/packgen/packgen/templates"
)

// packFacts is what the site as a whole says of a pack, and which files it has of
// it.
type packFacts struct {
	pack *pack.Pack
	name string
	dir  string // below the site root: "packs/<name>/"

	said  packSaid
	full  []store.Digest // the part of llms-full.txt, in pieces; none when it is still to be made
	front store.Digest   // its page as the start page, when a site is to open on it
	diags []diag.Diagnostic
	files int      // that the site has of it
	last  []string // of a kept pack, the files that the previous site has of it, in order
}

// packSaid is what the site as a whole says of a pack, as the store keeps it.
type packSaid struct {
	Card    templates.Card
	Status  schema.Status    // of the last compile
	Pages   []string         // for the sitemap, below the site root
	First   []templates.Link // its first pages and where each is, for the results page of the search; URLs from the site root
	Lists   []templates.Link // of all of its pages, the same
	Changes []change         // the pages that were changed last, when dates are shown
	Prompts []string         // short tasks of the pack's evals that should select it
	Search  *searchFacts
}

// keep adds a file to the new site without its bytes, when it is there untouched with
// that digest.
func (b *build) keep(path string, sum store.Digest) bool {
	if !sum.Known() || !b.sink.Keep(publish.Kept{Path: path, Sum: sum}) {
		return false
	}
	b.files.Add(1)
	return true
}

// pageOptions are what the pages of a pack depend on besides its state.
type pageOptions struct {
	Title, Description, BaseURL, Language, Version, Context    string
	PublishSources, Excerpts, PublishRuns, PlainCode, NoPolicy bool
	Bundle                                                     string // names the scripts and styles that pages load
	Dates                                                      string // of the files
}

// key is the key of what the site says of a pack in a state, and of its files. The
// bundle names the scripts and styles that pages load, and the sink decides which of the
// large files there are.
func (s *Site) key(p *pack.Pack, state store.Digest, bundle string, sink publish.Target) store.Digest {
	o := s.opts
	text, err := json.Marshal(pageOptions{
		Title: o.Title, Description: o.Description, BaseURL: o.BaseURL, Language: o.Language, Version: o.Version, Context: o.Context,
		PublishSources: o.PublishSources, Excerpts: o.Excerpts, PublishRuns: o.PublishRuns, PlainCode: o.PlainCode, NoPolicy: o.NoPolicy,
		Bundle: bundle, Dates: s.datesKey(p),
	})
	if err != nil {
		return store.Digest{}
	}
	made := fmt.Sprint(wantsArchive(sink, "packs/"+p.Meta.Name+"/"), sink.Wants(llmsFullName))
	return state.With("site", compiler.Program(), string(text), made)
}

// Held returns the key of what the store holds of the pages of a pack in that state, for a
// sink that they were made for, and which files of the site those are; false when they are
// to be made.
func (s *Site) Held(p *pack.Pack, state store.Digest, sink publish.Target) (key store.Digest, files []publish.Kept, ok bool) {
	look, err := s.look()
	if err != nil {
		return key, nil, false
	}
	key = s.key(p, state, look, sink)
	f, files := s.recall(key)
	return key, files, f != nil
}

// Apart says what the pages of a pack depend on besides the pack and the configuration:
// files of the site's own, and the history of git. It is "" for most.
func (s *Site) Apart(p *pack.Pack) (string, error) {
	look, err := s.look()
	if err != nil || s.opts.Custom == nil && s.opts.Changed == nil {
		return "", err
	}
	sum := store.Key(look, s.datesKey(p))
	return sum.String(), nil
}

// Knows reports whether nothing of a pack in that state has to be made again: the
// store knows what the site says of it, and all its files are where the site goes.
// They are part of the new site then. It is meant for compiler.Options.Enough.
func (s *Site) Knows(p *pack.Pack, state store.Digest, sink publish.Target) bool {
	look, err := s.look()
	if err != nil {
		return false
	}
	key := s.key(p, state, look, sink)
	s.mu.Lock()
	last, ok := s.kept[p.Meta.Name]
	s.mu.Unlock()
	if ok && last.key == key && sink.Keep(last.files...) {
		last.facts.pack = p
		s.learn(last)
		return true
	}
	f, files := s.recall(key)
	if f == nil || s.opts.Front && !f.front.Known() || !sink.Keep(files...) {
		return false
	}
	f.pack, f.name, f.dir = p, p.Meta.Name, "packs/"+p.Meta.Name+"/"
	f.files = len(files)
	s.learn(keptFacts{key, f, files})
	return true
}

// keptFacts is what the site says of a pack in a state, and its files.
type keptFacts struct {
	key   store.Digest
	facts *packFacts
	files []publish.Kept
}

// learn notes what the site says of a pack, for this time and the next.
func (s *Site) learn(k keptFacts) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[k.facts.name] = k.facts
	if s.opts.Again {
		s.kept[k.facts.name] = k
	}
}

// remember keeps what the site says of a pack and, in the store, which files it has of
// it. A pack that lacks a file, such as an archive that could not be made, is known in
// this run alone.
func (b *build) remember(w *making) {
	f := w.facts
	diag.Sort(f.diags)
	f.diags, f.files = slices.Compact(f.diags), w.count()
	if kept, ok := b.store(w); ok {
		b.learn(kept)
		return
	}
	b.Site.mu.Lock()
	defer b.Site.mu.Unlock()
	b.known[f.name] = f
}

// store writes the facts of a pack to the store; false when that cannot be.
func (b *build) store(made *making) (keptFacts, bool) {
	if !made.ps.Result.State.Known() {
		return keptFacts{}, false
	}
	f := made.facts
	lists, files, ok := b.listOutputs(made.outputs())
	text, err := json.Marshal(storedFacts{len(lists), f.front.Known(), &f.said})
	look, lookErr := b.look()
	if !ok || err != nil || lookErr != nil {
		return keptFacts{}, false
	}
	w := store.NewWriter(len(text) + 1<<10)
	w.Str(string(text))
	w.Findings(f.diags)
	result := slices.Concat(store.Result{b.opts.Store.SetBlob(w.Bytes())}, lists, f.said.Search.blobs[:])
	if f.front.Known() {
		result = append(result, f.front)
	}
	key := b.key(f.pack, made.ps.Result.State, look, b.sink)
	b.opts.Store.SetAction(key, append(result, f.full...))
	return keptFacts{key, f, files}, true
}

// storedFacts is the head of what the store keeps of a pack. The blobs of its result are
// this, lists of files, the words of the search, the start page and pieces of llms-full.txt.
type storedFacts struct {
	OutputLists int
	HasFront    bool
	Said        *packSaid
}

// recall reads the facts of a pack and which files the site has of it; nil when one of their
// blobs is not in the store.
func (s *Site) recall(key store.Digest) (*packFacts, []publish.Kept) {
	found, ok := s.opts.Store.Action(key)
	if !ok || len(found) == 0 || slices.ContainsFunc(found, func(d store.Digest) bool { return !s.opts.Store.Has(d) }) {
		return nil, nil
	}
	data, _ := s.opts.Store.Blob(found[0])
	r, f := store.ReadBytes(data), &packFacts{}
	head := storedFacts{Said: &f.said}
	err := json.Unmarshal([]byte(r.Str()), &head)
	f.diags = r.Findings()
	rest, fronts := found[1:], 0
	if head.HasFront {
		fronts = 1
	}
	if err != nil || !r.Done() || f.said.Search == nil || head.OutputLists < 0 || head.OutputLists+len(f.said.Search.blobs)+fronts > len(rest) {
		return nil, nil
	}
	files, ok := unpackOutputs(s.opts.Store, rest[:head.OutputLists])
	if !ok {
		return nil, nil
	}
	rest = rest[head.OutputLists:]
	rest = rest[copy(f.said.Search.blobs[:], rest):]
	if head.HasFront {
		f.front = rest[0]
	}
	f.full = rest[fronts:]
	return f, files
}

// listedOutputs is how many files one blob lists: of a large pack there are more than a
// million.
const listedOutputs = 1 << 14

// listOutputs writes which files there are to the store and, for a build of this process
// that follows, to a list; false when one of them was not made.
func (b *build) listOutputs(outputs iter.Seq[string]) (lists []store.Digest, files []publish.Kept, ok bool) {
	var some []publish.Kept
	flush := func() {
		w := store.NewWriter(80 * len(some))
		publish.PackKept(w, some)
		lists, some = append(lists, b.opts.Store.SetBlob(w.Bytes())), some[:0]
	}
	for path := range outputs {
		k, ok := b.sink.Sum(path)
		if !ok {
			return nil, nil, false
		}
		if some = append(some, k); len(some) == listedOutputs {
			flush()
		}
		if b.opts.Again {
			files = append(files, k)
		}
	}
	flush()
	return lists, files, true
}

// unpackOutputs reads what listOutputs wrote; false when a list is not in the store.
func unpackOutputs(s store.Store, lists []store.Digest) (files []publish.Kept, ok bool) {
	for _, sum := range lists {
		list, ok := s.Blob(sum)
		if !ok {
			return nil, false
		}
		r := store.ReadBytes(list)
		if files = append(files, publish.UnpackKept(r)...); !r.Done() {
			return nil, false
		}
	}
	return files, true
}

// look names what every page loads, where that is not the program's own alone: the
// names of the files identify their content.
func (s *Site) look() (string, error) {
	if s.opts.Custom == nil && !s.opts.Offline {
		return "", nil
	}
	b, err := s.assets()
	if err != nil {
		return "", err
	}
	return strings.Join(slices.Concat(b.Style, b.Script, []string{b.Icon, b.First.Sum}), " "), nil
}

// errReused is the error about a pack that was not compiled as far as the site needs
// it.
func errReused(name string) error {
	return fmt.Errorf("what the site needs of pack %s is no longer in the store: build again", name)
}

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

// mostLayout is the most bytes of a layout that is read again.
const mostLayout = 64 << 20

// keepLayout takes over the layout of a kept pack, and the texts that it names, from the
// previous site. It returns the name of the layout and the files: none where they are not
// as that site had them.
func (b *build) keepLayout(f *packFacts) (name string, files []string) {
	dir := f.dir + search.Dir
	for _, path := range b.sink.Last(dir) {
		stem, packed := strings.CutSuffix(strings.TrimPrefix(path, dir), ".bin")
		if !packed || strings.Contains(stem, "-") {
			continue // a file of titles has a number
		}
		l := readLayout(b.sink, path)
		if l == nil || l.Splits != f.said.Card.Splits {
			continue
		}
		files = []string{path}
		for _, text := range slices.Sorted(maps.Values(l.Marked)) {
			files = append(files, dir+text+".bin")
		}
		files = slices.Compact(files)
		for _, file := range files {
			if _, ok := b.sink.LastSum(file); !ok {
				return "", nil
			}
		}
		for _, file := range files {
			keepLast(b, file)
		}
		return stem, files
	}
	return "", nil
}

// readLayout reads a layout; nil for any other file.
func readLayout(last publish.Target, path string) *packLayout {
	data, err := last.ReadLast(path)
	if err != nil {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(z, mostLayout))
	var l packLayout
	if err != nil || json.Unmarshal(text, &l) != nil || l.Layout == nil {
		return nil
	}
	return &l
}
