package packpath

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxBytes is the longest clean pack path, in bytes.
const MaxBytes = 1024

// The two ways a path can be refused. Every error of [Check] wraps one of them.
var (
	// ErrEscape marks a path that tries to leave the pack, or is written so
	// that some system would read it that way: absolute, a drive letter, a
	// ".." component, a backslash or a control character.
	ErrEscape = errors.New("path leads out of the pack")
	// ErrUnclean marks a path that is merely not clean: empty, not UTF-8, too
	// long, or with an empty or "." component.
	ErrUnclean = errors.New("not a clean pack path")
)

// Check returns nil when s is a clean pack path, otherwise an error that wraps
// [ErrEscape] or [ErrUnclean]. A path with both kinds of fault is an escape.
func Check(s string) error {
	switch {
	case s == "":
		return fmt.Errorf("%w: it is empty", ErrUnclean)
	case s[0] == '/':
		return fmt.Errorf("%w: it is absolute", ErrEscape)
	case strings.IndexByte(s, '\\') >= 0:
		return fmt.Errorf("%w: it holds a backslash", ErrEscape)
	case len(s) >= 2 && s[1] == ':' && isLetter(s[0]):
		return fmt.Errorf("%w: it starts with a drive letter", ErrEscape)
	case strings.IndexFunc(s, unicode.IsControl) >= 0:
		return fmt.Errorf("%w: it holds a control character", ErrEscape)
	}
	unclean := ""
	for part := range strings.SplitSeq(s, "/") {
		switch part {
		case "..":
			return fmt.Errorf("%w: it has a \"..\" component", ErrEscape)
		case ".":
			unclean = "it has a \".\" component"
		case "":
			unclean = "it has an empty component"
		}
	}
	switch {
	case !utf8.ValidString(s):
		unclean = "it is not UTF-8"
	case len(s) > MaxBytes:
		unclean = fmt.Sprintf("it is longer than %d bytes", MaxBytes)
	}
	if unclean != "" {
		return fmt.Errorf("%w: %s", ErrUnclean, unclean)
	}
	return nil
}

func isLetter(c byte) bool {
	c |= 0x20
	return 'a' <= c && c <= 'z'
}
