// Package nearest measures how far a misspelt name is from one that exists, for
// hints such as "did you mean".
package nearest

// Distance counts the bytes to insert, delete or replace to turn a into b. Time
// is the product of the lengths, so callers bound them on input they do not know.
func Distance(a, b string) int {
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
