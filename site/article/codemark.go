package article

import (
	"bytes"
	"strconv"
	"strings"
)

// codeMarks are the classes of lines with comments as Shiki and VitePress read them:
//
//	x := 1 // [!code ++]
//	// [!code highlight:3]
//
// A number is of how many lines, from that of the comment on, or the next when it is alone.
var codeMarks = map[string]string{
	"++": lineAdded, "--": lineCut, "hl": lineMarked, "highlight": lineMarked, "error": lineError, "warning": lineWarned, "focus": lineFocus,
}

// lineFocus is the class of lines that have the focus, which are shown as they are.
const lineFocus = "focus"

// readCodeMark finds such a comment in a line of code.
func readCodeMark(line []byte) (before []byte, class string, lines int, ok bool) {
	at := bytes.Index(line, []byte("[!code "))
	if at < 0 {
		return nil, "", 0, false
	}
	word, _, ok := bytes.Cut(line[at+len("[!code "):], []byte("]"))
	name, count, counted := strings.Cut(strings.TrimSpace(string(word)), ":")
	class, known := codeMarks[name]
	if !ok || !known && name != "word" {
		return nil, "", 0, false
	}
	if lines = 1; counted && known {
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 || n > maxMarked {
			return nil, "", 0, false
		}
		lines = n
	}
	return bytes.TrimRight(line[:at], " \t/#*<!-;%{"), class, lines, true
}

// takeComments takes out the comments that mark lines. Where lines have the focus, the
// others step back.
func (f *fenceInfo) takeComments(code []byte) []byte {
	var out []byte
	line, focus := 0, false
	for part := range bytes.Lines(code) {
		before, class, lines, ok := readCodeMark(part)
		if !ok {
			line++
			out = append(out, part...)
			continue
		}
		from := line + 1
		if len(bytes.TrimSpace(before)) > 0 {
			line++
			out = append(append(out, before...), '\n')
		}
		if class != "" && from+lines <= maxMarked {
			focus = focus || class == lineFocus
			f.mark(strconv.Itoa(from)+"-"+strconv.Itoa(from+lines-1), class)
		}
	}
	if focus {
		f.dim(line)
	}
	return out
}

// dim lets the lines step back that have no mark, and takes the focus, which then says
// nothing more, from the others.
func (f *fenceInfo) dim(lines int) {
	for i := 1; i <= min(lines, maxMarked); i++ {
		switch f.marks[i] {
		case "":
			f.marks[i] = lineAway
		case lineFocus:
			delete(f.marks, i)
		}
	}
}
