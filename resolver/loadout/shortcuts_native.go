//go:build !wasm

package loadout

import "github.com/packgen/packgen/compiler/stem"

// shortcuts make the weighted dialect quick over many entries. The browser build, which
// has few at a time, does without them to stay small.
type shortcuts struct {
	starts [1 << 10 / 32]uint32 // the first two letters of the stems of the task: five bits of each
	kept   map[*Entry]heldWords // of the entries that hold any; nil keeps none
	all    bool                 // whatever is not in kept holds nothing
}

// start is a place for the first two letters of a word, which its stem keeps.
func start(word []byte) int { return int(word[0]&31)<<5 | int(word[min(1, len(word)-1)]&31) }

// learn takes up a stem of the task.
func (s *shortcuts) learn(stem []byte) {
	at := start(stem)
	s.starts[at/32] |= 1 << (at % 32)
}

// keep says that what all entries hold is looked at from now on, and keptAll that it was.
func (s *shortcuts) keep()    { s.kept = map[*Entry]heldWords{} }
func (s *shortcuts) keptAll() { s.all = true }

// mask are the words of the task that a text holds, a bit for each. Most words of a text
// start as none of the task does, and are passed without their stem.
func (w *weigher) mask(text string) (mask uint64) {
	w.begin(text)
	for word, ok := w.scan.next(); ok; word, ok = w.scan.next() {
		if at := start(word[1:]); w.starts[at/32]>>(at%32)&1 != 0 {
			w.cut = stem.Of(append(w.cut[:0], word[1:]...))
			mask |= w.find()
		}
	}
	return mask
}

// held are the words that an entry holds, in its id and keywords and in its summary
// alone. Those of its heading are in its id.
func (w *weigher) held(e *Entry) (strong, summary uint64) {
	if w.all {
		held := w.kept[e]
		return held.strong, held.summary
	}
	strong = w.mask(e.ID)
	for _, k := range e.Keywords {
		strong |= w.mask(k)
	}
	summary = w.mask(e.Summary) &^ strong
	if w.kept != nil && strong|summary != 0 {
		w.kept[e] = heldWords{strong, summary}
	}
	return strong, summary
}
