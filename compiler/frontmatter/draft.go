package frontmatter

import (
	"bufio"
	"bytes"
	"io"
)

// IsDraft reports that the block at the start of a file says that its author has not
// published the page: a line "draft: true", "published: false" or "publish: false" of
// YAML, "draft = true" of TOML. No more than the block is read, and no more than
// [MaxPageBytes] of that; a file that cannot be read is not a draft. The lines are compared
// and not parsed, so that a block with a fault elsewhere keeps its page back too.
func IsDraft(r io.Reader) bool {
	lines := bufio.NewReaderSize(io.LimitReader(r, MaxPageBytes), 1<<10)
	first, ok := draftLine(lines)
	first = bytes.TrimPrefix(first, []byte("\xEF\xBB\xBF"))
	marker, between := "---", byte(':')
	if bytes.HasPrefix(first, []byte("+++")) {
		marker, between = "+++", '='
	}
	if string(first) != marker {
		return false
	}
	draft := false
	for inTable := false; ok; {
		var line []byte
		line, ok = draftLine(lines)
		if string(line) == marker {
			return draft
		}
		inTable = inTable || between == '=' && bytes.HasPrefix(line, []byte("["))
		draft = draft || !inTable && saysDraft(line, between)
	}
	return false // the block is not closed: it is text
}

// draftLine reads a line without the white space after it; of a long one only the
// beginning. It is false for the last one.
func draftLine(r *bufio.Reader) (line []byte, ok bool) {
	line, err := r.ReadSlice('\n')
	line = bytes.TrimRight(line, " \t\r\n")
	if err == bufio.ErrBufferFull {
		line = bytes.Clone(line)
		for err == bufio.ErrBufferFull {
			_, err = r.ReadSlice('\n')
		}
	}
	return line, err == nil
}

// saysDraft reports a line that holds a page back.
func saysDraft(line []byte, between byte) bool {
	key, value, ok := bytes.Cut(line, []byte{between})
	if !ok {
		return false
	}
	value, _, _ = bytes.Cut(value, []byte(" #"))
	value = bytes.ToLower(bytes.TrimSpace(value))
	if between == '=' {
		key = bytes.TrimSpace(key)
	}
	switch string(key) {
	case "draft":
		return string(value) == "true"
	case "published", "publish":
		return string(value) == "false"
	}
	return false
}
