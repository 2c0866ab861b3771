package injection

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Passages as they are on pages: those that mean to steer a model, and harmless ones of
// documentation that use the same words.
var (
	//go:embed testdata/injections.txt
	injections string
	//go:embed testdata/harmless.txt
	harmless string
)

// passages reads a list: one a line, in quotes where characters cannot be seen, with
// "\n" for a line end.
func passages(t *testing.T, text string, want int) (list []string) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, `"`) {
			unquoted, err := strconv.Unquote(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			line = unquoted
		}
		list = append(list, strings.ReplaceAll(line, `\n`, "\n"))
	}
	if len(list) != want {
		t.Fatalf("%d passages, want %d", len(list), want)
	}
	return list
}

// The figures are those of the detector as it is: a change that makes them worse fails.
// The phrases of the detector were written with the first list in view, so of passages
// that nobody has seen it will find fewer.
func TestRecallAndFalseAlarmsOnTheLists(t *testing.T) {
	const (
		leastFound  = 98 // of 100
		mostWarned  = 2  // of 200: words with invisible characters in them
		mostRemarks = 4
	)
	found, warned, remarks := 0, 0, 0
	for _, text := range passages(t, injections, 100) {
		if len(Find([]byte(text), Options{})) > 0 {
			found++
		} else {
			t.Logf("not found: %q", text)
		}
	}
	for _, text := range passages(t, harmless, 200) {
		hits := Find([]byte(text), Options{})
		switch {
		case slices.ContainsFunc(hits, func(h Hit) bool { return !h.Weak }):
			warned++
			t.Logf("a warning for %q: %+v", text, hits)
		case len(hits) > 0:
			remarks++
			t.Logf("a remark for %q: %+v", text, hits)
		}
	}
	t.Logf("of 100 injections %d are found; of 200 harmless passages %d give a warning and %d a remark", found, warned, remarks)
	if found < leastFound || warned > mostWarned || remarks > mostRemarks {
		t.Errorf("found %d, warned %d, remarks %d; want at least %d, at most %d and %d", found, warned, remarks, leastFound, mostWarned, mostRemarks)
	}
}

// What headings hold by accident, and a rule of a linter, are no injection.
func TestZeroWidthCharactersInHeadingsAreHarmless(t *testing.T) {
	for _, text := range []string{"## \u200bHeading", "## He\u200bading", "# Title\u200b\u200b", "### \u2060Options \u200d", "Ignore all existing violations of a rule."} {
		if hits := Find([]byte(text), Options{}); len(hits) > 0 {
			t.Errorf("%q: %+v", text, hits)
		}
	}
}
