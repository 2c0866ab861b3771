package compiler

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
)

// copies finds passages of raw sources in splits (agent-knowledge section 6.10,
// raw-copy).
type copies struct {
	index *lint.CopyIndex
	late  []string // sources that found no room in it
}

// readSources reads every file of the pack that is no unit and that compile does
// not make: it hashes inputs, scans texts, and enters sources into the index that
// splits are compared with. Files too large to be read, or not text, are only
// hashed.
func (c *compilation) readSources(ctx context.Context) error {
	c.copies = &copies{index: lint.NewCopyIndex()}
	var list []pack.File
	for _, f := range c.pack.Files {
		if !isOutput(f.Path) && !isUnit(f.Path) && f.Path != entryFile {
			list = append(list, f)
		}
	}
	found := make([]lint.Scanned, len(list))
	read := make([]input, len(list))
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(c.opt.Jobs)
	for i, f := range list {
		if running.Err() != nil {
			break
		}
		text, err := c.readSource(f, &read[i])
		if err != nil {
			_ = g.Wait()
			return err
		}
		if text == nil {
			continue
		}
		g.Go(func() error {
			found[i] = lint.Scan(f.Path, text)
			return running.Err()
		})
		if isSource(f.Path) && !c.copies.index.Add(f.Path, text) {
			c.copies.late = append(c.copies.late, f.Path)
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	c.inputs = make(map[string]*input, len(c.pack.Files))
	for i, f := range list {
		c.found = append(c.found, found[i].Diagnostics...)
		if isInput(f.Path) {
			c.inputs[f.Path] = &read[i]
		}
	}
	return ctx.Err()
}

// readSource reads one file; text is nil when it is none.
func (c *compilation) readSource(f pack.File, in *input) (text []byte, err error) {
	if f.Size > maxRead {
		if !isInput(f.Path) {
			return nil, nil
		}
		in.sha256, err = c.pack.SHA256(f.Path)
	} else {
		var data []byte
		data, err = c.pack.ReadFile(f.Path)
		in.sha256, in.lines = hexSum(data), countLines(data)
		text, _ = frontmatter.Decode(data)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return text, nil
}

// findCopies compares a split with the sources.
func (c *compilation) findCopies(f *file, path string, text []byte) {
	if found := c.copies.index.Find(text); len(found) > 0 {
		f.diags = append(f.diags, lint.CopyFindings(path, text, found)...)
	}
}

// findLateCopies compares the splits with the sources that found no room in the
// first index. Texts are cut once more for each further index: a pack with so
// much raw text is rare, and memory must not grow with it.
func (c *compilation) findLateCopies(ctx context.Context) error {
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

// findViewCopies compares the views with the sources, hand-made ones too, and
// lets the index go.
func (c *compilation) findViewCopies(generated map[string]string, handMade []schema.View) {
	look := func(name string, text []byte) {
		c.found = append(c.found, lint.CopyFindings(name, text, c.copies.index.Find(text))...)
	}
	for _, name := range sortedKeys(generated) {
		look(name, []byte(generated[name]))
	}
	for _, v := range handMade {
		if data, err := c.out.old.read(v.Path); err == nil {
			look(v.Path, data)
		}
	}
	c.copies = nil
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
		text := p.text(doc, nil) // markers are no words
		f.diags = append(f.diags, lint.CopyFindings(f.sections[i].split.Path, text, index.Find(text))...)
	}
	return nil
}

// isSource reports a file of the raw layer.
func isSource(name string) bool { return len(name) > 8 && name[:8] == "sources/" }
