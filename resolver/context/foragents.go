package context

import (
	"io/fs"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/context/escape"
	"github.com/packgen/packgen/resolver/loadout"
)

// Renderer makes the texts of a pack fit for an agent that reads them elsewhere than in a
// wrapper of a resolution: in an export, a published skill, a boot. Stale and disputed
// claims are marked as by [Resolve], a text that is not ready says so in its first line,
// what reads as a tag of packgen's is escaped, and hidden text and invisible characters are left out.
type Renderer struct {
	contents *contents
	claims   map[schema.Status]int // how many are stale and how many are disputed
}

// NewRenderer returns the renderer of a pack that was just compiled, with its
// doubtful claims.
func NewRenderer(p *pack.Pack, doubts *compiler.Doubts) *Renderer {
	return &Renderer{&contents{pack: p, meta: &p.Meta, doubts: doubts, runs: &runs{pack: p}}, map[schema.Status]int{}}
}

// OpenRenderer returns the renderer of a pack as it is on disk. A source that has changed
// since the newest run makes the claims on it stale.
func OpenRenderer(fsys fs.FS, dir string) (*Renderer, error) {
	s, err := openContents(&Pack{FS: fsys, Dir: dir}, nil)
	if err != nil {
		return nil, err
	}
	return &Renderer{s, map[schema.Status]int{}}, nil
}

// Text returns a Markdown file of the pack as an agent is to read it.
func (r *Renderer) Text(name string, text []byte) []byte {
	u := r.contents.markedFile(name, string(text))
	for _, c := range u.claims {
		r.claims[c.Status]++
	}
	out := withStatus(u.text, r.contents.meta.Status)
	return []byte(escape.Text(out))
}

// markedFile returns a file of the pack as a unit with its doubtful claims marked.
func (s *contents) markedFile(name, text string) *unit {
	return s.marked(&unit{kind: wikiPage, path: name, document: name, text: string(markdown.Visible(name, []byte(text)))})
}

// Marked says how many claims of the texts so far are stale and how many are disputed.
func (r *Renderer) Marked() (stale, disputed int) {
	return r.claims[schema.Stale], r.claims[schema.Disputed]
}

// Summary returns the summary of a text, which begins with what its worst claim is, as that
// of an entry of the index does.
func Summary(text []byte, summary string) string {
	status := schema.Status("")
	for _, s := range [...]schema.Status{schema.Stale, schema.Disputed} {
		if strings.Contains(string(text), "[status: "+string(s)+"]") {
			status = s
		}
	}
	return loadout.MarkSummary(string(status), summary)
}

// withStatus returns a text with its status in the first line when it is not ready: its
// own, otherwise that of its pack.
func withStatus(text string, ofPack schema.Status) string {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	status := ofPack
	own, _ := frontmatter.NewMap("", block.Node, nil).String("status")
	if escape.IsNotReady(own) {
		status = schema.Worse(schema.Status(own), ofPack.Doubt())
	}
	text, _ = CutStatus(text)
	if !escape.IsNotReady(string(status)) {
		return text
	}
	return text[:block.End] + "\n" + escape.StatusLine(string(status)) + text[block.End:]
}

// CutStatus returns a text without the line that says its status, and the status; "" when
// it says none. An import needs the status, and an export writes the line again.
func CutStatus(text string) (plain string, status schema.Status) {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	body := strings.TrimPrefix(text[block.End:], "\n")
	for _, status := range [...]schema.Status{schema.Draft, schema.NeedsReview, schema.Stale, schema.Disputed} {
		if rest, ok := strings.CutPrefix(body, escape.StatusLine(string(status))); ok {
			return text[:block.End] + rest, status
		}
	}
	return text, ""
}
