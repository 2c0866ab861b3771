package regularfile

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
)

// IsGit reports a path with a part that is a .git, as file systems compare names: some
// ignore case, characters without a form, dots and blanks at the end, and what follows a
// colon, and know a short name.
func IsGit(path string) bool {
	for part := range strings.SplitSeq(strings.ToLower(filepath.ToSlash(path)), "/") {
		part, _, _ = strings.Cut(part, ":")
		part = strings.TrimRight(strings.Map(withForm, part), ". ")
		number, short := strings.CutPrefix(part, "git~")
		if part == ".git" || short && number != "" && strings.Trim(number, "0123456789") == "" {
			return true
		}
	}
	return false
}

// withForm is a character, -1 for an invisible one.
func withForm(c rune) rune {
	if unicode.Is(unicode.Cf, c) {
		return -1
	}
	return c
}

// gitError says that a link of a repository leads to what git keeps of it: addresses with
// passwords, and tokens of a pipeline.
type gitError struct{ name string }

func (e *gitError) Error() string {
	return fmt.Sprintf("%s: a link leads into a directory .git", e.name)
}

// Is reports whether an error is [ErrOutside]: what git keeps came with no checkout.
func (e *gitError) Is(target error) bool { return target == ErrOutside }

// Advice says what to do about the link.
func (e *gitError) Advice() string { return "replace the link by a file: .git is for git alone" }
