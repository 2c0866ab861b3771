//go:build !wasm

package loadout

import (
	"math"
	"sync"
)

// posted is what one list says of an entry.
type posted struct {
	flags   byte
	singles int
	parts   []part
}

// Post hands on the keys of the lists that an entry is in, each once and in no order that
// means anything, with its posting in the list.
func Post(e *Entry, yield func(key string, posting []byte)) {
	if e.unusable() {
		return
	}
	mode := e.recordMode()
	if mode == recordEager {
		yield(coreKey, e.appendPosting(nil, posted{flags: byte(mode)}))
		return
	}
	var keys []string
	lists := map[string]*posted{}
	at := func(key string) *posted {
		if lists[key] == nil {
			keys, lists[key] = append(keys, key), &posted{flags: byte(mode)}
		}
		return lists[key]
	}
	for i, k := range e.Keywords {
		words, ok := e.pieces(k, false)
		if !ok {
			continue // it can never hit
		}
		for _, word := range words {
			if p := at(word); len(words) == 1 {
				p.singles++
			} else {
				p.parts = append(p.parts, part{i, len(words)})
			}
		}
	}
	for _, text := range e.Patterns {
		words, _ := e.pieces(text, true)
		for _, word := range words {
			at(word).flags |= postPattern
		}
	}
	if mode == recordLazy {
		e.eachStem(func(stem string, inSummary bool) {
			if key := stemMark + stem; lists[key] == nil && inSummary {
				at(key).flags |= postSummary
			} else {
				at(key)
			}
		})
	}
	for _, key := range keys {
		yield(key, e.appendPosting(nil, *lists[key]))
	}
}

// eachStem calls yield with the stems of an entry that a word of a task may have, those of
// the summary last.
func (e *Entry) eachStem(yield func(stem string, inSummary bool)) {
	w := &weigher{}
	stems := func(text string, inSummary bool) {
		for w.begin(text); w.next(); {
			if stem := string(w.cut); !idleStems()[stem] {
				yield(stem, inSummary)
			}
		}
	}
	stems(e.ID, false)
	for _, k := range e.Keywords {
		stems(k, false)
	}
	stems(e.Summary, true)
}

// idleStems are the words of idle, which are looked for a thousand times for each page of
// a site.
var idleStems = sync.OnceValue(func() map[string]bool {
	set, from := map[string]bool{}, 0
	for i := range len(idle) {
		if idle[i] == ' ' {
			set[idle[from:i]], from = true, i+1
		}
	}
	return set
})

// appendPosting appends a posting.
func (e *Entry) appendPosting(dst []byte, p posted) []byte {
	p.flags |= byte(min(p.singles, postSingles)) << postSingle
	if len(p.parts) > 0 {
		p.flags |= postParts
	}
	dst = append(dst, p.flags)
	if p.singles >= postSingles {
		dst = AppendVarint(dst, p.singles-postSingles)
	}
	dst = AppendVarint(dst, len(e.Keywords))
	switch n := e.TokensEst; {
	case math.IsNaN(n):
		dst = append(dst, postUnknown)
	case n == math.Trunc(n) && n >= 0 && n < 1<<30:
		dst = AppendVarint(dst, int(n)+postTokens)
	default:
		dst = append(dst, postFloat)
		for bits, i := math.Float64bits(n), 0; i < 64; i += 8 {
			dst = append(dst, byte(bits>>i))
		}
	}
	if len(p.parts) > 0 {
		dst = AppendVarint(dst, len(p.parts))
		for _, x := range p.parts {
			dst = AppendVarint(AppendVarint(dst, x.place), x.words)
		}
	}
	return dst
}
