package loadout

// notReady are the statuses that a summary says, with the word that it begins with.
var notReady = [...]struct{ status, word string }{
	{"draft", "Draft: "},
	{"needs-review", "Needs review: "},
	{"stale", "Stale: "},
	{"disputed", "Disputed: "},
}

// MarkSummary returns the summary of a text, which begins with the word for its status when it
// is not ready.
func MarkSummary(status, summary string) string {
	for _, s := range notReady {
		if s.status == status && summary != "" && !begins(summary, s.word) {
			return s.word + summary
		}
	}
	return summary
}

// StatusOf is the status that a summary begins with, "" when it begins with none, and the
// summary without it.
func StatusOf(summary string) (status, plain string) {
	for _, s := range notReady {
		if begins(summary, s.word) {
			return s.status, summary[len(s.word):]
		}
	}
	return "", summary
}

func begins(text, word string) bool { return len(text) >= len(word) && text[:len(word)] == word }
