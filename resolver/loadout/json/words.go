package json

import "github.com/packgen/packgen/resolver/loadout"

// WordsProblem says why no matcher can use the words of an entry as they are
// written; "" when it can. A text in place of a list is not a fault to the kernel,
// which reads no word of it.
func WordsProblem(e *loadout.Entry) string {
	if e.Fault != loadout.FaultNone {
		return e.Fault.String()
	}
	for _, key := range [...]string{"keywords", "patterns"} {
		if e.JSON().Get(key).Kind() == loadout.String {
			return key + " is a text, not a list of strings"
		}
	}
	return ""
}
