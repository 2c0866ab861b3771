package grammar

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/chroma/v2"
)

// Grammar runs the rules of a chroma lexer. It gives the tokens that the lexer
// itself would give, in about a quarter of the time: at each place it tries
// only the rules whose pattern can start with the current character,
// and asks for groups only where somebody looks at them.
type Grammar struct {
	lexer    *chroma.RegexLexer
	registry *chroma.LexerRegistry
	compiled chroma.CompiledRules
	newline  bool // the lexer wants text that ends in a line break

	states sync.Map // name of a state → []rule, made when first entered
	rules  sync.Map // *chroma.CompiledRule → rule: states include each other
}

// rule is a rule of a state with what can be derived from it beforehand.
type rule struct {
	*chroma.CompiledRule
	opening
	needs  []rune // a text that every match has in it; nil when none is known
	reach  reach
	simple *simplePattern // the whole pattern, when it is that simple
	token  chroma.TokenType
	plain  bool // one token, and no group of the match is looked at
	silent bool // no token
	order  int  // in the state
}

// rulePatience is how long one rule may look for one match. What takes longer
// takes forever: patterns with nested repetitions on text that fits almost.
const rulePatience = time.Second

// Rules may look at freeLooked characters in vain, and at lookedEach more for each of the
// code: a count, unlike a time, is the same on every machine. Code has few openings without
// an end.
const (
	freeLooked = 64 << 10
	lookedEach = 64
)

// usualLine is how many characters of a line rules look at free of charge.
const usualLine = 200

// maxIdle is how many rules in a row may match without a character.
const maxIdle = 1000

var errEndless = errors.New("the lexer does not end")

// ErrWork: the rules look at the rest of the code from too many places.
var ErrWork = errors.New("the lexer has too much work")

// New takes the rules out of a lexer. It returns nil for those that are
// not made of rules alone. Rules find other lexers in the registry.
func New(from chroma.Lexer, registry *chroma.LexerRegistry) *Grammar {
	lexer, ok := from.(*chroma.RegexLexer)
	if !ok {
		return nil
	}
	raw, err := lexer.Rules()
	if err != nil {
		return nil
	}
	// Compiled rules are shown to rules that change the lexer, so a copy of the
	// lexer gets one more rule that does.
	g := &Grammar{registry: registry, newline: lexer.Config().EnsureNL}
	g.lexer, err = chroma.NewLexer(lexer.Config(), func() chroma.Rules {
		raw := maps.Clone(raw)
		raw[observerState] = []chroma.Rule{{Mutator: observer{g}}}
		return raw
	})
	if err != nil {
		return nil
	}
	g.lexer.SetRegistry(registry)
	if _, err := g.lexer.Rules(); err != nil || g.compiled == nil {
		return nil
	}
	for _, rules := range g.compiled {
		for _, r := range rules {
			r.Regexp.MatchTimeout = rulePatience
		}
	}
	return g
}

// observer is the rule that looks at the compiled rules, and leaves.
type observer struct{ g *Grammar }

const observerState = "packgen-observer"

// Mutate does nothing: no text reaches the observer's state.
func (observer) Mutate(*chroma.LexerState) error { return nil }

// MutateLexer keeps the rules and takes the observer's own out.
func (o observer) MutateLexer(rules chroma.CompiledRules, state string, _ int) error {
	o.g.compiled = rules
	delete(rules, state)
	return nil
}

// state returns the rules of a state.
func (g *Grammar) state(name string) ([]rule, bool) {
	if list, ok := g.states.Load(name); ok {
		return list.([]rule), true
	}
	compiled, ok := g.compiled[name]
	if !ok {
		return nil, false
	}
	list := make([]rule, len(compiled))
	for i, c := range compiled {
		known, ok := g.rules.Load(c)
		if !ok {
			known = newRule(c)
			g.rules.Store(c, known)
		}
		list[i] = known.(rule)
		list[i].order = i
	}
	g.states.Store(name, list)
	return list, true
}

func newRule(c *chroma.CompiledRule) rule {
	r := rule{CompiledRule: c}
	r.analyse(c.Regexp.String())
	switch t := c.Type.(type) {
	case nil:
		r.silent = true
	case chroma.TokenType:
		r.token, r.plain = t, true
	}
	if !onlyMoves(c.Mutator) {
		r.plain, r.silent = false, false
	}
	return r
}

// onlyMoves reports a mutator that goes to other states, whatever was matched.
func onlyMoves(m chroma.Mutator) bool {
	switch m := m.(type) {
	case nil:
		return true
	case chroma.SerialisableMutator:
		switch m.MutatorKind() {
		case "push", "pop":
			return true
		}
	}
	return false
}

var runesPool = sync.Pool{New: func() any { return new([]rune) }}

