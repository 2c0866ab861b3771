package site

import (
	"math"

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

// analyse reads a pattern as regexp2 does, and returns how its matches can
// start and, when it is that simple, what it is.
func analyse(pattern string) (opening, *simplePattern) {
	tree, err := syntax.Parse(pattern, syntax.ParseOptions{})
	if err != nil || tree.Root == nil {
		return anyOpening, nil
	}
	first, empty := openingOf(tree.Root)
	if empty {
		return anyOpening, simpleOf(tree.Root)
	}
	return first, simpleOf(tree.Root)
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

// simplePattern is a pattern of one element: a character, or a run of them.
type simplePattern struct {
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

// match returns how many characters at the start of text match; -1 when they do
// not.
func (p *simplePattern) match(text []rune) int {
	if p.text != nil {
		if len(text) < len(p.text) {
			return -1
		}
		for i, r := range p.text {
			if text[i] != r {
				return -1
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
		return -1
	}
	return n
}

// isOf reports a character that a node of the single-character families takes.
// Letters without case are sets already, so that case is no matter here.
func isOf(n *syntax.RegexNode, r rune) bool {
	switch {
	case n.IsOneFamily():
		return r == n.Ch
	case n.IsNotoneFamily():
		return r != n.Ch
	}
	return n.Set.CharIn(r)
}

// repeats returns how often a node of those families stands in a row.
func repeats(n *syntax.RegexNode) (least, most int) {
	switch n.T {
	case syntax.NtOne, syntax.NtNotone, syntax.NtSet:
		return 1, 1
	}
	return n.M, n.N
}
