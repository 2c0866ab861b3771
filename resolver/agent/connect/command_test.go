package connect

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/hook"
)

func TestTheProgramIsOneWordOfAShell(t *testing.T) {
	for program, want := range map[string]string{
		"/usr/bin/packgen": "/usr/bin/packgen", "/a b/packgen": `"/a b/packgen"`, "/a&b/packgen": `"/a&b/packgen"`, "/it's/packgen": `"/it's/packgen"`,
		"/$HOME/packgen": "", "/a\"b/packgen": "", "/`x`/packgen": "", "/a\nb/packgen": "",
	} {
		got, err := programWord(program)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %s, %v, want %s", program, got, err, want)
		}
		if want != "" && !hook.IsOurs(got+" hook") {
			t.Errorf("uninstall would not find %s", got)
		}
	}
}

// Settings run the hook's own program where it lies beside the other, by a path only
// where the other has one.
func TestTheHookIsTheProgramOfItsOwn(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "packgen")
	for _, name := range []string{program, beside(program)} {
		oktest.Check(t, os.WriteFile(name, nil, 0o755))
	}
	own, err := programWord(beside(program))
	if err != nil {
		t.Skip(err)
	}
	server, command, err := Programs(program, false, HookFlags{Inject: "800"})
	if err != nil || server[0] != program || command != own+" --inject=800" {
		t.Errorf("%q, %q, %v", server, command, err)
	}
	if _, command, err = Programs("packgen", false, HookFlags{}); err != nil || command != "packgen hook" {
		t.Errorf("a program without a path gives %q, %v", command, err)
	}
	self := oktest.Value(os.Executable())(t)
	want := "packgen hook"
	if hasHook(self) {
		t.Fatal("a test has a program beside it")
	}
	if server, command, err = Programs("", false, HookFlags{}); err != nil || server[0] != "packgen" || command != want {
		t.Errorf("%q, %q, %v", server, command, err)
	}
	if err := os.WriteFile(beside(self), nil, 0o755); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.Remove(beside(self)) })
	if _, command, err = Programs("", false, HookFlags{}); err != nil || command != hook.ProgramName {
		t.Errorf("in a project %q, %v", command, err)
	}
}
