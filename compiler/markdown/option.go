package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/util"
)

// IsOption reports a line that says how a directive of MyST looks: ":width: 50%".
func IsOption(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 3 || line[0] != ':' {
		return false
	}
	end := bytes.IndexByte(line[1:], ':')
	if end < 1 || end+2 < len(line) && !util.IsSpace(line[end+2]) {
		return false
	}
	for _, c := range line[1 : 1+end] {
		if !util.IsAlphaNumeric(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// option takes an option off the head of a callout, and reports whether the line is one:
// ":class: tip" of MyST, or "    type: warning" between slashes, which may say what the
// callout is.
func (n *CalloutNode) option(line []byte) bool {
	if !n.options {
		return false
	}
	if n.closer == "/" {
		n.options = n.slashOption(line)
		return n.options
	}
	if n.options = IsOption(line); !n.options {
		return false
	}
	key, value, _ := strings.Cut(strings.TrimSpace(string(line))[1:], ":")
	if key == "header-rows" {
		n.Callout.HeadRows, _ = strconv.Atoi(strings.TrimSpace(value))
	}
	for _, class := range strings.Fields(value) {
		if key == "class" && n.Callout.Kind == "note" && isIn(class, notes) {
			n.Callout.Kind = class
		}
	}
	return true
}

// slashOption takes such an option of a block between slashes.
func (n *CalloutNode) slashOption(line []byte) bool {
	key, value, ok := strings.Cut(strings.TrimSpace(string(line)), ":")
	if !ok || !bytes.HasPrefix(line, []byte("    ")) || strings.ContainsAny(key, " *`[") {
		return false
	}
	value = strings.Trim(value, " '\"")
	switch {
	case key == "type" && n.Callout.Kind != "tab" && isKind(value):
		if n.Callout.Kind == "details" {
			n.Callout.Fold = '-'
		}
		n.Callout.Kind = strings.ToLower(value)
	case key == "open" && strings.EqualFold(value, "true"):
		n.Callout.Fold = '+'
	}
	return true
}
