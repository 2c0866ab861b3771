package pack

import "fmt"

// suggest returns a hint that names the nearest of the known words, or the
// other hint when none is near: at most a third of the letters may differ.
func suggest(word string, all []string, otherwise string) string {
	const longest = 40 // no word we know is longer; distances of long ones are dear
	best, nearest := "", len(word)/3+1
	for _, known := range all {
		if len(word) <= longest {
			if d := distance(word, known); d < nearest {
				best, nearest = known, d
			}
		}
	}
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// distance counts the bytes to insert, drop or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
