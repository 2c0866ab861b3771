package compiler

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lastrun"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// copySources finds passages of raw sources in splits and views (agent-knowledge
// section 6.10, raw-copy). The sources are read when the first text is compared.
type copySources struct {
	pack  *pack.Pack
	once  sync.Once
	index *lint.CopyIndex
	late  []string // those that found no room in it
	err   error
}

// open returns the index of the sources.
func (x *copySources) open() *lint.CopyIndex {
	x.once.Do(func() {
		var list []string
		for _, f := range x.pack.List("sources") {
			if f.Size <= maxRead && !isUnit(f.Path) {
				list = append(list, f.Path)
			}
		}
		x.index, x.late, x.err = x.indexOf(list)
	})
	return x.index
}

// indexOf makes an index of as many sources as find room in one, and returns the others.
func (x *copySources) indexOf(list []string) (index *lint.CopyIndex, late []string, err error) {
	index = lint.NewCopyIndex()
	for i, name := range list {
		data, err := x.pack.ReadFile(name)
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", name, err)
		}
		if text, ok := frontmatter.Decode(data); ok && !index.Add(name, text) && i > 0 {
			return index, list[i:], nil
		}
	}
	return index, nil, nil
}

// findCopies compares the splits of every unit with the sources. Its result is an
// action of its own: another source changes no unit.
func (m *material) findCopies(ctx context.Context) error {
	w := store.NewWriter(64)
	for _, f := range m.pack.List("sources") {
		if in := m.inputs[f.Path]; in != nil && f.Size <= maxRead {
			w.Str(f.Path)
			w.Str(in.sha256)
		}
	}
	if len(w.Bytes()) == 0 {
		return nil
	}
	sources := store.Key("copies", Version, Program(), w.Text())
	var list []*file
	for _, f := range m.files {
		if len(f.info.Sizes) > 0 && !m.recallCopies(f, sources) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	found := make([][]diag.Diagnostic, len(list))
	index, late := m.sources.open(), m.sources.late
	err := m.sources.err
	for {
		if err != nil {
			return err
		}
		if err = m.parallel(ctx, len(list), func(i int) error { return m.compare(list[i], index, &found[i]) }); err != nil {
			return err
		}
		// Sources that found no room in the first index come in further ones: memory
		// must not grow with raw text, and a pack with so much of it is rare.
		if len(late) == 0 {
			break
		}
		index, late, err = m.sources.indexOf(late)
	}
	for i, f := range list {
		f.diags = append(f.diags, found[i]...)
		if f.key.Known() {
			store.Keep(m.cache.store, f.copiesKey(sources), found[i])
		}
	}
	return nil
}

// copiesKey is the key of the comparison of a file with sources.
func (f *file) copiesKey(sources store.Digest) store.Digest { return sources.With(string(f.key[:])) }

// recallCopies takes the copies in a file from the store.
func (m *material) recallCopies(f *file, sources store.Digest) bool {
	var list []diag.Diagnostic
	if !f.key.Known() || !store.Recall(m.cache.store, f.copiesKey(sources), &list) {
		return false
	}
	f.diags = append(f.diags, list...)
	return true
}

// compare looks for passages of sources in the splits of a file.
func (m *material) compare(f *file, index *lint.CopyIndex, found *[]diag.Diagnostic) error {
	texts, err := m.textsOf(f)
	if err != nil {
		return err
	}
	for _, s := range f.info.Sizes {
		if s.Size > len(texts) {
			return fmt.Errorf("the splits of %s do not fit their record", f.path)
		}
		text := texts[:s.Size]
		texts = texts[s.Size:]
		*found = append(*found, lint.CopyFindings(s.Path, text, index.Find(text))...)
	}
	return nil
}

// findViewCopies compares the views with the sources, and lets the index go. What
// a generated view says is in splits too: it is looked at only when one of
// those is copied.
func (j *joined) findViewCopies(handMade []schema.View) error {
	look := func(name string, text []byte) {
		j.found = append(j.found, lint.CopyFindings(name, text, j.sources.open().Find(text))...)
	}
	if slices.ContainsFunc(j.files, (*file).copied) {
		for _, name := range sortedKeys(j.texts) {
			look(name, []byte(j.texts[name]))
		}
	}
	for _, v := range handMade {
		data, err := j.out.old.Read(v.Path)
		if err == nil {
			look(v.Path, data)
		} else if lastrun.Failed(err) {
			return fmt.Errorf("read %s: %w", v.Path, err)
		}
	}
	j.sources.index = nil
	return j.sources.err
}

// copied reports a file of which a split is copied.
func (f *file) copied() bool {
	return slices.ContainsFunc(f.diags, func(d diag.Diagnostic) bool { return d.ID == gateRawCopy })
}
