package templates

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// Ids of our own have a dot, which the id of a heading never has.
func TestIDsAreNoHeadings(t *testing.T) {
	attribute := regexp.MustCompile(`\b(?:id|for|aria-labelledby)="?([^"\s>]+)`)
	names := oktest.Value(filepath.Glob("*.go"))(t)
	texts := map[string]string{}
	for _, name := range names {
		data := oktest.Value(os.ReadFile(name))(t)
		if !strings.HasSuffix(name, "_test.go") {
			texts[name] = string(data)
		}
	}
	html := oktest.Value(fs.Glob(files, "*.html"))(t)
	for _, name := range html {
		data := oktest.Value(fs.ReadFile(files, name))(t)
		texts[name] = string(data)
	}
	found := 0
	for name, text := range texts {
		for _, m := range attribute.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], "{{") {
				continue // given by whoever fills the page
			}
			found++
			if !strings.HasPrefix(m[1], "s.") {
				t.Errorf("%s has the id %q, which a heading can have", name, m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d ids are found", found)
	}
}
