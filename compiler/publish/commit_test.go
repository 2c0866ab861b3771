package publish

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestADirectoryThatAnotherProcessMakesMeanwhileIsSeen(t *testing.T) {
	target, stage := t.TempDir(), t.TempDir()
	tree := newDiskTree(target)
	m := mover{&state{layer: osLayer{}, dir: stage, target: tree}, tree}
	oktest.Write(t, filepath.Join(m.state.stagePath(false), contentStage), map[string]string{"a/new.md": "new"})
	if before, err := tree.directory("a"); err != nil || before != isGone {
		t.Fatal(before, err)
	}
	oktest.Write(t, target, map[string]string{"a/other.md": "of another process"})
	if moved, err := m.moveDir("a/new.md"); moved != "" || err != nil {
		t.Fatalf("%q was moved, %v", moved, err)
	}
	if after, err := tree.directory("a"); err != nil || after != isDir {
		t.Errorf("it is known as %d, %v", after, err)
	}
	if text := oktest.Value(os.ReadFile(filepath.Join(target, "a/other.md")))(t); string(text) != "of another process" {
		t.Errorf("the file in it is %q", text)
	}
}
