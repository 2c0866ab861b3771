package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/loadout"
)

// Slip is what the front matter of a topic file or a rule file says without an effect.
type Slip struct {
	Code, Message, Hint string
	Line                int // from 1
}

// The codes of slips.
const (
	CodeKey      = "UNKNOWN_FIELD"
	CodePriority = "INVALID_PRIORITY"
)

// routingKeys are the keys of a topic file or a rule file that mean something. The first
// shortKeys are too short to be suggested.
var routingKeys = []string{"id", "name", "type", "summary", "description", "keywords", "patterns", "priority", "triggers"}

const shortKeys = 4

var priorities = []string{loadout.PriorityCore, loadout.PriorityDomain, loadout.PriorityManual}

// maxFrontLines is how many lines of front matter are looked at.
const maxFrontLines = 200

// Settle returns a topic file or a rule file with the keys of its front matter and the word of
// its priority in lower case, and what of them has no effect. Its length stays the same.
func Settle(content string) (settled string, slips []Slip) {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(content) {
		n++
		switch mark := strings.TrimRight(line, " \t\r\n"); {
		case n == 1 && strings.TrimPrefix(mark, "\ufeff") != "---" || n > maxFrontLines:
			return content, nil
		case n == 1:
		case mark == "---":
			return b.String() + content[b.Len():], slips
		default:
			line = settleLine(line, n, &slips)
		}
		b.WriteString(line)
	}
	return content, nil // it is never closed
}

// settleLine is Settle for a line of front matter and its number.
func settleLine(line string, n int, slips *[]Slip) string {
	key, value, ok := strings.Cut(line, ":")
	lower := strings.ToLower(key)
	if !ok || len(lower) != len(key) || key == "" || strings.ContainsAny(key[:1], " \t#-") {
		return line
	}
	if !slices.Contains(routingKeys, lower) {
		if near := nearest.Within(lower, routingKeys[shortKeys:], min(2, len(lower)/4)); near != "" {
			*slips = append(*slips, Slip{CodeKey, fmt.Sprintf("has the key %q, which has no effect", key), fmt.Sprintf("did you mean %q?", near), n})
		}
		return line
	}
	if lower != "priority" {
		return lower + ":" + value
	}
	written, _, _ := strings.Cut(value, " #")
	word := strings.ToLower(strings.Trim(strings.TrimSpace(written), `"'`))
	if slices.Contains(priorities, word) {
		return lower + ":" + strings.ToLower(value)
	}
	if word != "" {
		hint := "write core, domain or manual"
		if near := nearest.Name(word, priorities); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		*slips = append(*slips, Slip{CodePriority, fmt.Sprintf("has the priority %q, which counts as domain", word), hint, n})
	}
	return lower + ":" + value
}
