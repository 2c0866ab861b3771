package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra/doc"

	"github.com/packgen/packgen/compiler/oktest"
)

// manDir is where make man has the manual pages written. It is a test that writes
// them, so that the program need not hold what makes them.
var manDir = flag.String("man", "", "write the manual pages into this directory")

// Every listed verb has a manual page, and none of them has the date of the run.
func TestManPagesOfEveryVerb(t *testing.T) {
	dir := *manDir
	if dir == "" {
		dir = t.TempDir()
	}
	oktest.Check(t, os.MkdirAll(dir, 0o777))
	root := newRoot(&app{})
	root.DisableAutoGenTag = true
	t.Setenv("SOURCE_DATE_EPOCH", "0")
	oktest.Check(t, doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "packgen", Manual: "packgen"}, dir))
	for _, group := range (&app{}).verbs() {
		for _, cmd := range group.verbs {
			text, err := os.ReadFile(filepath.Join(dir, "packgen-"+cmd.Name()+".1"))
			if err != nil {
				t.Error(err)
				continue
			}
			if !strings.Contains(string(text), cmd.Short) || !strings.Contains(string(text), `"Jan 1970"`) {
				t.Errorf("the page of %s says\n%.300s", cmd.Name(), text)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "packgen-refresh.1")); err == nil {
		t.Error("a name of other tools has a page")
	}
}
