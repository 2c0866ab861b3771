package model

import (
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/pack"
)

// The lines of a source are counted once, however many claims cite them.
func TestLinesOfASourceAreCountedOnce(t *testing.T) {
	fsys := fstest.MapFS{"KNOWLEDGE.md": {Data: []byte("---\nname: kettle\ndescription: How the kettle works.\ntype: domain-reference\nstatus: ready\n---\n# Kettle\n")}, "sources/spec.md": {Data: []byte("a\nb\nc\nd\n")}}
	p, _, err := pack.OpenFS(fsys, "kettle")
	oktest.Check(t, err)
	ps := &Pack{Pack: p, Settings: Settings{Sources: true}}
	if !hasLine(ps, "sources/spec.md", "3") || hasLine(ps, "sources/spec.md", "99") {
		t.Error("the third line is there, and no 99th")
	}
	if n := testing.AllocsPerRun(10, func() { hasLine(ps, "sources/spec.md", "3") }); n > 0 {
		t.Errorf("%v allocations for a line of a source whose lines are counted", n)
	}
}

func TestFilesWithSecretsStayOffTheSite(t *testing.T) {
	ps := &Pack{Outputs: Outputs{Withheld: map[string]bool{"compiled/splits/care/keep.md": true}}}
	if !holdsSecret(ps, "documents/care.md", &Facts{Splits: []Split{{Path: "compiled/splits/care/keep.md"}}}) {
		t.Error("a page is published although one of its splits holds a secret")
	}
	if holdsSecret(ps, "documents/main.md", &Facts{}) {
		t.Error("a page without a finding is withheld")
	}
}
