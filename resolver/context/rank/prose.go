package rank

import (
	"strings"
	"unicode"
)

// Prose returns a Markdown text without its source anchors and status markers,
// whose words say nothing about the topic (agent-knowledge section 13.5). It
// reads brackets as section 7.1 does, without a parse of the whole text: not in
// code, not after a backslash, not before "(".
func Prose(text string) string {
	if !holdsBracket(text) {
		return text
	}
	var out strings.Builder
	from, ticks, fence := 0, 0, ""
	for i := 0; i < len(text); {
		if i == 0 || text[i-1] == '\n' {
			line, _, _ := strings.Cut(text[i:], "\n")
			if fence = nextFence(fence, line); fence != "" {
				i += len(line) + 1
				continue
			}
			if strings.TrimSpace(line) == "" {
				ticks = 0 // a code span ends with its paragraph
			}
		}
		switch text[i] {
		case '\\':
			i += 2
			continue
		case '`':
			n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
			switch {
			case ticks == n:
				ticks = 0
			case ticks == 0 && strings.Contains(text[i+n:], text[i:i+n]):
				ticks = n
			}
			i += n
			continue
		case '[':
			if n := bracket(text[i:]); n > 0 && ticks == 0 {
				out.WriteString(text[from:i])
				out.WriteByte(' ')
				i += n
				from = i
				continue
			}
		}
		i++
	}
	if from == 0 {
		return text
	}
	out.WriteString(text[from:])
	return out.String()
}

// holdsBracket reports whether a text may hold an anchor or marker.
func holdsBracket(text string) bool {
	for {
		at := strings.IndexByte(text, '[')
		if at < 0 {
			return false
		}
		if bracket(text[at:]) > 0 {
			return true
		}
		text = text[at+1:]
	}
}

// nextFence follows fenced code from line to line: the fence that is open after
// a line, "" outside.
func nextFence(open, line string) string {
	trimmed := strings.TrimLeft(line, " ")
	if len(line)-len(trimmed) > 3 {
		return open
	}
	for _, mark := range []string{"`", "~"} {
		n := len(trimmed) - len(strings.TrimLeft(trimmed, mark))
		switch {
		case n < 3:
		case open == "" && !(mark == "`" && strings.Contains(trimmed[n:], "`")):
			return trimmed[:n]
		case strings.HasPrefix(open, mark) && n >= len(open) && strings.TrimSpace(trimmed[n:]) == "":
			return ""
		}
	}
	return open
}

// maxBracket is the longest anchor or marker that is looked for, in bytes.
const maxBracket = 8192

// bracket returns the length of the source anchor or status marker that starts
// a text, or 0.
func bracket(text string) int {
	// Most brackets are links: the first letter shows it.
	if at := strings.TrimLeftFunc(text[1:min(len(text), 16)], unicode.IsSpace); at != "" && at[0]|0x20 != 's' {
		return 0
	}
	end := strings.IndexByte(text[:min(len(text), maxBracket)], ']')
	if end < 0 || strings.HasPrefix(text[end+1:], "(") {
		return 0
	}
	inside := text[1:end]
	if strings.Contains(inside, "[") {
		return 0
	}
	key, value, _ := strings.Cut(inside, ":")
	switch strings.ToLower(strings.TrimLeftFunc(key, unicode.IsSpace)) {
	case "source":
		if len(key) < len(inside) {
			return end + 1
		}
	case "status":
		switch strings.ToLower(strings.TrimSpace(value)) {
		case "confirmed", "inferred", "disputed", "stale", "missing", "source-required":
			return end + 1
		}
	}
	return 0
}
