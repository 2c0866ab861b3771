package compiler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
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

// readSources reads every file of the pack that is no unit and that compile does
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
	return c.compareSources()
}

// readSource reads one file, unless the cache knows it.
func (c *compilation) readSource(f pack.File, in *input) (err error) {
	if c.cache.known(f, in) {
		return nil
	}
	if f.Size > maxRead {
		in.sha256, err = c.pack.SHA256(f.Path)
	} else {
		var data []byte
		data, err = c.pack.ReadFile(f.Path)
		in.sha256, in.lines = hexSum(data), countLines(data)
		in.diags = append(scanText(f.Path, data).Diagnostics, checkLayer(f.Path, data)...)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	return nil
}

// findCopies compares a split with the sources.
func (c *compilation) findCopies(f *file, path string, text []byte) {
	if found := c.copyIndex().Find(text); len(found) > 0 {
		f.diags = append(f.diags, lint.CopyFindings(path, text, found)...)
	}
}

// findLateCopies compares the splits with the sources that found no room in the
// first index. Texts are cut once more for each further index: a pack with so
// much raw text is rare, and memory must not grow with it.
func (c *compilation) findLateCopies(ctx context.Context) error {
	if c.copies.err != nil {
		return c.copies.err
	}
	late := c.copies.late
	for len(late) > 0 {
		index := lint.NewCopyIndex()
		used := 0
		for ; used < len(late); used++ {
			data, err := c.pack.ReadFile(late[used])
			if err != nil {
				return fmt.Errorf("read %s: %w", late[used], err)
			}
			if text, ok := frontmatter.Decode(data); ok && !index.Add(late[used], text) && used > 0 {
				break
			}
		}
		late = late[used:]
		err := c.parallel(ctx, len(c.files), func(i int) error { return c.recut(c.files[i], index) })
		if err != nil {
			return err
		}
	}
	return nil
}

// findViewCopies compares the views with the sources, and lets the index go. What
// a generated view says stands in splits too: it is looked at only when one of
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

// recut cuts a file that was cut before, to compare its splits with sources.
func (c *compilation) recut(f *file, index *lint.CopyIndex) error {
	if !f.walked || !f.role.getsSplits() {
		return nil
	}
	data, err := c.pack.ReadFile(f.path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.path, err)
	}
	doc, ok := c.parse(f.path, data)
	if !ok {
		return nil
	}
	pieces, _ := cutByRole(f, doc)
	for i, p := range pieces {
		if i >= len(f.sections) || f.sections[i].split.Path == "" {
			continue
		}
		text := p.Text(doc, nil) // markers are no words
		f.diags = append(f.diags, lint.CopyFindings(f.sections[i].split.Path, text, index.Find(text))...)
	}
	return nil
}

// isSource reports a file of the raw layer.
func isSource(name string) bool { return strings.HasPrefix(name, "sources/") }
