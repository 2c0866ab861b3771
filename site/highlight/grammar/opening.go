package grammar

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dlclark/regexp2/v2/syntax"
)

// opening is the set of ASCII characters that a match of a pattern can start
// with. All others are taken to be possible.
type opening [2]uint64

var anyOpening = opening{math.MaxUint64, math.MaxUint64}

func (o *opening) canStart(r rune) bool {
	return r >= 128 || o[r>>6&1]&(1<<(r&63)) != 0
}

func (o *opening) add(r rune) {
	if 0 <= r && r < 128 {
		o[r>>6] |= 1 << (r & 63)
	}
}

func (o *opening) addAll(other opening) {
	o[0] |= other[0]
	o[1] |= other[1]
}

// analyse reads a pattern as regexp2 does, and sets what can be derived from it: how its
// matches can start, what text they have in them, how far it looks and, when it is that
// simple, what it is.
func (r *rule) analyse(pattern string) {
	r.opening = anyOpening
	tree, err := syntax.Parse(pattern, syntax.ParseOptions{})
	if err != nil || tree.Root == nil {
		r.reach = reachAlways
		return
	}
	if r.simple = wordsOf(pattern); r.simple == nil {
		r.simple = simpleOf(tree.Root)
	}
	if first, empty := openingOf(tree.Root); !empty {
		r.opening = first
	}
	r.needs, r.reach = neededBy(tree.Root), reachOf(tree.Root)
}

// reachOf says how far an attempt to match a node may look.
func reachOf(n *syntax.RegexNode) reach {
	switch n.T {
	case syntax.NtNotoneloop, syntax.NtNotonelazy, syntax.NtNotoneloopatomic, syntax.NtSetloop, syntax.NtSetlazy, syntax.NtSetloopatomic:
		if n.N == math.MaxInt32 {
			if isOf(n, '\n') && isOf(n, 'a') {
				return reachFar
			}
			return reachLine
		}
	case syntax.NtPosLook, syntax.NtNegLook:
		for _, c := range n.Children {
			if reachOf(c) > reachLine {
				return reachAlways
			}
		}
	case syntax.NtLoop, syntax.NtLazyloop:
		if n.N == math.MaxInt32 {
			if takes(n, '\n') && takes(n, 'a') {
				return reachFar
			}
			return reachLine
		}
	}
	far := reachNear
	for _, c := range n.Children {
		far = max(far, reachOf(c))
	}
	return far
}

// takes reports a character that something in a node takes.
func takes(n *syntax.RegexNode, r rune) bool {
	if n.IsOneFamily() || n.IsNotoneFamily() || n.IsSetFamily() {
		return isOf(n, r)
	}
	return slices.ContainsFunc(n.Children, func(c *syntax.RegexNode) bool { return takes(c, r) })
}

// reach is how far an attempt to match a pattern may look.
type reach uint8

const (
	reachNear   reach = iota // as far as the pattern is long
	reachLine                // to the end of the line
	reachFar                 // to the end of the text where it fails
	reachAlways              // to the end of the text
)

// neededBy returns the last fixed text that every match of a node has in it; nil when
// none is known.
func neededBy(n *syntax.RegexNode) []rune {
	if n.Options&(syntax.RightToLeft|syntax.IgnoreCase) != 0 {
		return nil
	}
	switch n.T {
	case syntax.NtOne:
		return []rune{n.Ch}
	case syntax.NtMulti:
		return n.Str
	case syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic:
		return neededBy(n.Children[0])
	case syntax.NtConcatenate:
		for _, c := range slices.Backward(n.Children) {
			if text := neededBy(c); text != nil {
				return text
			}
		}
	}
	return nil
}

// openingOf returns the characters that a node can start with, and whether it
// may match without a character. It errs on the side of more characters:
// assertions are taken to hold.
func openingOf(n *syntax.RegexNode) (first opening, empty bool) {
	if n.Options&syntax.RightToLeft != 0 {
		return anyOpening, true
	}
	switch n.T {
	case syntax.NtOne, syntax.NtOneloop, syntax.NtOnelazy, syntax.NtOneloopatomic,
		syntax.NtNotone, syntax.NtNotoneloop, syntax.NtNotonelazy, syntax.NtNotoneloopatomic,
		syntax.NtSet, syntax.NtSetloop, syntax.NtSetlazy, syntax.NtSetloopatomic:
		for r := range rune(128) {
			if isOf(n, r) {
				first.add(r)
			}
		}
		least, _ := repeats(n)
		return first, least == 0
	case syntax.NtMulti:
		if n.Options&syntax.IgnoreCase != 0 {
			return anyOpening, true
		}
		first.add(n.Str[0])
		return first, false
	case syntax.NtConcatenate:
		for _, c := range n.Children {
			next, skip := openingOf(c)
			first.addAll(next)
			if !skip {
				return first, false
			}
		}
		return first, true
	case syntax.NtAlternate:
		for _, c := range n.Children {
			next, skip := openingOf(c)
			first.addAll(next)
			empty = empty || skip
		}
		return first, empty
	case syntax.NtLoop, syntax.NtLazyloop:
		first, empty = openingOf(n.Children[0])
		return first, empty || n.M == 0
	case syntax.NtCapture, syntax.NtGroup, syntax.NtAtomic:
		return openingOf(n.Children[0])
	case syntax.NtBol, syntax.NtEol, syntax.NtBoundary, syntax.NtNonboundary, syntax.NtBeginning, syntax.NtStart,
		syntax.NtEndZ, syntax.NtEnd, syntax.NtECMABoundary, syntax.NtNonECMABoundary, syntax.NtEmpty,
		syntax.NtUpdateBumpalong, syntax.NtPosLook, syntax.NtNegLook:
		return opening{}, true
	case syntax.NtNothing:
		return opening{}, false
	}
	return anyOpening, true // a reference, a condition: anything
}

