package main

import (
	"fmt"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// suggestVerb adds the nearest verb to the error about one that does not exist.
func suggestVerb(cmd *cobra.Command, err error) error {
	var name string
	if n, _ := fmt.Sscanf(err.Error(), "unknown command %q for", &name); n == 0 || cmd == nil {
		return err
	}
	var verbs []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			verbs = append(verbs, c.Name())
		}
	}
	if near := nearest(name, verbs); near != "" {
		return withHint(err, "Did you mean %s?", near)
	}
	return withHint(err, "Run %q for the commands.", cmd.CommandPath()+" --help")
}

// nearest returns the candidate closest to a name that does not exist, or ""
// when none is close. The first of equally close candidates wins.
func nearest(name string, candidates []string) string {
	best, bestDistance := "", utf8.RuneCountInString(name)/2+1
	for _, c := range candidates {
		if d := distance(name, c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// maxSuggestRunes bounds the work of distance on hostile names.
const maxSuggestRunes = 64

// distance is the number of single-character insertions, deletions,
// substitutions and swaps of neighbours between two names.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	if len(s) > maxSuggestRunes || len(t) > maxSuggestRunes {
		return maxSuggestRunes
	}
	rows := [3][]int{}
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
	}
	before, last, row := rows[0], rows[1], rows[2]
	for j := range last {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}
