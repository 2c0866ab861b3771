package nearest

import "unicode/utf8"

// maxRunes is the length from which texts are not compared: hints are for names,
// and hostile ones are long.
const maxRunes = 512

// Name returns the candidate closest to a name that does not exist, or "" when
// every one differs in more than a third of the name's characters, rounded: a slip
// of the finger changes no more, and a wrong hint is worse than none. Of equally
// close candidates it is the first.
func Name(name string, candidates []string) string {
	return Within(name, candidates, (utf8.RuneCountInString(name)+1)/3)
}

// Within returns the candidate with the smallest edit distance to a text, or ""
// when all are further away than limit; of equal ones the first. An edit inserts,
// deletes or replaces a character or swaps two neighbours.
func Within(text string, candidates []string, limit int) string {
	b := Budget(1 << 62)
	return b.Within(text, candidates, limit)
}

// Budget bounds what a series of searches may cost, in cells of the distance
// table. Once it is spent, searches find nothing.
type Budget int

// Within is [Within], and takes what it costs from the budget.
func (b *Budget) Within(text string, candidates []string, limit int) string {
	s := []rune(text)
	if len(s) == 0 || len(s) > maxRunes {
		return ""
	}
	best := ""
	for _, c := range candidates {
		if limit < 0 || *b <= 0 {
			break
		}
		if n := len(c) - len(text); n > utf8.UTFMax*(limit+len(s)) || len(c) > utf8.UTFMax*maxRunes {
			continue
		}
		if d := b.distance(s, []rune(c), limit); d <= limit {
			best, limit = c, d-1
		}
	}
	return best
}

// distance returns the edit distance of two texts, or limit+1 when it is larger.
// Only the cells within limit of the diagonal are computed.
func (b *Budget) distance(s, t []rune, limit int) int {
	if len(s)-len(t) > limit || len(t)-len(s) > limit {
		return limit + 1
	}
	far := limit + 1
	var rows [3][]int
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
	}
	before, above, row := rows[0], rows[1], rows[2]
	for j := range above {
		above[j] = min(j, far)
	}
	for i := 1; i <= len(s); i++ {
		low, high := max(1, i-limit), min(len(t), i+limit)
		row[low-1] = far
		if low == 1 {
			row[0] = min(i, far)
		}
		smallest := row[low-1]
		for j := low; j <= high; j++ {
			d := above[j-1]
			if s[i-1] != t[j-1] {
				d++
			}
			d = min(d, row[j-1]+1, above[j]+1, far)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			smallest = min(smallest, d)
		}
		if high < len(t) {
			row[high+1] = far
		}
		*b -= Budget(high - low + 2)
		// A swap reaches back two rows.
		if smallest > limit && minOf(above) > limit {
			return far
		}
		before, above, row = above, row, before
	}
	return above[len(t)]
}

func minOf(row []int) int {
	least := row[0]
	for _, d := range row[1:] {
		least = min(least, d)
	}
	return least
}
