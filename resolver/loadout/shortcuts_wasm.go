//go:build wasm

package loadout

// shortcuts are for many entries; the browser build does without them to stay small.
type shortcuts struct{}

func (shortcuts) learn([]byte) {}
func (shortcuts) keep()        {}
func (shortcuts) keptAll()     {}

// mask are the words of the task that a text holds, a bit for each.
func (w *weigher) mask(text string) (mask uint64) {
	for w.begin(text); w.next(); {
		mask |= w.find()
	}
	return mask
}

// held are the words that an entry holds, in its id and keywords and in its summary
// alone. Those of its heading are in its id.
func (w *weigher) held(e *Entry) (strong, summary uint64) {
	strong = w.mask(e.ID)
	for _, k := range e.Keywords {
		strong |= w.mask(k)
	}
	return strong, w.mask(e.Summary) &^ strong
}
