package boot

import "bytes"

// Notes in place of what the header form leaves out.
const (
	hiddenNote        = "# [implementation hidden - use skill to execute]\n"
	undocumentedNote  = "# [no documentation found]\n"
	headerLineStarts  = "#/*" // # and #!, // and /*, *
	headerLineSlashes = "/*"  // what may follow a / that starts a comment
)

// skillHeader returns the leading comment block of a skill: the lines from the
// top that are blank or start a comment, without the blank lines around them.
func skillHeader(content []byte) []byte {
	at, end := 0, 0
	for line := range bytes.Lines(content) {
		at += len(line)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if !commentLine(text) {
				break
			}
			end = at
		}
	}
	block := bytes.TrimSpace(content[:end])
	if len(block) == 0 {
		return []byte(undocumentedNote + "\n" + hiddenNote)
	}
	return append(append(bytes.Clone(block), "\n\n"...), hiddenNote...)
}

// commentLine reports whether a line without blanks at its ends is a comment.
func commentLine(text []byte) bool {
	if bytes.IndexByte([]byte(headerLineStarts), text[0]) < 0 {
		return false
	}
	return text[0] != '/' || len(text) > 1 && bytes.IndexByte([]byte(headerLineSlashes), text[1]) >= 0
}
