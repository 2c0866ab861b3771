package diag

import (
	"crypto/sha256"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/secret"
)

// lineMemo keeps what is known about the lines of one file, so that thousands of
// findings on one long line look at it once. Diagnostics are best asked about file
// by file.
type lineMemo struct {
	lines      Lines
	pack, path string
	known      map[int]*knownLine // by line number
}

// knownLine is a line with the secrets in it.
type knownLine struct {
	text  string // "" where there is no line to show
	hits  []secret.Hit
	sum   [sha256.Size]byte // of the line as fingerprints see it; made when it is asked for
	hasIt bool
}

// line returns the line of a diagnostic.
func (m *lineMemo) line(d *Diagnostic) *knownLine {
	if m.known == nil || m.pack != d.Pack || m.path != d.Path {
		m.pack, m.path, m.known = d.Pack, d.Path, map[int]*knownLine{}
	}
	l := m.known[d.Line]
	if l == nil {
		l = &knownLine{}
		if text, ok := m.lines(*d); ok && strings.TrimSpace(text) != "" {
			l.text, l.hits = text, secret.Find([]byte(text))
		}
		m.known[d.Line] = l
	}
	return l
}

// frameReach is how far around its place a line is looked at for a frame, in bytes:
// more than what is shown of it.
const frameReach = 2 << 10

// around returns the text before and after an offset, as far as a frame may show
// it, with secrets cut to their first characters.
func (l *knownLine) around(at int) (before, after string) {
	from, to := max(0, at-frameReach), min(len(l.text), at+frameReach)
	for from > 0 && from < at && !utf8.RuneStart(l.text[from]) {
		from++
	}
	var head, tail strings.Builder
	done := from
	copyTo := func(end int) {
		if end > done {
			head.WriteString(l.text[done:max(done, min(end, at))])
			tail.WriteString(l.text[min(max(done, at), end):end])
			done = end
		}
	}
	for _, h := range l.hits {
		if h.End <= done || h.Start >= to {
			continue
		}
		copyTo(h.Start)
		if h.Start < at {
			head.WriteString(h.Shown + "…")
		} else {
			tail.WriteString(h.Shown + "…")
		}
		done = max(done, h.End)
	}
	copyTo(to)
	return head.String(), tail.String()
}

// basis is the hash of the line with blanks collapsed and secrets cut short: no
// hash of a secret is published.
func (l *knownLine) basis() []byte {
	if !l.hasIt {
		l.sum, l.hasIt = sha256.Sum256([]byte(secret.Redact(normalLine(l.text)))), true
	}
	return l.sum[:]
}
