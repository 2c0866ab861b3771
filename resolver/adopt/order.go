package adopt

import (
	"cmp"
	"io/fs"
	"math"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/regularfile"
)

// noRank is the place of what says nothing about its place.
var noRank = math.Inf(1)

// rankOf reads the number that a name starts with: "01-intro.md".
func rankOf(name string) float64 {
	digits := 0
	base := path.Base(name)
	for digits < len(base) && base[digits] >= '0' && base[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 3 || digits == len(base) || !strings.ContainsRune("-_. ", rune(base[digits])) {
		return noRank
	}
	n, _ := strconv.Atoi(base[:digits])
	return float64(n)
}

// sort puts the pages in order: folder by folder, by what they and their folders say
// about their place, then by name; the page of a folder before the others.
func (l *looker) sort() {
	f := l.folder
	f.Order = "names"
	for i := range f.Pages {
		p := &f.Pages[i]
		key := strings.TrimSuffix(strings.TrimSuffix(p.Path, ".md"), ".mdx")
		if r, ok := l.ranks[key]; ok {
			p.rank = r
		}
		p.label = l.labels[key]
		if p.rank != noRank {
			f.Order = "the places that pages give"
		}
	}
	if f.Order == "names" && len(l.ranks) > 0 {
		f.Order = "the places that folders give"
	}
	slices.SortStableFunc(f.Pages, func(a, b Page) int {
		as, bs := strings.Split(a.Path, "/"), strings.Split(b.Path, "/")
		for i := 0; ; i++ {
			lastA, lastB := i == len(as)-1, i == len(bs)-1
			rank := func(parts []string, last bool, p Page) float64 {
				if last {
					if isIndex(parts[i]) {
						return math.Inf(-1)
					}
					return p.rank
				}
				dir := strings.Join(parts[:i+1], "/")
				if r, ok := l.ranks[dir]; ok {
					return r
				}
				return rankOf(dir)
			}
			if as[i] != bs[i] || lastA || lastB {
				folderLast := 0
				if lastA != lastB {
					folderLast = 1
					if lastA {
						folderLast = -1
					}
				}
				return cmp.Or(cmp.Compare(rank(as, lastA, a), rank(bs, lastB, b)), folderLast, strings.Compare(strings.ToLower(as[i]), strings.ToLower(bs[i])), strings.Compare(a.Path, b.Path))
			}
		}
	})
}

func isIndex(name string) bool {
	return slices.Contains([]string{"index.md", "readme.md", "_index.md", "index.mdx.md", "readme.mdx.md"}, strings.ToLower(name))
}

// navigation puts the pages in the order of the folder's own table of contents, when
// it has one.
func (l *looker) navigation() {
	slices.SortStableFunc(l.contents, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	for _, name := range l.contents[:min(len(l.contents), maxContents)] {
		read := l.list
		if path.Ext(name) != ".md" {
			read = l.mkdocs
		}
		if l.reorder(read(name)) {
			l.folder.Order = name
			return
		}
	}
	if data, err := beside(l.folder.Dir, "mkdocs.yml"); err == nil {
		if l.reorder(mkdocsNav(data, "", l.folder)) {
			l.folder.Order = "mkdocs.yml beside the folder"
		}
	}
}

// maxContents is how many tables of contents are tried.
const maxContents = 8

// navigated is an entry of a table of contents, or of a folder.
type navigated struct{ path, label string }

// reorder puts the pages that a table of contents names first, in its order; false when
// it names none.
func (l *looker) reorder(found []navigated) bool {
	place := map[string]int{}
	for i, n := range found {
		// A list names a page with ".mdx" by its file, or without its ending.
		stem := strings.TrimSuffix(strings.TrimSuffix(n.path, ".md"), ".mdx")
		for _, name := range []string{n.path, stem + ".mdx.md"} {
			if _, ok := place[name]; !ok {
				place[name] = i
			}
		}
	}
	known := 0
	for i := range l.folder.Pages {
		p := &l.folder.Pages[i]
		if at, ok := place[p.Path]; ok {
			known++
			p.label = cmp.Or(found[at].label, p.label)
		}
	}
	if known == 0 {
		return false
	}
	slices.SortStableFunc(l.folder.Pages, func(a, b Page) int {
		at := func(p Page) int {
			if i, ok := place[p.Path]; ok {
				return i
			}
			return len(found)
		}
		return cmp.Compare(at(a), at(b))
	})
	return true
}

// list reads a table of contents that is Markdown: SUMMARY.md, _sidebar.md.
func (l *looker) list(name string) []navigated {
	data, err := readSome(l.fsys, name, maxPage)
	text, ok := frontmatter.Decode(data)
	if err != nil || !ok {
		return nil
	}
	var found []navigated
	for _, link := range markdown.Parse(name, text).Links {
		target, _, _ := strings.Cut(link.Dest, "#")
		if s, err := url.PathUnescape(target); err == nil {
			target = s
		}
		if target == "" || strings.Contains(target, "://") || link.Image {
			continue
		}
		if path.Ext(target) == "" {
			target = strings.TrimSuffix(target, "/")
			if target == "" {
				target = "README"
			}
			target += ".md"
		}
		p := path.Join(path.Dir(name), strings.TrimPrefix(target, "/"))
		found = append(found, navigated{p, oneLine(link.Text)})
	}
	return found
}

// mkdocs reads the table of contents of MkDocs.
func (l *looker) mkdocs(name string) []navigated {
	data, err := readSome(l.fsys, name, 1<<20)
	if err != nil {
		return nil
	}
	return mkdocsNav(data, path.Dir(name), l.folder)
}

// mkdocsNav reads "nav" of mkdocs.yml in a folder above the pages, or among them.
func mkdocsNav(data []byte, dir string, f *Folder) []navigated {
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil
	}
	docs := "docs"
	var nav *yaml.Node
	for i := 0; i+1 < len(doc.Content[0].Content); i += 2 {
		switch value := doc.Content[0].Content[i+1]; doc.Content[0].Content[i].Value {
		case "docs_dir":
			docs = value.Value
		case "nav":
			nav = value
		case "site_name":
			if f.Title == "" {
				f.Title = oneLine(value.Value)
			}
		}
	}
	if dir == "" { // beside the folder, which is docs_dir
		docs = ""
	}
	var found []navigated
	var visit func(n *yaml.Node, label string, depth int)
	visit = func(n *yaml.Node, label string, depth int) {
		if n == nil || depth > maxDepth {
			return
		}
		switch n.Kind {
		case yaml.SequenceNode:
			for _, c := range n.Content {
				visit(c, "", depth+1)
			}
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				visit(n.Content[i+1], n.Content[i].Value, depth+1)
			}
		case yaml.ScalarNode:
			found = append(found, navigated{path.Join(dir, docs, n.Value), oneLine(label)})
		}
	}
	visit(nav, "", 0)
	return found
}

// readSome reads a file of at most limit bytes.
func readSome(fsys fs.FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return atomicfile.ReadOpen(f, name, limit)
}

// beside reads a file that lies next to a folder.
func beside(dir, name string) ([]byte, error) {
	root, err := regularfile.Root(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return readSome(regularfile.FS(root), name, 1<<20)
}

// oneLine returns text on one line without invisible characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || r == utf8.RuneError) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
