package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/repo"
)

// What agents would not show of skills is found; skills that they show have no finding.
func TestSkillsAreCheckedAsAgentsReadThem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(dir, ".claude", "skills", filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o644))
	}
	head := func(name, description string) string {
		return "---\nname: " + name + "\ndescription: " + description + "\n---\n\nText.\n"
	}
	put("plain/SKILL.md", head("plain", "Use when it is plain."))
	put("windows/SKILL.md", "\ufeff"+strings.ReplaceAll(head("windows", ">\n  folded\n  text"), "\n", "\r\n"))
	put("more/SKILL.md", "---\nname: more\ndescription: Use when more is asked for.\nallowed-tools: Read\nmodel: small\n---\n")
	put("notes/README.md", "not a skill")
	put("twin/SKILL.md", head("twin", "Use when it is plain."))
	put("Upper/SKILL.md", head("Upper", "x"))
	put("claude-x/SKILL.md", head("claude-x", "y"))
	put("other/SKILL.md", head("name", "z"))
	put("long/SKILL.md", head("long", strings.Repeat("x", 1025)))
	put("lines/SKILL.md", head("lines", "w")+strings.Repeat("line\n", 501))
	put("list/SKILL.md", head("list", "[a]"))
	put("twice/SKILL.md", "---\nname: twice\nname: twice\ndescription: v\n---\n")
	_, c, err := (&Source{}).Skills(&repo.Repo{Paths: repo.Paths{Dir: dir}})
	if err != nil || c == nil || c.Count != 11 {
		t.Fatalf("%+v, %v", c, err)
	}
	found := map[string]string{}
	for _, i := range c.Issues {
		found[filepath.Base(filepath.Dir(i.File))] += i.Code + " "
	}
	for name, want := range map[string]string{
		"twin": "SKILL_INVALID ", "Upper": "SKILL_INVALID ", "claude-x": "SKILL_INVALID ", "other": "SKILL_INVALID ", "long": "SKILL_INVALID ",
		"lines": "SKILL_LENGTH ", "list": "SKILL_INVALID ", "twice": "SKILL_INVALID ",
	} {
		if found[name] != want {
			t.Errorf("%s: %q, want %q", name, found[name], want)
		}
		delete(found, name)
	}
	if len(found) > 0 {
		t.Errorf("more is found: %v", found)
	}
	for i := range 9 {
		put("big"+string(rune('a'+i))+"/SKILL.md", head("big"+string(rune('a'+i)), strings.Repeat(string(rune('a'+i)), 1000)))
	}
	_, c, _ = (&Source{}).Skills(&repo.Repo{Paths: repo.Paths{Dir: dir}})
	if last := c.Issues[len(c.Issues)-1]; last.Code != "SKILL_LISTING" {
		t.Errorf("%+v", last)
	}
}

// A skill that is kept elsewhere and linked is for whoever keeps it; a link to nothing is
// a fault.
func TestLinkedSkillsAreNotChecked(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	oktest.Check(t, os.WriteFile(filepath.Join(elsewhere, "SKILL.md"), []byte("---\nname: x\n---\n"), 0o644))
	skills := filepath.Join(dir, ".claude", "skills")
	oktest.Check(t, os.MkdirAll(filepath.Join(skills, "gone"), 0o755))
	if err := os.Symlink(elsewhere, filepath.Join(skills, "linked")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("nowhere.md", filepath.Join(skills, "gone", "SKILL.md")); err != nil {
		t.Skip(err)
	}
	_, c, err := (&Source{}).Skills(&repo.Repo{Paths: repo.Paths{Dir: dir}})
	if err != nil || c == nil || c.Count != 1 || len(c.Issues) != 1 || !strings.Contains(c.Issues[0].File, "gone") {
		t.Errorf("%+v, %v", c, err)
	}
}
