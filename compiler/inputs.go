package compiler

import (
	"context"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// input is a file that the compile read: its hash, and what anchors that point
// at it need.
type input struct {
	sha256 string
	lines  int             // 0 for a file that nothing cites
	ids    map[string]bool // section ids of a Markdown file
}

// isInput reports whether a path is an input of a compile (agent-knowledge
// section 9).
func isInput(name string) bool {
	if name == entryFile {
		return true
	}
	dir, _, ok := strings.Cut(name, "/")
	if !ok {
		return false
	}
	switch dir {
	case "documents", "sources", "wiki", "ontology", "answers":
		return true
	}
	return false
}

// maxRead is the largest file in bytes that is read into memory. A larger input
// is only hashed: nothing can be cited from it.
const maxRead = pack.MaxFileSize

// entryFile is the entry of every pack.
const entryFile = "KNOWLEDGE.md"

// isMarkdown reports the exact ending ".md": any other file is a plain input.
func isMarkdown(name string) bool { return path.Ext(name) == ".md" }

// isUnit reports whether a file is read as a unit.
func isUnit(name string) bool {
	return isMarkdown(name) && (strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/"))
}

// parse reads a file as Markdown; ok is false when it is not text.
func (c *compilation) parse(name string, data []byte) (doc *markdown.Document, ok bool) {
	text, ok := frontmatter.Decode(data)
	if !ok {
		return nil, false
	}
	return markdown.Parse(name, text), true
}

// readInputs hashes every input that is no unit, and looks into those that are
// cited.
func (c *compilation) readInputs(ctx context.Context) error {
	cited, slugs := c.cited()
	var list []pack.File
	for _, f := range c.pack.Files {
		if isInput(f.Path) && c.byPath[f.Path] == nil {
			list = append(list, f)
		}
	}
	found := make([]input, len(list))
	err := c.parallel(ctx, len(list), func(i int) error {
		var err error
		f := list[i]
		found[i], err = c.readInput(f.Path, f.Size, cited[f.Path], slugs[f.Path])
		return err
	})
	if err != nil {
		return err
	}
	c.inputs = make(map[string]*input, len(c.pack.Files))
	for i, f := range list {
		c.inputs[f.Path] = &found[i]
	}
	for _, f := range c.files {
		in := &input{sha256: f.info.SHA256, lines: f.lines}
		if slugs[f.path] {
			in.ids = headingIDs(f.info.Headings)
		}
		c.inputs[f.path] = in
	}
	return nil
}

// cited returns the files that anchors point at, and those of them where a
// heading is meant.
func (c *compilation) cited() (files, slugs map[string]bool) {
	files, slugs = map[string]bool{}, map[string]bool{}
	for _, f := range c.files {
		for _, a := range f.citations {
			files[a.path] = true
			if isSlug(a.fragment) {
				slugs[a.path] = true
			}
		}
	}
	return files, slugs
}

// readInput hashes one input. A file that nothing cites is never held in memory,
// and so is one that is too large to be read: its lines cannot be cited.
func (c *compilation) readInput(name string, size int64, cited, slug bool) (input, error) {
	if name == entryFile {
		return input{sha256: hexSum(c.pack.Entry)}, nil
	}
	if cited && size <= maxRead {
		data, err := c.pack.ReadFile(name)
		if err != nil {
			return input{}, fmt.Errorf("read %s: %w", name, err)
		}
		return c.inspect(name, data, slug), nil
	}
	sum, err := c.pack.SHA256(name)
	if err != nil {
		return input{}, fmt.Errorf("read %s: %w", name, err)
	}
	return input{sha256: sum}, nil
}

// inspect hashes a cited file, counts its lines and, when an anchor names a
// heading of it, reads its section ids.
func (c *compilation) inspect(name string, data []byte, slug bool) input {
	in := input{sha256: hexSum(data), lines: countLines(data)}
	if !slug || !isMarkdown(name) {
		return in
	}
	if doc, ok := c.parse(name, data); ok {
		in.ids = make(map[string]bool, len(doc.Headings))
		for _, h := range doc.Headings {
			in.ids[h.ID] = true
		}
	}
	return in
}

func headingIDs(headings []HeadingInfo) map[string]bool {
	ids := make(map[string]bool, len(headings))
	for _, h := range headings {
		ids[h.ID] = true
	}
	return ids
}

// parallel calls work for 0 to n-1 on as many goroutines as the options allow
// and stops at the first error or when the context ends.
func (c *compilation) parallel(ctx context.Context, n int, work func(int) error) error {
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(c.opt.Jobs)
	for i := range n {
		if running.Err() != nil {
			break
		}
		g.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			return work(i)
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}