// simplePattern is a pattern of one element: a character, a run of them, or a
// list of words.
type simplePattern struct {
	words       map[string]bool // in lower case when case is ignored
	fold        bool
	node        *syntax.RegexNode
	text        []rune // of a fixed text
	least, most int    // characters
	ascii       opening
}

// simpleOf returns the only element of a pattern that starts with \G; nil when
// there are more.
func simpleOf(n *syntax.RegexNode) *simplePattern {
	for {
		switch {
		case n.T == syntax.NtCapture && n.M == 0, n.T == syntax.NtGroup, n.T == syntax.NtAtomic:
			n = n.Children[0]
			continue
		case n.T == syntax.NtConcatenate && len(n.Children) == 2 && n.Children[0].T == syntax.NtStart:
			n = n.Children[1]
			continue
		}
		break
	}
	if n.Options&(syntax.RightToLeft|syntax.IgnoreCase) != 0 {
		return nil
	}
	switch n.T {
	case syntax.NtMulti:
		return &simplePattern{text: n.Str}
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet,
		syntax.NtOneloop, syntax.NtNotoneloop, syntax.NtSetloop,
		syntax.NtOneloopatomic, syntax.NtNotoneloopatomic, syntax.NtSetloopatomic:
		p := &simplePattern{node: n}
		p.least, p.most = repeats(n)
		for r := range rune(128) {
			if isOf(n, r) {
				p.ascii.add(r)
			}
		}
		return p
	}
	return nil
}

// wordList finds patterns that are a list of words, each to be matched whole.
var wordList = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\G(?:\(\?([ims]+)\))?\(\?:\((?:\?:)?(\w+(?:\|\w+)+)\)\\b\)$`)
})

// wordsOf returns a pattern that is a list of words; nil for others. Such lists
// are long, and one look-up does for them: what matches is the whole run of word
// characters, since another one must not follow.
func wordsOf(pattern string) *simplePattern {
	parts := wordList().FindStringSubmatch(pattern)
	if parts == nil {
		return nil
	}
	p := &simplePattern{words: map[string]bool{}, fold: strings.Contains(parts[1], "i")}
	for word := range strings.SplitSeq(parts[2], "|") {
		if p.fold {
			word = strings.ToLower(word)
		}
		p.words[word] = true
		p.most = max(p.most, len(word))
	}
	if p.most > maxWord {
		return nil
	}
	return p
}

// maxWord is the longest word of a list that is looked up, in bytes.
const maxWord = 64

// isWord reports what \b treats as part of a word.
func isWord(r rune) bool {
	if r < 128 {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return syntax.IsWordChar(r)
}

// matchWord is match for a list of words.
func (p *simplePattern) matchWord(text []rune) int {
	var word [maxWord]byte
	n := 0
	for ; n < len(text) && isWord(text[n]); n++ {
		r := text[n]
		if r >= 128 && p.fold {
			return unclear // a letter that folds to an ASCII one
		}
		if r >= 128 || n >= p.most {
			return noMatch
		}
		if p.fold && 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		word[n] = byte(r)
	}
	if !p.words[string(word[:n])] {
		return noMatch
	}
	return n
}

// Answers of match that are not lengths.
const (
	noMatch = -1
	unclear = -2 // the regular expression must be asked
)

// match returns how many characters at the start of text match, or one of the
// answers above.
func (p *simplePattern) match(text []rune) int {
	if p.words != nil {
		return p.matchWord(text)
	}
	if p.text != nil {
		if len(text) < len(p.text) {
			return noMatch
		}
		for i, r := range p.text {
			if text[i] != r {
				return noMatch
			}
		}
		return len(p.text)
	}
	n := 0
	for n < len(text) && n < p.most {
		if r := text[n]; r < 128 && !p.ascii.canStart(r) || r >= 128 && !isOf(p.node, r) {
			break
		}
		n++
	}
	if n < p.least {
		return noMatch
	}
	return n
}

// isOf reports a character that a node of the single-character families takes.
// Letters without case are sets already, so that case is ignored here.
func isOf(n *syntax.RegexNode, r rune) bool {
	switch {
	case n.IsOneFamily():
		return r == n.Ch
	case n.IsNotoneFamily():
		return r != n.Ch
	}
	return n.Set.CharIn(r)
}

// repeats returns how often a node of those families is in a row.
func repeats(n *syntax.RegexNode) (least, most int) {
	switch n.T {
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet:
		return 1, 1
	}
	return n.M, n.N
}
