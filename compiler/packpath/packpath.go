package packpath

import (
	"errors"
	"fmt"
	"path"
	"slices"
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

// CanShow reports whether a file beside pages may be on a site as it is, by the ending of
// its name, from which a server decides what a browser makes of it. It is a closed list of
// what browsers show, play or save: never HTML, a script, a style or another document that
// could run one. An SVG is looked at before it is published. Some servers go by an ending
// before one that they do not know, or that says how a file is packed: evil.html.gz is HTML.
func CanShow(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	if !slices.Contains(outermost, ext) && isActive(strings.TrimSuffix(path.Base(name), path.Ext(name))) {
		return false
	}
	switch ext {
	case ".md", ".txt", ".csv", ".tsv", ".json", ".yaml", ".yml", ".toml", ".bib", ".ics", ".canvas", ".base", ".ipynb":
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".svg":
	case ".mp3", ".m4a", ".ogg", ".oga", ".opus", ".wav", ".flac", ".mp4", ".m4v", ".mov", ".webm", ".ogv", ".vtt", ".srt":
	case ".pdf", ".epub", ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp":
	case ".zip", ".gz", ".tgz", ".tar", ".xz", ".zst", ".7z":
	default:
		return false
	}
	return true
}

// outermost are endings that every server knows: none before them counts.
var outermost = []string{".md", ".txt", ".csv", ".json", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".pdf", ".zip", ".mp3", ".mp4", ".webm"}

// active are endings of documents that a browser runs, and of programs of servers.
var active = []string{"asp", "aspx", "cgi", "css", "htm", "html", "js", "jsp", "mjs", "php", "phtml", "shtml", "svg", "xht", "xhtml", "xml", "xsl", "xslt"}

// isActive reports a name with an active ending anywhere in it.
func isActive(stem string) bool {
	for i, part := range strings.Split(strings.ToLower(stem), ".") {
		if i > 0 && slices.Contains(active, part) {
			return true
		}
	}
	return false
}
