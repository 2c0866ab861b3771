package site

import (
	"path"
	"strings"
)

// relative returns the URL of a file seen from another, both named by their
// slash paths below the site root. Nothing on a site is addressed absolutely,
// so that it works from any folder of any server, and from a disk.
func relative(from, to string) string {
	dir := path.Dir(from)
	if dir == "." {
		dir = ""
	}
	rest := to
	for dir != "" {
		head, tail, more := strings.Cut(dir, "/")
		if !strings.HasPrefix(rest, head+"/") {
			break
		}
		rest = rest[len(head)+1:]
		if dir = tail; !more {
			dir = ""
		}
	}
	up := 0
	if dir != "" {
		up = 1 + strings.Count(dir, "/")
	}
	url := strings.Repeat("../", up) + escapePath(rest)
	if first, _, _ := strings.Cut(url, "/"); strings.Contains(first, ":") {
		return "./" + url // else it would read as a scheme
	}
	return url
}

// root returns the way from a page to the site root: "" or "../../".
func root(page string) string {
	return strings.Repeat("../", strings.Count(page, "/"))
}

const hexDigits = "0123456789ABCDEF"

// escapePath percent-encodes a slash path for use in a URL and in an HTML
// attribute: whatever is not a letter, a digit or harmless punctuation.
func escapePath(p string) string {
	return escapeURL(p, "-._~/:@!$()*+,;=")
}

// escapeFragment percent-encodes a fragment. Letters of other scripts are
// encoded too: browsers decode them before they look for the id.
func escapeFragment(f string) string {
	return escapeURL(f, "-._~/:@!$()*+,;=?")
}

func escapeURL(s, keep string) string {
	clean := true
	for i := 0; i < len(s); i++ {
		if !plain(s[i]) && strings.IndexByte(keep, s[i]) < 0 {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		if plain(c) || strings.IndexByte(keep, c) >= 0 {
			b = append(b, c)
			continue
		}
		b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
	}
	return string(b)
}

func plain(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// htmlPath returns the page of a Markdown file: documents/x.md is shown by
// documents/x.html beside it.
func htmlPath(md string) string {
	return strings.TrimSuffix(md, ".md") + ".html"
}
