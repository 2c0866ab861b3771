package rules

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/repo"
)

// An agent loads the first 200 lines of what it remembers of a project.
func TestTheBeginningOfAMemoryLoads(t *testing.T) {
	t.Parallel()
	_, dir := repository(t, map[string]string{"CLAUDE.md": "# P\n"})
	name := hook.ProjectNames(dir)[0]
	long := strings.Repeat("four\n", maxRemembered) + strings.Repeat("more\n", 1000)
	_, home := repository(t, map[string]string{".claude/projects/" + name + "/memory/MEMORY.md": long, ".claude/projects/other/memory/MEMORY.md": long})
	list := oktest.Value(AlwaysLoaded(&repo.Repo{Paths: repo.Paths{Dir: dir}}, "CLAUDE.md", home))(t)
	found := 0
	for _, l := range list {
		if strings.Contains(l.Path, "MEMORY.md") {
			found++
			if l.Tokens != 5*maxRemembered/4 || !strings.Contains(l.Path, filepath.Base(dir)) {
				t.Errorf("%+v", l)
			}
		}
	}
	if found != 1 {
		t.Errorf("%d memories load: %+v", found, list)
	}
}
