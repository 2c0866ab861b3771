package compiler

import (
	"context"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// input is a file that the compile read: its hash, and what anchors that point
// at it need.
type input struct {
	sha256 string
	lines  int               // 0 for a file that is too large to be read
	ids    map[string]bool   // section ids of a Markdown file
	spans  map[string]string // SHA-256 of the cited places, by fragment
	diags  []diag.Diagnostic // what the scans found
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

// readInputs completes the inputs once all citations are known: units and the
// guide join them.
func (c *compilation) readInputs() {
	slugs := c.cited()
	if c.pack.Has(entryFile) {
		c.inputs[entryFile] = &input{sha256: hexSum(c.pack.Entry)}
	}
	for _, f := range c.files {
		in := &input{sha256: f.info.SHA256, lines: f.lines}
		if slugs[f.path] {
			in.ids = headingIDs(f.info.Headings)
		}
		c.inputs[f.path] = in
	}
}

// cited returns the files of which anchors cite a heading.
func (c *compilation) cited() map[string]bool {
	slugs := map[string]bool{}
	for _, f := range c.files {
		for _, a := range f.citations {
			if isSlug(a.fragment) {
				slugs[a.path] = true
			}
		}
	}
	return slugs
}

func sectionIDs(doc *markdown.Document) map[string]bool {
	ids := make(map[string]bool, len(doc.Headings))
	for _, h := range doc.Headings {
		ids[h.ID] = true
	}
	return ids
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
