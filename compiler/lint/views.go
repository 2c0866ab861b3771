package lint

import (
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// maxScanned is the largest file that is looked at, in bytes.
const maxScanned = 64 << 20

// sumsOf are the hashes of the files that an index says a compile wrote, by path.
func sumsOf(x *schema.Index) map[string]string {
	sums := map[string]string{}
	for _, v := range x.Views {
		if len(v.DerivedFrom) > 0 {
			sums[v.Path] = v.SHA256
		}
	}
	for _, s := range x.Splits {
		sums[s.Path] = s.SHA256
	}
	return sums
}

// findHandKept notes which files of compiled/ are what the last compile wrote
// from the primary source. Such files are looked at where they come from; the
// others, made by hand, edited, or left over, where they are.
func (r *run) findHandKept() {
	r.generated = map[string]bool{}
	if r.in.Index == nil {
		return
	}
	for _, v := range r.in.Index.Views {
		r.generated[v.Path] = len(v.DerivedFrom) > 0
	}
	for _, s := range r.in.Index.Splits {
		r.generated[s.Path] = true
	}
	r.made = sumsOf(r.in.Index)
	for _, d := range r.in.Diagnostics {
		if d.ID == "view-hand-edited" {
			r.generated[d.Path] = false
		}
	}
}

// isOutdated reports a file of compiled/ that the last compile wrote, as its index says,
// and that nobody has edited since: whatever it says follows from its source as that was
// then. A compile writes it again or deletes it.
func (r *run) isOutdated(name string) bool {
	was, made := r.written[name]
	if !made || r.in.Run == nil {
		return false
	}
	now, again := r.made[name]
	if again && now == was {
		return false
	}
	sum, err := r.pack.Digest(name)
	return err == nil && sum == was
}

// readViews reads the Markdown files of compiled/ that are kept by hand.
func (r *run) readViews(ctx context.Context) error {
	r.findHandKept()
	for _, f := range r.pack.List("compiled") {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r.isOutdated(f.Path) {
			continue
		}
		if !strings.HasSuffix(f.Path, ".md") || f.Size > maxScanned || path.Dir(f.Path) != "compiled" && r.generated[f.Path] {
			continue
		}
		if err := r.readView(f.Path, newPage); err != nil {
			return err
		}
	}
	return nil
}

// readView reads one Markdown file of compiled/.
func (r *run) readView(name string, read func(*markdown.Document) *page) error {
	text, ok, err := readText(r.pack, name)
	if err != nil || !ok {
		return err
	}
	p := read(markdown.Parse(name, text))
	if !r.generated[name] {
		r.take(p)
	}
	r.views = append(r.views, p)
	return nil
}

// scanRest looks for instructions in sources/ and for secrets in every file that
// is not a parsed page and nothing that compile writes.
func (r *run) scanRest(ctx context.Context) error {
	for _, f := range r.pack.Files {
		dir, _, _ := strings.Cut(f.Path, "/")
		page := strings.HasSuffix(f.Path, ".md") && (dir == "documents" || dir == "wiki" || dir == "compiled")
		if page || f.Path == pack.EntryName || dir == "runs" || dir == "indexes" || f.Path == pack.IndexPath || f.Size > maxScanned {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := r.pack.ReadFile(f.Path)
		if err != nil {
			return fmt.Errorf("read %s: %w", f.Path, err)
		}
		text, ok := frontmatter.Legible(data)
		if !ok {
			continue // pictures and the like
		}
		r.scanFile(f.Path, text)
	}
	return nil
}

// scanFile looks at one file that is not a parsed page.
func (r *run) scanFile(name string, text []byte) {
	p := &page{path: name}
	p.suppress, p.found = Suppressions(name, text)
	if isSource(name) {
		p.suppress, p.found = refuseForSources(name, p.suppress, p.found)
	}
	if isSource(name) || name == "boot.yml" {
		hits := injectionsIn(name, text)
		p.suspect = hasStrong(hits)
		p.found = append(p.found, injectionFindings(name, text, hits)...)
	}
	secrets := secret.Find(text)
	p.suspect = p.suspect || len(secrets) > 0
	p.found = append(p.found, SecretFindings(name, text, secrets)...)
	r.take(p)
}

// isProse reports a file whose quotation marks are an author's.
func isProse(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".txt", ".text", ".rst", ".adoc", "":
		return true
	}
	return false
}
