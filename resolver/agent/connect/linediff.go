package connect

import "strings"

// diffContext is how many equal lines are shown around a difference.
const diffContext = 3

// lineDiff shows the difference of two texts of which one stretch differs: a
// first character says whether a line stays, goes or comes.
func lineDiff(before, after []byte) []string {
	x, y := splitText(before), splitText(after)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	diff := []string{}
	if start == len(x) && start == len(y) {
		return diff
	}
	add := func(mark string, lines []string) {
		for _, l := range lines {
			diff = append(diff, mark+l)
		}
	}
	add(" ", x[max(0, start-diffContext):start])
	add("-", x[start:len(x)-end])
	add("+", y[start:len(y)-end])
	add(" ", x[len(x)-end:min(len(x), len(x)-end+diffContext)])
	return diff
}

// splitText cuts a text into lines without their ends, for people: a tab is four
// blanks.
func splitText(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	plain := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(text))
	return strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
}
