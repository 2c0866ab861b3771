package wiring

import (
	"testing"

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
