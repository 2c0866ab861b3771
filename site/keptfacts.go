package site

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// packFacts is what the site as a whole says of a pack, and which files it has of
// it.
type packFacts struct {
	pack *pack.Pack
	name string
	dir  string // below the site root: "packs/<name>/"

	card    templates.Card
	status  schema.Status    // of the last compile
	pages   []string         // for the sitemap, below the site root
	first   []templates.Link // its first pages and where each is, for the results page of the search; URLs from the site root
	lists   []templates.Link // of all of its pages, the same
	changes []change         // the pages that were changed last, when dates are shown
	prompts []string         // short tasks of the pack's evals that should select it
	full    []store.Digest   // the part of llms-full.txt, in pieces; none when it is still to be made
	front   store.Digest     // its page as the start page, when a site is to open on it
	search  *searchFacts

	diags []diag.Diagnostic
	files int      // that the site has of it
	last  []string // of a kept pack, the files that the previous site has of it, in order
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

// Held is what the store holds of the pages of a pack.
type Held struct {
	Key   store.Digest   // of the result
	Also  []store.Digest // blobs that those of the result refer to
	Files []publish.Kept // of the site
}

// Held returns what the store holds of the pages of a pack in that state, for a sink that
// they were made for; false when they are to be made.
func (s *Site) Held(p *pack.Pack, state store.Digest, sink publish.Target) (h Held, ok bool) {
	look, err := s.look()
	if err != nil {
		return h, false
	}
	h.Key = s.key(p, state, look, sink)
	found, ok := s.opts.Store.Action(h.Key)
	if !ok || len(found) == 0 {
		return h, false
	}
	f, files := unpackFacts(s.opts.Store, found)
	if f == nil || !f.search.whole(s.opts.Store) || !f.hasFront(s.opts.Store, false) {
		return h, false
	}
	h.Also, h.Files = append([]store.Digest{f.search.flags}, f.search.words[:]...), files
	if f.front.Known() {
		h.Also = append(h.Also, f.front)
	}
	return h, true
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
	found, ok := s.opts.Store.Action(key)
	if !ok || len(found) == 0 {
		return false
	}
	for _, piece := range found[1:] {
		if !s.opts.Store.Has(piece) {
			return false
		}
	}
	f, files := unpackFacts(s.opts.Store, found)
	if f == nil || !f.search.whole(s.opts.Store) || !f.hasFront(s.opts.Store, s.opts.Front) || !sink.Keep(files...) {
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
	f.diags, f.files = slices.Compact(f.diags), w.outputs.n
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
	lists, files, ok := b.listOutputs(&made.outputs)
	if !ok {
		return keptFacts{}, false
	}
	card, err := json.Marshal(&f.card)
	if err != nil {
		return keptFacts{}, false
	}
	changes, err := json.Marshal(f.changes)
	look, lookErr := b.look()
	if err != nil || lookErr != nil {
		return keptFacts{}, false
	}
	w := store.NewWriter(1 << 12)
	w.Uint(len(lists))
	w.Str(string(card))
	w.Str(string(f.status))
	w.Strs(f.pages)
	w.Strs(f.prompts)
	packLinks(w, f.first)
	packLinks(w, f.lists)
	w.Str(string(changes))
	w.Findings(f.diags)
	w.Digest(f.front)
	f.search.pack(w)
	s := b.opts.Store
	key := b.key(f.pack, made.ps.Result.State, look, b.sink)
	s.SetAction(key, slices.Concat(store.Result{s.SetBlob(w.Bytes())}, lists, f.full))
	return keptFacts{key, f, files}, true
}

// listedOutputs is how many files one blob lists: of a large pack there are more than a
// million.
const listedOutputs = 1 << 14

// listOutputs writes which files there are to the store and, for a build of this process
// that follows, to a list; false when one of them was not made.
func (b *build) listOutputs(outputs *outputList) (lists []store.Digest, files []publish.Kept, ok bool) {
	var some []publish.Kept
	flush := func() {
		w := store.NewWriter(80 * len(some))
		publish.PackKept(w, some)
		lists, some = append(lists, b.opts.Store.SetBlob(w.Bytes())), some[:0]
	}
	ok = outputs.kept(b.sink, func(k publish.Kept) {
		if some = append(some, k); len(some) == listedOutputs {
			flush()
		}
		if b.opts.Again {
			files = append(files, k)
		}
	})
	flush()
	return lists, files, ok
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

// unpackFacts reads the facts of a pack and, from blobs that are not held with them, which
// files there are; nil when they are not in the store.
func unpackFacts(s store.Store, found store.Result) (*packFacts, []publish.Kept) {
	data, ok := s.Blob(found[0])
	if !ok {
		return nil, nil
	}
	r, f := store.ReadBytes(data), &packFacts{}
	lists := r.Uint()
	if lists >= len(found) {
		return nil, nil
	}
	files, ok := unpackOutputs(s, found[1:1+lists])
	if !ok {
		return nil, nil
	}
	f.full = found[1+lists:]
	if json.Unmarshal([]byte(r.Str()), &f.card) != nil {
		return nil, nil
	}
	f.status = schema.Status(r.Str())
	f.pages, f.prompts = r.Strs(), r.Strs()
	f.first, f.lists = unpackLinks(r), unpackLinks(r)
	if json.Unmarshal([]byte(r.Str()), &f.changes) != nil {
		return nil, nil
	}
	f.diags = r.Findings()
	f.front = r.Digest()
	f.search = unpackSearchFacts(r)
	if !r.Done() {
		return nil, nil
	}
	return f, files
}

func packLinks(w *store.Writer, list []templates.Link) {
	w.Uint(len(list))
	for _, l := range list {
		w.Str(l.URL)
		w.Str(l.Text)
	}
}

func unpackLinks(r *store.Reader) []templates.Link {
	list := make([]templates.Link, r.CountOf(2))
	for i := range list {
		list[i] = templates.Link{URL: r.Str(), Text: r.Str()}
	}
	return list
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
