package managedblock

import (
	"bytes"
	"errors"
	"slices"
	"strings"
)

// Marks are the lines around a block of ours. The second form of a beginning says that
// the text before the block had no line end.
type Marks struct{ begin, begins, end string }

// Markdown returns the marks of a block in a Markdown file; owner is a word that
// distinguishes several of our blocks in one file.
func Markdown(owner string) Marks {
	return Marks{"<!-- " + owner + ":begin -->", "<!-- " + owner + ":begin after-text -->", "<!-- " + owner + ":end -->"}
}

// Comment returns the marks of a block in a file with comments that begin with #.
func Comment(owner string) Marks {
	return Marks{"# " + owner + ":begin", "# " + owner + ":begin after-text", "# " + owner + ":end"}
}

// ErrMarks says that the marks in a file do not make one block.
var ErrMarks = errors.New("the lines packgen:begin and packgen:end do not go together")

// find returns the offsets of the block with its marks and the line end after it; ok
// is false when there is none.
func (m Marks) find(text []byte) (start, end int, afterText, ok bool, err error) {
	at := 0
	start = -1
	for line := range bytes.Lines(text) {
		plain := string(bytes.TrimRight(line, "\r\n"))
		switch {
		case plain == m.begin || plain == m.begins:
			if start >= 0 || ok {
				return 0, 0, false, false, ErrMarks
			}
			start, afterText = at, plain == m.begins
		case plain == m.end:
			if start < 0 || ok {
				return 0, 0, false, false, ErrMarks
			}
			end, ok = at+len(line), true
		}
		at += len(line)
	}
	if start >= 0 && !ok {
		return 0, 0, false, false, ErrMarks
	}
	return start, end, afterText, ok, nil
}

// Add puts a block at the end of a text, or in the place of an earlier one.
func Add(text []byte, m Marks, body string) ([]byte, error) {
	start, end, afterText, ok, err := m.find(text)
	if err != nil {
		return nil, err
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	begin, before := m.begin, ""
	switch {
	case ok && afterText:
		begin = m.begins
	case ok, len(text) == 0:
	case text[len(text)-1] != '\n':
		begin, before = m.begins, newline+newline
	default:
		before = newline
	}
	if !ok {
		start, end = len(text), len(text)
	}
	out := before + begin + newline + strings.ReplaceAll(body, "\n", newline) + newline + m.end + newline
	return slices.Concat(text[:start], []byte(out), text[end:]), nil
}

// Remove takes the block out, with the line ends that were put before it.
func Remove(text []byte, m Marks) ([]byte, error) {
	start, end, afterText, ok, err := m.find(text)
	if err != nil || !ok {
		return text, err
	}
	before := text[:start]
	cuts := 1
	if afterText {
		cuts = 2
	}
	for range cuts {
		if cut, found := bytes.CutSuffix(before, []byte("\r\n")); found {
			before = cut
		} else {
			before = bytes.TrimSuffix(before, []byte("\n"))
		}
	}
	if start > 0 && len(before) == 0 && !afterText {
		before = nil
	}
	return slices.Concat(before, text[end:]), nil
}
