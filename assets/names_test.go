package assets

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

var (
	// idInSelector finds an id in a selector, with its escapes.
	idInSelector = regexp.MustCompile(`#((?:[A-Za-z_-]|\\.)(?:[\w-]|\\.)*)`)
	// declaration is a property with its value, where # begins a colour.
	declaration = regexp.MustCompile(`[\w-]+: [^;{}]*`)
	literal     = regexp.MustCompile("\"[^\"\n]*\"|'[^'\n]*'|`[^`]*`")
	byID        = regexp.MustCompile(`getElementById\("([^"]*)"`)
)

// The id of a heading holds letters, digits, "-" and "_". So an id that a script
// or a style goes by has a dot, or a page that is called so would be taken for
// the site's own element.
func TestIDsOfOurOwnAreNoHeadings(t *testing.T) {
	found := 0
	check := func(name, id string) {
		found++
		if !strings.Contains(id, ".") {
			t.Errorf("%s goes by the id %q, which a heading can have", name, id)
		}
	}
	err := fs.WalkDir(embedded, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(embedded, name)
		if err != nil {
			return err
		}
		text := string(data)
		switch {
		case strings.HasSuffix(name, ".css"):
			for _, m := range idInSelector.FindAllStringSubmatch(declaration.ReplaceAllString(text, ""), -1) {
				check(name, m[1])
			}
		case strings.HasSuffix(name, ".ts"):
			for _, m := range byID.FindAllStringSubmatch(text, -1) {
				check(name, m[1])
			}
			for _, l := range literal.FindAllString(text, -1) {
				for _, m := range idInSelector.FindAllStringSubmatch(l, -1) {
					check(name, m[1])
				}
			}
		}
		return nil
	})
	oktest.Check(t, err)
	if found < 16 {
		t.Errorf("only %d ids are found", found)
	}
}
