package compiler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
)

// copies finds passages of raw sources in splits and views (agent-knowledge
// section 6.10, raw-copy). The sources are read when the first text is compared.
type copies struct {
	once  sync.Once
	index *lint.CopyIndex
	late  []string // sources that found no room in it
	err   error
}

// copyIndex returns the index of the sources.
func (c *compilation) copyIndex() *lint.CopyIndex {
	x := &c.copies
	x.once.Do(func() {
		x.index = lint.NewCopyIndex()
		for _, f := range c.pack.List("sources") {
			if f.Size > maxRead || isUnit(f.Path) {
				continue
			}
			data, err := c.pack.ReadFile(f.Path)
			if err != nil {
				x.err = fmt.Errorf("read %s: %w", f.Path, err)
				return
			}
			if text, ok := frontmatter.Decode(data); ok && !x.index.Add(f.Path, text) {
				x.late = append(x.late, f.Path)
			}
		}
	})
	return x.index
}

// readSources reads every file of the pack that is not a unit and that compile does
// not make: it hashes them and scans their texts. Files too large to be read, or
// not text, are only hashed.
func (c *compilation) readSources(ctx context.Context) error {
	var list []pack.File
	for _, f := range c.pack.Files {
		if !isOutput(f.Path) && !isUnit(f.Path) && f.Path != entryFile {
			list = append(list, f)
		}
	}
	read := make([]input, len(list))
	err := c.parallel(ctx, len(list), func(i int) error { return c.readSource(list[i], &read[i]) })
	if err != nil {
		return err
	}
	c.inputs = make(map[string]*input, len(c.pack.Files))
	c.beside = map[string]*input{}
	for i, f := range list {
		c.found = append(c.found, read[i].diags...)
		if isInput(f.Path) {
			c.inputs[f.Path] = &read[i]
		} else {
			c.beside[f.Path] = &read[i]
		}
	}
	return nil
}

// readSource hashes a file and scans its text, or takes what that came out as from
// the store.
func (c *compilation) readSource(f pack.File, in *input) (err error) {
	n := c.memory
	if f.Size > maxRead {
		if in.sha256 = n.sum(f).String(); in.sha256 == "" {
			return fmt.Errorf("read %s: it cannot be read", f.Path)
		}
		return nil
	}
	if sum := n.known(f); sum.Known() && in.recall(n, f.Path, sum) {
		return nil
	}
	data, err := c.pack.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	sum := store.Sum(data)
	n.learn(f.Path, sum)
	if in.recall(n, f.Path, sum) {
		return nil
	}
	in.sha256, in.lines = sum.String(), countLines(data)
	in.diags = append(scanText(f.Path, data).Diagnostics, checkLayer(f.Path, data)...)
	if !hasSecret(in.diags) {
		w := store.NewWriter(64)
		w.Uint(in.lines)
		w.Findings(in.diags)
		n.store.SetAction(n.sourceKey(f.Path, sum), store.Result{n.store.SetBlob(w.Bytes())})
	}
	return nil
}

// sourceKey is the key of the scan of a file that is not a unit.
func (n *memory) sourceKey(path string, sum store.Digest) store.Digest {
	return store.Key("source", Version, Program(), path, string(sum[:]))
}

// recall fills in what the store knows of a file with those bytes.
func (in *input) recall(n *memory, path string, sum store.Digest) bool {
	found, ok := n.store.Action(n.sourceKey(path, sum))
	if !ok || len(found) != 1 {
		return false
	}
	data, ok := n.store.Blob(found[0])
	if !ok {
		return false
	}
	x := store.NewReader(string(data))
	lines, found2 := x.Uint(), x.Findings()
	if !x.Done() {
		return false
	}
	in.sha256, in.lines, in.diags = sum.String(), lines, found2
	return true
}

// findCopies compares the splits of every unit with the sources. What that came out
// as is an action of its own: another source changes no unit.
func (c *compilation) findCopies(ctx context.Context) error {
	w := store.NewWriter(64)
	for _, f := range c.pack.List("sources") {
		if in := c.inputs[f.Path]; in != nil && f.Size <= maxRead {
			w.Str(f.Path)
			w.Str(in.sha256)
		}
	}
	if len(w.Bytes()) == 0 {
		return nil
	}
	sources := store.Key("copies", Version, Program(), w.Text())
	var list []*file
	for _, f := range c.files {
		if len(f.info.Sizes) > 0 && !c.recallCopies(f, sources) {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return nil
	}
	found := make([][]diag.Diagnostic, len(list))
	index, late := c.copyIndex(), c.copies.late
	for {
		err := c.parallel(ctx, len(list), func(i int) error { return c.compare(list[i], index, &found[i]) })
		if err = errors.Join(err, c.copies.err); err != nil {
			return err
		}
		// Sources that found no room in the first index come in further ones: memory
		// must not grow with raw text, and a pack with so much of it is rare.
		if len(late) == 0 {
			break
		}
		if index, late, err = c.nextIndex(late); err != nil {
			return err
		}
	}
	for i, f := range list {
		f.diags = append(f.diags, found[i]...)
		if f.key.Known() {
			w := store.NewWriter(8)
			w.Findings(found[i])
			c.memory.store.SetAction(f.copiesKey(sources), store.Result{c.memory.store.SetBlob(w.Bytes())})
		}
	}
	return nil
}

// copiesKey is the key of the comparison of a file with sources.
func (f *file) copiesKey(sources store.Digest) store.Digest { return sources.With(string(f.key[:])) }

// recallCopies takes the copies in a file from the store.
func (c *compilation) recallCopies(f *file, sources store.Digest) bool {
	if !f.key.Known() {
		return false
	}
	found, ok := c.memory.store.Action(f.copiesKey(sources))
	if !ok || len(found) != 1 {
		return false
	}
	data, ok := c.memory.store.Blob(found[0])
	if !ok {
		return false
	}
	x := store.NewReader(string(data))
	list := x.Findings()
	if !x.Done() {
		return false
	}
	f.diags = append(f.diags, list...)
	return true
}

// nextIndex makes an index of as many of the sources as find room in one.
func (c *compilation) nextIndex(late []string) (*lint.CopyIndex, []string, error) {
	index, used := lint.NewCopyIndex(), 0
	for ; used < len(late); used++ {
		data, err := c.pack.ReadFile(late[used])
		if err != nil {
			return nil, nil, fmt.Errorf("read %s: %w", late[used], err)
		}
		if text, ok := frontmatter.Decode(data); ok && !index.Add(late[used], text) && used > 0 {
			break
		}
	}
	return index, late[used:], nil
}

// compare looks for passages of sources in the splits of a file.
func (c *compilation) compare(f *file, index *lint.CopyIndex, found *[]diag.Diagnostic) error {
	texts, err := c.textsOf(f)
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
func (c *compilation) findViewCopies(generated map[string]string, handMade []schema.View) error {
	look := func(name string, text []byte) {
		c.found = append(c.found, lint.CopyFindings(name, text, c.copyIndex().Find(text))...)
	}
	if slices.ContainsFunc(c.files, (*file).copied) {
		for _, name := range sortedKeys(generated) {
			look(name, []byte(generated[name]))
		}
	}
	for _, v := range handMade {
		if data, err := c.out.old.Read(v.Path); err == nil {
			look(v.Path, data)
		}
	}
	c.copies.index = nil
	return c.copies.err
}

// copied reports a file of which a split is copied.
func (f *file) copied() bool {
	return slices.ContainsFunc(f.diags, func(d diag.Diagnostic) bool { return d.ID == gateRawCopy })
}
