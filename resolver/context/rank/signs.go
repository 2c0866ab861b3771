package rank

import (
	"bytes"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/stem"
)

// isVersion reports the word of a version: a v, and numbers with points between.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && stem.IsDigit(word[1]) && strings.Contains(word, ".")
}

// wider are the versions that a version is one of, the nearest first, down to two numbers.
func wider(version string) []string {
	var list []string
	if base, _, ok := strings.Cut(version, "~"); ok {
		version = base
		list = append(list, base)
	}
	for {
		at := strings.LastIndexByte(version, '.')
		if at < 0 || strings.IndexByte(version, '.') == at {
			return list
		}
		version = version[:at]
		list = append(list, version)
	}
}

// joined yields what only the signs of a run make a word: compounds of words that say nothing
// of a topic alone ("one-on-ones", "to-do"), and letters beside a hyphen or a plus sign
// ("USB-C", "Ctrl+V").
func joined(run []byte, yield func(word []byte)) {
	if bytes.IndexByte(run, '-') > 0 {
		if word := compound(run); word != nil {
			yield(word)
		}
	}
	if run[0] == '-' || bytes.Contains(run, []byte("++")) {
		return // the letter is a part of an option, or of "c++"
	}
	from := 0
	for i := 0; i <= len(run); i++ {
		if i < len(run) && run[i] != '-' && run[i] != '+' {
			continue
		}
		if i == from+1 && stem.IsLetter(run[from]) && !isStopWord(run[from:i]) {
			yield(run[from:i])
		}
		from = i + 1
	}
}

// compound is a run of words with hyphens between them as a word of its own; nil where one
// of the words is a topic, or the run no compound.
func compound(run []byte) []byte {
	parts := strings.Split(string(run), "-")
	last := len(parts) - 1
	if slices.Contains(parts, "") {
		return nil
	}
	for i, part := range parts {
		if stopWords()[part] {
			continue
		}
		if n := len(part); n >= minPlural && part[n-1] == 's' && part[n-2] != 's' {
			part = part[:n-1]
		}
		if !weakWords()[part] {
			return nil
		}
		if i == last {
			parts[i] = part
		}
	}
	return []byte(strings.Join(parts, "-"))
}

// isSigned reports the words that a text mostly holds without their signs too, so that
// their absence says little: compounds, options, and names that begin with a point.
func isSigned(stem string) bool {
	return stem != "" && (stem[0] == '.' || strings.Contains(stem, "-") || len(stem) > 3 && strings.ContainsAny(stem, "/&"))
}
