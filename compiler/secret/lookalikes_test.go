package secret

import (
	_ "embed"
	"strings"
	"testing"
)

// A line of the list is a look-alike; a tab before a line continues it. Lines
// between dashes name what follows.
//
//go:embed testdata/lookalikes.txt
var lookalikes string

// What only looks like a secret stops no build, and seldom asks to be looked at.
func TestLookalikesAreNoSecrets(t *testing.T) {
	const (
		least    = 200 // look-alikes
		errors   = 2   // at most
		warnings = 8   // at most
	)
	texts, known, guessed := 0, 0, 0
	for sample := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSuffix(lookalikes, "\n"), "\n\t", "\x00"), "\n") {
		if strings.HasPrefix(sample, "-- ") {
			continue
		}
		texts++
		text := strings.ReplaceAll(sample, "\x00", "\n")
		hits := Find([]byte(text))
		switch {
		case HasKnown(hits):
			known++
			t.Logf("error: %q: %+v", text, hits)
		case len(hits) > 0:
			guessed++
			t.Logf("warning: %q: %+v", text, hits)
		}
	}
	t.Logf("%d look-alikes: %d errors, %d warnings", texts, known, guessed)
	if texts < least || known > errors || guessed > warnings {
		t.Errorf("%d look-alikes, %d errors, %d warnings; want at least %d, at most %d and %d", texts, known, guessed, least, errors, warnings)
	}
}
