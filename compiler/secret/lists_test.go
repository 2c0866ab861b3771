package secret

import (
	_ "embed"
	"strings"
	"testing"
)

// A line of these lists is a text; "⏎" stands for the end of a line in it. Lines between
// dashes name what follows. Every second text was left out of sight while the rules were
// written, and judges them; those of the last section of each list came with their rules.
var (
	//go:embed testdata/lookalikes-code.txt
	codeLookalikes string

	// Secrets are between « and »; a bar parts each in two, so that no scanner reports the list.
	//
	//go:embed testdata/planted.txt
	plantedTexts string
)

// samples returns the texts of a list by half: those the rules were written with, and
// those that judge.
func samples(list string) (halves [2][]string) {
	n := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(list, "\n"), "\n") {
		if !strings.HasPrefix(line, "-- ") {
			halves[n%2] = append(halves[n%2], strings.ReplaceAll(line, "⏎", "\n"))
			n++
		}
	}
	return halves
}

// Code and documentation about passwords hold none: at most 4 of 200 warnings, no error.
func TestCodeAboutSecretsHoldsNone(t *testing.T) {
	total, warnings := 0, 0
	for half, texts := range samples(codeLookalikes) {
		found := 0
		for _, text := range texts {
			hits := Find([]byte(text))
			if HasKnown(hits) {
				t.Errorf("half %d: error: %q: %+v", half, text, hits)
			} else if len(hits) > 0 {
				found++
				t.Logf("half %d: warning: %q: %+v", half, text, hits)
			}
		}
		t.Logf("half %d: %d look-alikes, %d warnings", half, len(texts), found)
		total, warnings = total+len(texts), warnings+found
	}
	if total < 200 || warnings > 4 {
		t.Errorf("%d look-alikes, %d warnings; want at least 200 and at most 4", total, warnings)
	}
}

// Secrets in prose, tables, code and addresses are found: at least 97 of 100.
func TestPlantedSecretsAreFound(t *testing.T) {
	total, missed := 0, 0
	for half, texts := range samples(plantedTexts) {
		found, known := 0, 0
		for _, text := range texts {
			before, rest, _ := strings.Cut(strings.ReplaceAll(text, "¦", ""), "«")
			value, after, _ := strings.Cut(rest, "»")
			hit, ok := hitAt(Find([]byte(before+value+after)), len(before), len(before)+len(value))
			switch {
			case !ok:
				t.Logf("half %d: missed: %q", half, before+value+after)
				continue
			case hit.Known:
				known++
			default:
				t.Logf("half %d: warning: %q", half, before+value+after)
			}
			found++
		}
		t.Logf("half %d: %d of %d planted secrets are found, %d as errors", half, found, len(texts), known)
		total, missed = total+len(texts), missed+len(texts)-found
	}
	if total < 100 || missed > 3 {
		t.Errorf("%d of %d planted secrets are missed; want at most 3 of 100", missed, total)
	}
}

// hitAt returns the hit that holds a range.
func hitAt(hits []Hit, start, end int) (Hit, bool) {
	for _, h := range hits {
		if h.Start <= start && h.End >= end && h.End-h.Start < 2*(end-start) {
			return h, true
		}
	}
	return Hit{}, false
}
