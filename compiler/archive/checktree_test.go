package archive_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/archive"
)

// What CheckTree takes, Extract takes, and what it refuses, Extract refuses by the
// same rule.
func TestCheckTreeSaysWhatExtractWillSay(t *testing.T) {
	limits := archive.Limits{Files: 6, Bytes: 20, FileBytes: 10}
	for want, tree := range map[string][]item{
		"":                         {{name: "a/b", body: "0123456789"}, {name: "a/c", body: "0123456789"}, {name: "d"}},
		archive.RulePath:           {{name: "a"}, {name: "aux.md"}},
		archive.RuleClash:          {{name: "README.md"}, {name: "readme.md"}},
		archive.RuleTooMany:        {{name: "a/b/c/d/e/f/g"}},
		archive.RuleTooLarge:       {{name: "a", body: "0123456789a"}},
		archive.RuleTooLarge + " ": {{name: "a", body: "0123456789"}, {name: "b", body: "0123456789"}, {name: "c", body: "0"}},
	} {
		var files []archive.File
		for _, it := range tree {
			files = append(files, archive.File{Path: it.name, Size: int64(len(it.body))})
		}
		_, _, extracted := extract(t, tarOf(t, tree...), limits)
		for what, err := range map[string]error{"CheckTree": archive.CheckTree(files, limits), "Extract": extracted} {
			var r *archive.Refusal
			if errors.As(err, &r); err != nil != (want != "") || err != nil && r.Rule != strings.TrimSpace(want) {
				t.Errorf("%s: %v, want %q", what, err, want)
			}
		}
	}
}
