package escape

import "strings"

// notReady are the statuses of packs, pages and claims that a text for an agent says, with
// the word that a summary begins with.
var notReady = [...]struct{ status, word string }{
	{"draft", "Draft: "},
	{"needs-review", "Needs review: "},
	{"stale", "Stale: "},
	{"disputed", "Disputed: "},
}

// IsNotReady reports a status that a text for an agent says.
func IsNotReady(status string) bool { return StatusLine(status) != "" }

// StatusLine begins a text that is not ready; "" for any other status.
func StatusLine(status string) string {
	for _, s := range notReady {
		if s.status == status {
			return "> Status: " + status + ". Say so where you use what follows.\n\n"
		}
	}
	return ""
}

// Summary returns the summary of a text, which begins with the word for its status when it
// is not ready.
func Summary(status, summary string) string {
	for _, s := range notReady {
		if s.status == status && summary != "" && !strings.HasPrefix(summary, s.word) {
			return s.word + summary
		}
	}
	return summary
}

// StatusOf is the status that a summary begins with, "" when it begins with none, and the
// summary without it.
func StatusOf(summary string) (status, plain string) {
	for _, s := range notReady {
		if plain, ok := strings.CutPrefix(summary, s.word); ok {
			return s.status, plain
		}
	}
	return "", summary
}
