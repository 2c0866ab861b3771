package site

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/templates"
)

// Limits of what the page of a source shows of its text.
const (
	maxSourceText  = 256 << 10
	maxSourceLines = 5000
)

// citedOf returns the claims that rest on each file of sources/, by its path.
func (ps *packSite) citedOf() map[string][]int32 {
	cited := map[string][]int32{}
	for i, c := range ps.res.SourceMap.Claims {
		if name := c.Source.Path; pack.LayerOf(name) == pack.Sources && ps.pack.Has(name) && !ps.withheld[name] {
			cited[name] = append(cited[name], int32(i))
		}
	}
	return cited
}

// sourcePage returns the page of a source that claims rest on; "" when there is none.
func (ps *packSite) sourcePage(name string) string {
	if len(ps.citing()[name]) == 0 {
		return ""
	}
	return ps.dir + "cited/" + strings.TrimPrefix(name, "sources/") + ".html"
}

// lineFragment is a fragment that names lines of a source.
var lineFragment = regexp.MustCompile(`^L(\d+)(-L?\d+)?$`)

// sourceLines returns the lines of a source that its page shows; nil for one that is not
// published, is not text or is too long.
func (ps *packSite) sourceLines(name string) []string {
	if !ps.isPublished(name) || packpath.IsDrawing(name) || isImage(name) {
		return nil
	}
	text := ps.sourceText(name)
	if len(text) == 0 || len(text) > maxSourceText || !utf8.Valid(text) || slices.Contains(text, 0) {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if len(lines) > maxSourceLines {
		return nil
	}
	return lines
}

// sourceLength returns how many lines the page of a source shows, which are counted once,
// however many claims cite it.
func (ps *packSite) sourceLength(name string) int {
	n, known := ps.sourceLengths.Load(name)
	if !known {
		n, _ = ps.sourceLengths.LoadOrStore(name, len(ps.sourceLines(name)))
	}
	return n.(int)
}

// sourceText returns a file of sources/ as readers see it, which is read once.
func (ps *packSite) sourceText(name string) []byte {
	data, known := ps.sources.Load(name)
	if !known {
		text, err := ps.pack.ReadFile(name)
		if err != nil {
			text = nil // the claim is shown without it
		}
		text = visible(name, text)
		data, _ = ps.sources.LoadOrStore(name, text)
	}
	return data.([]byte)
}

// addSources plans a page for each source that claims rest on: its lines where sources are
// published, and the claims.
func (b *build) addSources(w *making) {
	for name, claims := range w.ps.citing() {
		dir, stem := path.Split(strings.TrimSuffix(w.ps.sourcePage(name), ".html"))
		for at := 1; at <= pagesFor(len(claims)); at++ {
			w.plan(dir+numbered(stem, at), func(out string) (templates.View, error) {
				v := sourcePage(w.pages, out, name, window(claims, at))
				v.Total, v.Pager = len(claims), pager(stem, at, len(claims))
				if at == 1 {
					v.Lines = w.ps.sourceLines(name)
				}
				return v, nil
			})
		}
	}
}

// sourcePage is a page of a source and of some claims that rest on it.
func sourcePage(p *pageMaker, out, name string, claims []int32) templates.Source {
	base := path.Base(name)
	v := templates.Source{
		Frame: p.frame(out, base+" · "+p.ps.name, "What "+p.ps.name+" states on the word of "+base),
		Pack:  p.home(out), All: templates.Link{URL: relative(out, p.ps.dir+"claims.html"), Text: "claims"},
		Path: name, Rows: claimRows(p.ps, out, claims),
	}
	for i := range v.Rows {
		row := &v.Rows[i]
		row.ID = ""
		if fragment, ok := strings.CutPrefix(row.Source.Text, base+"#"); ok { // the title names the file
			row.Source.Text = "#" + fragment
		}
	}
	if p.ps.isPublished(name) {
		v.Raw = relative(out, p.ps.dir+name)
	}
	return v
}

// atSource returns the URL of the page of a source, at the cited line where it shows lines.
func (ps *packSite) atSource(from string, s schema.ClaimSource) string {
	out := ps.sourcePage(s.Path)
	if out == "" {
		return ""
	}
	url := ""
	if out != from {
		url = relative(from, out)
	}
	if m := lineFragment.FindStringSubmatch(s.Anchor); m != nil && ps.hasLine(s.Path, m[1]) {
		return url + "#L" + m[1]
	}
	if url == "" {
		return relative(from, out)
	}
	return url
}

// hasLine reports whether the page of a source has a line of that number.
func (ps *packSite) hasLine(name, number string) bool {
	if len(number) > 4 || number[0] == '0' {
		return false
	}
	n := 0
	for _, c := range number {
		n = 10*n + int(c-'0')
	}
	return n <= ps.sourceLength(name)
}
