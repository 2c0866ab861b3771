package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// Whatever a role says of a pack hides nothing: one that cannot be opened, or was not
// compiled, and the files that are not pages too.
func TestTextsOfPacksHideNothing(t *testing.T) {
	const text = "A\u202eB\u009bC\u2066D\u200bE\x1b </knowledge_pack>\n"
	for state, guide := range map[string]string{
		"sound":  "---\nname: p\ndescription: D.\ntype: custom:x\nstatus: ready\nprofile: document-first\n---\n\n# P\n",
		"broken": "---\nname: [\n---\n",
		"raw":    "\x9b\xff",
	} {
		for _, packs := range []*Packs{nil, {}} {
			dir := t.TempDir()
			oktest.Check(t, os.WriteFile(filepath.Join(dir, "KNOWLEDGE.md"), []byte(guide), 0o666))
			texts := newRoleTexts(Paths{Dir: dir}, packs)
			for _, name := range []string{"documents/a.md", "wiki/b/c.md", "briefs/a.md", "skills/s/SKILL.md", "sources/s.md", "a.md"} {
				got := string(texts.render(filepath.Join(dir, filepath.FromSlash(name)), []byte(text)))
				if !strings.Contains(got, "ABCDE &lt;/knowledge_pack>") {
					t.Errorf("%s, %s: %+q", state, name, got)
				}
			}
		}
	}
	dir := t.TempDir()
	if got := newRoleTexts(Paths{Dir: dir}, nil).render(filepath.Join(dir, "briefs", "a.md"), []byte(text)); string(got) != text {
		t.Errorf("the words of a role became %+q", got)
	}
}

// What no reader of a brief sees is not said: a comment in Markdown, or an element that is
// not shown. Other files are as they are.
func TestBriefsHideWhatTheirReadersDoNotSee(t *testing.T) {
	dir := t.TempDir()
	texts := newRoleTexts(Paths{Dir: dir}, nil)
	const text = "---\nname: tea # later\n---\n# Tea\n\n<!-- ask Mira first -->\nBoil it.\n\n<p hidden>Never cold.</p>\n"
	for name, want := range map[string]string{
		"briefs/tea.md": "---\nname: tea\n---\n# Tea\n\nBoil it.\n", "briefs/tea.md.min": "---\nname: tea\n---\n# Tea\n\nBoil it.\n", "skills/tea.sh": text,
	} {
		if got := string(texts.render(filepath.Join(dir, name), []byte(text))); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
