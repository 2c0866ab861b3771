package context

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/context/parallel"
)

// docState is what is known of a document or page as it is now.
type docState struct {
	load   sync.Once
	sha256 string // "" when the file is gone
	head   []byte // its front matter, both markers included; nil when it has none
}

// document reads the state of a file, once.
func (s *contents) document(name string) *docState {
	d, _ := s.loadState(name)
	return d
}

// load returns the text of a file, whose state is read with it; nil when it has none.
func (s *contents) load(name string) []byte {
	if _, text := s.loadState(name); text != nil {
		return text
	}
	text, _ := s.text(name)
	return text
}

// loadState reads the state of a file, once. The text is not held: the call that has read
// it returns it, too.
func (s *contents) loadState(name string) (d *docState, text []byte) {
	s.lock.Lock()
	d = s.documents[name]
	if d == nil {
		d = &docState{}
		s.documents[name] = d
	}
	s.lock.Unlock()
	d.load.Do(func() {
		if name == "" || !s.pack.Has(name) {
			return
		}
		data, err := s.pack.ReadFile(name)
		if err != nil {
			return
		}
		d.sha256 = schema.SHA256(data)
		var ok bool
		if text, ok = frontmatter.Decode(data); ok {
			d.head = headOf(text)
		}
	})
	return d, text
}

// toml is the line around front matter in TOML.
const toml = "+++"

// headOf copies the front matter of a text, so that the rest of it need not be
// held; nil when there is none that could be read.
func headOf(text []byte) []byte {
	marker := []byte("\n---")
	if bytes.HasPrefix(text, []byte(toml)) {
		marker = []byte("\n" + toml)
	}
	if !bytes.HasPrefix(text, marker[1:]) {
		return nil
	}
	text = text[:min(len(text), frontmatter.MaxPageBytes)]
	for at := 0; ; {
		next := bytes.Index(text[at:], marker)
		if next < 0 {
			return nil
		}
		at += next + len(marker)
		line, _, _ := bytes.Cut(text[at:], marker[:1])
		if len(bytes.TrimRight(line, " \t")) == 0 {
			return bytes.Clone(text[:min(at+len(line)+1, len(text))])
		}
	}
}

// front returns the front matter; empty unless it mentions one of some keys.
func (d *docState) front(keys ...string) frontmatter.Map {
	if !slices.ContainsFunc(keys, func(key string) bool { return bytes.Contains(d.head, []byte(key)) }) {
		return frontmatter.Map{}
	}
	if bytes.HasPrefix(d.head, []byte(toml)) {
		return frontmatter.NewMap("", markdown.Parse("", d.head).Meta, nil)
	}
	block, _ := frontmatter.Read(d.head, frontmatter.Options{})
	return frontmatter.NewMap("", block.Node, nil)
}

// status is that of the front matter, "" when it has none.
func (d *docState) status() schema.Status {
	status, _ := d.front("status").String("status")
	return schema.Status(status)
}

// maxUncompiled is how many files are named that a pack was not compiled with.
const maxUncompiled = 5

// uncompiled compares documents and pages with what the newest run has seen, and
// names those that came, went or changed since: compiled/ does not say what they
// say. The files of the selection are left out: they have warnings of their own.
func (s *contents) uncompiled(selected []*unit) []Warning {
	newest := s.runs.newest()
	if newest == nil || s.snap != nil {
		return nil
	}
	own := map[string]bool{}
	for _, u := range selected {
		own[u.document] = true
		for _, name := range u.madeFrom() {
			own[name] = true
		}
	}
	names := slices.Collect(maps.Keys(newest.inputs))
	for _, f := range slices.Concat(s.pack.List("documents"), s.pack.List("wiki")) {
		names = append(names, f.Path)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return own[name] || !makesViews(name) })
	slices.Sort(names)
	names = slices.Compact(names)
	messages := make([]string, len(names))
	parallel.Ranges(len(names), func(from, to int) {
		for i := from; i < to; i++ {
			messages[i] = s.sinceNewest(names[i], newest.inputs)
		}
	})
	var list []Warning
	more := 0
	for i, message := range messages {
		switch {
		case message == "":
		case len(list) == maxUncompiled:
			more++
		default:
			list = append(list, Warning{diag.Warning, names[i], message})
		}
	}
	if more > 0 {
		list = append(list, Warning{diag.Warning, compiledDir, fmt.Sprintf("%d more files came, went or changed since the newest compile run.", more)})
	}
	return list
}

// makesViews reports the documents and pages that a compile makes splits of.
func makesViews(name string) bool {
	return strings.HasPrefix(name, "documents/") && strings.HasSuffix(name, ".md") || strings.HasPrefix(name, "wiki/") && compiler.GetsSplits(name)
}

