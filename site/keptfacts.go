package site

import (
	"encoding/json"
	"fmt"
	"iter"
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
