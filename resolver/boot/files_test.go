//go:build unix

package boot

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestOnlyRegularFilesTakePart(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{
		"briefs/a.md":     "a\n",
		"briefs/null.md":  "-> /dev/null",
		"skills/dir.d/x":  "x\n",
		"skills/zero":     "-> /dev/zero",
		"briefs/fold.md/": "-> a.md",
	})
	for _, name := range []string{"briefs/pipe.md", "skills/pipe"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o644); err != nil {
			t.Skip("no named pipes here:", err)
		}
	}
	got, res := bootDir(t, dir, OpenOptions{Name: "r", AllowRoots: []string{"/dev"}}, Options{})
	want := "<brief path=\"r/briefs/a.md\">\na\n</brief>\n\n<brief path=\"r/briefs/fold.md\">\na\n</brief>\n\n<skill path=\"r/skills/dir.d/x\">\nx\n</skill>\n"
	if got != want {
		t.Errorf("%v\n%s", res.Diagnostics, got)
	}
}

func TestNamesThatAreNotUTF8AreLeftOutAloud(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{"briefs/a.md": "a\n"})
	if err := os.WriteFile(filepath.Join(dir, "briefs", "b\xff.md"), nil, 0o644); err != nil {
		t.Skip("this file system takes no such name:", err)
	}
	got, res := bootDir(t, dir, OpenOptions{Name: "r"}, Options{})
	found := find(res.Diagnostics, idEncoding)
	if !strings.Contains(got, "a.md") || len(found) != 1 || found[0].Path != "r/briefs" || !strings.Contains(found[0].Message, `b\xff.md`) {
		t.Errorf("%v\n%s", res.Diagnostics, got)
	}
}

func TestLargeFilesAreRefusedOnlyWhenSaid(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, map[string]string{"briefs/a.md": "a\n", "briefs/large.md": "", "boot.yml": "briefs: {say: [a.md]}\n"})
	oktest.Check(t, os.Truncate(filepath.Join(dir, "briefs", "large.md"), maxItemBytes+1))
	if _, res := bootDir(t, dir, OpenOptions{}, Options{}); len(res.Diagnostics) > 0 {
		t.Errorf("a reference is refused: %v", res.Diagnostics)
	}
	oktest.Write(t, dir, map[string]string{"boot.yml": "briefs: {}\n"})
	if got, res := bootDir(t, dir, OpenOptions{Name: "r"}, Options{}); got != "" || len(find(res.Diagnostics, idLimit)) != 1 || res.Diagnostics[0].Path != "r/briefs/large.md" {
		t.Errorf("output of %d bytes, diagnostics %v", len(got), res.Diagnostics)
	}
}

func TestFoldersThatMultiplyThroughLinksEnd(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for _, level := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r"} {
		next := string(level[0] + 1)
		files["x/"+level+"/one"] = "-> ../" + next
		files["x/"+level+"/two"] = "-> ../" + next
	}
	files["x/s/end.md"] = "end\n"
	files["briefs"] = "-> x/a"
	oktest.Write(t, dir, files)
	_, res := bootDir(t, dir, OpenOptions{}, Options{})
	if len(find(res.Diagnostics, idLimit)) != 1 {
		t.Errorf("diagnostics %v", res.Diagnostics)
	}
}