// sinceNewest says what has happened to a file since the newest run, "" for
// nothing. A run that gives no hash for a file says nothing about it.
func (s *contents) sinceNewest(name string, inputs map[string]string) string {
	sum, seen := inputs[name]
	switch {
	case !seen:
		return "No compile run has seen this file; what it says is not selected."
	case !s.pack.Has(name):
		return "This file is gone since the newest compile run."
	case sum != "" && !s.isAsRecorded(name, sum):
		return "This file has changed since the newest compile run; what is new in it is not selected."
	}
	return ""
}

// maxLooks is how many instructions of one file are reported.
const maxLooks = 3

// look takes invisible characters out of the selected texts, and reports it. In a pack from
// elsewhere it also reports what reads like an instruction: nobody here has checked it,
// and no comment in it can vouch for it.
func (c *choice) look(files []File) []Warning {
	var list []Warning
	for i := range files {
		f := &files[i]
		clean, n := invisible.Remove(f.Text)
		if n > 0 {
			f.Text, f.Tokens = clean, token.Estimate(clean)
			list = append(list, Warning{diag.Warning, f.Path, leftOutText(n)})
		}
		if c.isForeign() {
			list = append(list, instructionsIn(f)...)
		}
	}
	return list
}

func leftOutText(n int) string {
	if n == 1 {
		return "1 invisible character is left out."
	}
	return fmt.Sprintf("%d invisible characters are left out.", n)
}

// isForeign reports a pack from elsewhere.
func (c *candidate) isForeign() bool { return c.Unapproved || c.MaxTrust != "" }

// instructionsIn says what in a text reads like an instruction.
func instructionsIn(f *File) []Warning {
	var list []Warning
	for _, d := range lint.Instructions(f.Path, []byte(f.Text)) {
		if d.Severity != diag.Warning {
			continue
		}
		if len(list) == maxLooks {
			list = append(list, Warning{diag.Warning, f.Path, "More text in it reads like an instruction."})
			break
		}
		list = append(list, Warning{diag.Warning, f.Path, d.Message})
	}
	return list
}

// show takes invisible characters out of the sentences of a resolution, which quote packs.
// Names and paths stay as they are: who reads them opens files by them, and what prints
// them escapes what cannot be seen.
func (r *Resolution) show() {
	for i := range r.Missing {
		r.Missing[i], _ = invisible.Remove(r.Missing[i])
	}
	for _, list := range [][]Warning{r.Warnings, r.CompileWarnings} {
		for i := range list {
			list[i].Message, _ = invisible.Remove(list[i].Message)
		}
	}
}

// showEntry does so with all texts of an entry of a catalog.
func showEntry(e *schema.CatalogEntry) {
	list := []*string{&e.Name, &e.Description, &e.Type, &e.Version, &e.Language, &e.Scope, &e.Compatibility, &e.PrimaryDocument, &e.PrimaryOntology, &e.Location}
	if e.ProducedBy != nil {
		by := *e.ProducedBy
		e.ProducedBy = &by
		list = append(list, &by.Kind, &by.Name, &by.Version, &by.Digest)
	}
	for _, text := range list {
		*text, _ = invisible.Remove(*text)
	}
}

// withhold drops what a known secret is in (agent-knowledge section 18.4).
// Compile withholds such splits; this is for text that no compile has seen:
// sections cut in memory, pages, and files that were edited by hand. A guess keeps
// nothing from a reader.
func (p *picker) withhold() {
	kept := p.picks[:0]
	for _, t := range p.picks {
		hits := knownSecrets(p.pack, t.unit)
		if len(hits) == 0 {
			kept = append(kept, t)
			continue
		}
		found := lint.SecretFindings(t.path, []byte(t.text), hits)
		p.warn(diag.Error, t.path, found[0].Record()+"; it is withheld.")
	}
	p.picks = kept
}

// knownSecrets finds the known secrets in a text of a pack, without the values that a comment
// in its document accepts: a split has no comments.
func knownSecrets(p *pack.Pack, u *unit) []secret.Hit {
	found := func(text []byte) []secret.Hit {
		return slices.DeleteFunc(secret.Find(text), func(h secret.Hit) bool { return !h.Known })
	}
	hits := found([]byte(u.text))
	if len(hits) == 0 {
		return nil
	}
	document := cmp.Or(u.document, u.path)
	data, err := p.ReadFile(document)
	text, ok := frontmatter.Decode(data)
	if err != nil || !ok {
		return hits
	}
	isAccepted := map[string]bool{} // false for a value that is also written elsewhere
	for _, h := range found(text) {
		isAccepted[string(text[h.Start:h.End])] = true
	}
	for _, h := range lint.Scan(document, text).Secrets {
		isAccepted[string(text[h.Start:h.End])] = false
	}
	return slices.DeleteFunc(hits, func(h secret.Hit) bool { return isAccepted[u.text[h.Start:h.End]] })
}
