package json

import (
	"bytes"

	"github.com/packgen/packgen/resolver/loadout"
)

// ParseUsage reads the events of a usage log, one JSON object a line (loadout
// section 15). Blank lines count for nothing. A line that is not a JSON object
// is skipped and counted; a torn last line is just such a line. With compat any
// JSON is an event.
func ParseUsage(text []byte, compat bool) (events []loadout.Event, skipped int) {
	for line := range bytes.SplitSeq(text, []byte{'\n'}) {
		line = []byte(loadout.Trim(string(line)))
		if len(line) == 0 {
			continue
		}
		v, err := parse(line, compat, MaxSize)
		if err != nil {
			skipped++
			continue
		}
		if !compat && v.Kind() != loadout.Object {
			skipped++
			continue
		}
		events = append(events, loadout.DecodeEvent(v))
	}
	return events, skipped
}