// Lex calls emit with each token of a text. It fails when a rule takes too long, with
// [ErrWork] when rules look too far too often, and when the text is not UTF-8.
func (g *Grammar) Lex(text string, emit func(chroma.TokenType, string)) error {
	if !utf8.ValidString(text) {
		return errors.New("the text is not UTF-8")
	}
	added := g.newline && (text == "" || text[len(text)-1] != '\n')
	if added {
		text += "\n"
	}
	buf := runesPool.Get().(*[]rune)
	defer runesPool.Put(buf)
	runes := (*buf)[:0]
	for _, r := range text {
		runes = append(runes, r)
	}
	*buf = runes
	run := lexing{
		LexerState: chroma.LexerState{
			Lexer: g.lexer, Registry: g.registry, Text: runes, Rules: g.compiled,
			Stack: []string{"root"}, MutatorContext: map[any]any{},
		},
		g: g, rest: text, emit: emit,
	}
	end := len(runes)
	if added {
		end--
	}
	for idle := 0; run.Pos < end && len(run.Stack) > 0; idle++ {
		if idle > maxIdle {
			return errEndless
		}
		before := run.Pos
		if err := run.step(); err != nil {
			return err
		}
		if run.Pos > before {
			idle = 0
		}
	}
	if run.Pos != len(runes) && len(run.Stack) == 0 {
		emit(chroma.Error, run.rest)
	}
	return nil
}

// lexing is the lexing of one text by a grammar.
type lexing struct {
	chroma.LexerState
	g    *Grammar
	rest string // the text from Pos on
	emit func(chroma.TokenType, string)

	name  string // of the state whose rules apply
	rules []rule
	// ends is where the text that a rule needs comes next: a scan for an end that does not
	// follow would go to the end of the code at each of many openings.
	ends   map[*chroma.CompiledRule]int
	line   int // the end of the line that was looked for last
	looked int // characters that rules may have looked at in vain
}

// step takes one rule, as chroma does: the first of the state that matches. Where
// none does, a line break leads back to the root and anything else is an error
// token.
func (l *lexing) step() error {
	l.State = l.Stack[len(l.Stack)-1]
	if l.State != l.name || l.rules == nil {
		rules, ok := l.g.state(l.State)
		if !ok {
			return errors.New("the lexer goes to a state it does not have")
		}
		l.name, l.rules = l.State, rules
	}
	first := l.Text[l.Pos]
	for i := range l.rules {
		r := &l.rules[i]
		if !r.canStart(first) {
			continue
		}
		matched, err := l.try(r)
		if matched || err != nil {
			return err
		}
	}
	if first == '\n' && l.State != "root" {
		l.Stack = []string{"root"}
		return nil
	}
	l.emit(chroma.Error, l.advance(1))
	return nil
}

// try applies a rule where it matches.
func (l *lexing) try(r *rule) (matched bool, err error) {
	length := unclear
	if r.simple != nil && (r.plain || r.silent) {
		if length = r.simple.match(l.Text[l.Pos:]); length == noMatch {
			return false, nil
		}
	}
	if length == unclear {
		if !l.follows(r) {
			return false, nil
		}
		match, err := r.Regexp.FindRunesMatchStartingAt(l.Text, l.Pos)
		if err != nil {
			return false, errEndless
		}
		failed := match == nil || match.RuneIndex != l.Pos
		if l.look(r.reach, failed); l.looked > freeLooked+lookedEach*len(l.Text) {
			return false, ErrWork
		}
		if failed {
			return false, nil
		}
		length = match.RuneLength
		if !r.plain && !r.silent {
			l.Groups, l.NamedGroups = nil, map[string]string{}
			for _, g := range match.Groups() {
				text := g.String()
				l.NamedGroups[g.Name] = text
				l.Groups = append(l.Groups, text)
			}
		}
	}
	l.Rule = r.order
	text := l.advance(length)
	if r.Mutator != nil {
		if err := r.Mutator.Mutate(&l.LexerState); err != nil {
			return false, err
		}
	}
	switch {
	case r.plain:
		l.emit(r.token, text)
	case r.Type != nil:
		next := r.Type.Emit(l.Groups, &l.LexerState)
		for t := next(); t != chroma.EOF; t = next() {
			if t.Type != chroma.Ignore {
				l.emit(t.Type, t.Value)
			}
		}
	}
	return true, nil
}

// look counts what a rule may have looked at in vain.
func (l *lexing) look(r reach, failed bool) {
	switch {
	case r == reachAlways, r == reachFar && failed:
		l.looked += len(l.Text) - l.Pos
	case r == reachLine:
		if l.line < l.Pos {
			for l.line = l.Pos; l.line < len(l.Text) && l.Text[l.line] != '\n'; l.line++ {
			}
		}
		l.looked += max(0, l.line-l.Pos-usualLine)
	}
}

// follows reports whether the text that a rule needs is somewhere in what is left.
func (l *lexing) follows(r *rule) bool {
	text := r.needs
	if len(text) == 0 {
		return true
	}
	at, known := l.ends[r.CompiledRule]
	if known && at >= l.Pos {
		return at < len(l.Text)
	}
	for at = l.Pos; at < len(l.Text) && !hasPrefix(l.Text[at:], text); at++ {
	}
	if l.ends == nil {
		l.ends = map[*chroma.CompiledRule]int{}
	}
	l.ends[r.CompiledRule] = at
	return at < len(l.Text)
}

func hasPrefix(text, prefix []rune) bool {
	return len(text) >= len(prefix) && slices.Equal(text[:len(prefix)], prefix)
}

// advance moves on by n characters and returns them.
func (l *lexing) advance(n int) string {
	size := 0
	for _, r := range l.Text[l.Pos : l.Pos+n] {
		size += utf8.RuneLen(r)
	}
	text := l.rest[:size]
	l.rest = l.rest[size:]
	l.Pos += n
	return text
}
