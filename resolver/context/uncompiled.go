package context

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
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
