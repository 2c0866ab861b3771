package context

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/rank"
)

// kind says what a unit is.
type kind uint8

const (
	split      kind = iota // a file below compiled/splits/
	view                   // another Markdown file of compiled/
	cutSection             // a section of a document, cut in memory
	wikiPage               // a page of wiki/, read as it is
)

// unit is a piece of a pack that can be selected.
type unit struct {
	kind     kind
	path     string   // as selections name it
	title    string   // of a view: its kind
	document string   // document or page it comes from; "" for a view, or when unknown
	section  string   // section id, the first of several; "" for a view
	sections []string // ids of all sections in it
	derived  []string // files a view is made from
	order    int      // 1-based
	text     string   // Markdown; "" until it is read
	absent   bool     // the file is gone, or no text

	sum       string        // SHA-256 that compiled/index.json records; "" when it records none
	anchors   []string      // of its sources, as recorded
	altered   bool          // its text is not what was recorded
	old       bool          // its document has changed, and says something else
	insteadOf string        // the compiled file whose place it takes
	doubt     schema.Status // "stale" or "disputed" for the worst of its claims
	claims    []Claim       // those that are either
	cites     []string      // the anchors that it was marked by
	parsed    bool          // cites are those of its text
}

// id is that of a split (agent-knowledge section 6.2); "" for any other unit.
func (u *unit) id() string {
	below, ok := strings.CutPrefix(u.path, splitsDir)
	if !ok {
		return ""
	}
	return strings.TrimSuffix(below, ".md")
}

// read loads the text of a unit that is a file. A file that is gone, too large
// or no text is absent: an entry whose file is gone is ignored (agent-knowledge
// section 6.7).
func (s *contents) read(u *unit) {
	if u.text != "" || u.absent {
		return
	}
	data, err := s.pack.ReadFile(u.path)
	if err == nil {
		text, ok := frontmatter.Decode(data)
		if strings.HasSuffix(u.path, ".md") {
			text = markdown.Visible(u.path, text)
		}
		u.text, err = string(text), nil
		u.absent = !ok
		u.altered = u.sum != "" && !schema.HasSum(data, u.sum)
	}
	u.absent = u.absent || err != nil
}

// sections turns units into what scorers look at.
func (s *contents) sections(units []*unit, questions map[string][]string) []rank.Section {
	list := s.places(units)
	var front frontmatter.Map // of the document at hand
	for i, u := range units {
		list[i].Text = u.text
		if strings.HasSuffix(u.document, ".md") {
			if i == 0 || units[i-1].document != u.document {
				front = s.document(u.document).front("title", "description")
			}
			list[i].TitlePath = append(list[i].TitlePath, FrontTitles(u.document, u.title, front)...)
		}
		list[i].Questions = append(list[i].Questions, questions[u.document]...)
		for _, id := range u.sections {
			list[i].Questions = append(list[i].Questions, questions[u.document+"#"+id]...)
		}
		if id := u.id(); id != "" && id != u.document {
			list[i].Questions = append(list[i].Questions, questions[id]...)
		}
	}
	return list
}

// places are sections without what is counted in them.
func (s *contents) places(units []*unit) []rank.Section {
	list := make([]rank.Section, len(units))
	for i, u := range units {
		list[i] = rank.Section{Path: u.path, Document: u.document, Title: u.title, TitlePath: TitlePath(u.document)}
	}
	return list
}

// TitlePath names what a section is in, by the path of its document.
func TitlePath(document string) []string {
	_, below, _ := strings.Cut(strings.TrimSuffix(document, ".md"), "/")
	if below == "" {
		return nil
	}
	return strings.Split(below, "/")
}

// maxDescription is how much of the description of a page counts, in bytes.
const maxDescription = 1024

// FrontTitles are what the front matter of a document or page calls it: its description, and
// its title for a section that is only called after the file, since the text has no title.
// They are among the titles that the section is in.
func FrontTitles(document, title string, front frontmatter.Map) []string {
	var list []string
	if own, _ := front.String("title"); own != "" && calledAfterFile(document, title) {
		list = append(list, own)
	}
	if said, _ := front.String("description"); said != "" {
		list = append(list, strings.ToValidUTF8(said[:min(len(said), maxDescription)], ""))
	}
	return list
}

// calledAfterFile reports whether the title of a section is the name of its file.
func calledAfterFile(document, title string) bool {
	return strings.HasSuffix(document, ".md") && title == stem(document)
}

// belongsTo reports whether a unit lies at a path of a context map: a document
// or page, one section of it, a directory, or a compiled file.
func (u *unit) belongsTo(name string) bool {
	file, section, _ := strings.Cut(name, "#")
	switch {
	case strings.HasSuffix(file, "/"):
		return strings.HasPrefix(u.document, file) || strings.HasPrefix(u.path, file)
	case u.path == name || u.path == file && u.kind != cutSection:
		return true
	case u.document == "" || u.document != file:
		return false
	}
	inside := func(id string) bool { return id == section || strings.HasPrefix(id, section+"--") }
	return section == "" || slices.ContainsFunc(u.sections, inside) ||
		u.kind == split && u.path == splitsDir+u.document
}

// stem is a file name without its extension.
func stem(name string) string { return strings.TrimSuffix(path.Base(name), ".md") }
