package context

import (
	"cmp"
	"io/fs"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/escape"
	"github.com/packgen/packgen/resolver/loadout"
)

// Renderer makes the texts of a pack fit for an agent that reads them elsewhere than in a
// wrapper of a resolution: in an export, a published skill, a boot. Stale and disputed
// claims are marked as by [Resolve], a text that is not ready says so in its first line,
// what reads as a tag of packgen's is escaped, and hidden text and invisible characters are left out.
type Renderer struct {
	contents *contents
	claims   map[string]int // how many are stale and how many are disputed
}

// NewRenderer returns the renderer of a pack that was just compiled, with its
// doubtful claims.
func NewRenderer(p *pack.Pack, doubts *compiler.Doubts) *Renderer {
	return &Renderer{&contents{pack: p, meta: &p.Meta, doubts: doubts, runs: &runs{pack: p}}, map[string]int{}}
}

// OpenRenderer returns the renderer of a pack as it is on disk. A source that has changed
// since the newest run makes the claims on it stale.
func OpenRenderer(fsys fs.FS, dir string) (*Renderer, error) {
	s, err := openContents(&Pack{FS: fsys, Dir: dir}, nil)
	if err != nil {
		return nil, err
	}
	return &Renderer{s, map[string]int{}}, nil
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
func (r *Renderer) Marked() (stale, disputed int) { return r.claims["stale"], r.claims["disputed"] }

// Summary returns the summary of a text, which begins with what its worst claim is, as that
// of an entry of the index does.
func Summary(text []byte, summary string) string {
	status := ""
	for _, s := range [...]string{stale, disputed} {
		if strings.Contains(string(text), "[status: "+s+"]") {
			status = s
		}
	}
	return loadout.MarkSummary(status, summary)
}

// withStatus returns a text with its status in the first line when it is not ready: its
// own, otherwise that of its pack.
func withStatus(text, ofPack string) string {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	status := ofPack
	own, _ := frontmatter.NewMap("", block.Node, nil).String("status")
	if escape.IsNotReady(own) {
		status = cmp.Or(compiler.Worse(own, ofPack), own)
	}
	text, _ = CutStatus(text)
	if !escape.IsNotReady(status) {
		return text
	}
	return text[:block.End] + "\n" + escape.StatusLine(status) + text[block.End:]
}

// CutStatus returns a text without the line that says its status, and the status; "" when
// it says none. An import needs the status, and an export writes the line again.
func CutStatus(text string) (plain, status string) {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	body := strings.TrimPrefix(text[block.End:], "\n")
	for _, status := range [...]string{"draft", needsReview, stale, disputed} {
		if rest, ok := strings.CutPrefix(body, escape.StatusLine(status)); ok {
			return text[:block.End] + rest, status
		}
	}
	return text, ""
}
