package lexers

import (
	"strings"

	"github.com/alecthomas/chroma/v2"
)

// around names the lexers of templates with the lexer of the text around them.
var around = [][2]string{
	{"ERB", "HTML"}, {"Go HTML Template", "HTML"}, {"PHTML", "HTML"}, {"Svelte", "HTML"}, {"YAML+Jinja", "YAML"},
}

// ruleOfCode marks, in the archive, the rule of a lexer that only code can express. No lexer
// gives text this type.
const ruleOfCode = chroma.LineHighlight

// registerSpecial puts lexers in the place of those whose rules do not say everything.
func registerSpecial(registry *chroma.LexerRegistry) {
	for _, pair := range around {
		registry.Register(chroma.DelegatingLexer(registry.Get(pair[1]), registry.Get(pair[0])))
	}
	registry.Register(httpLexer{registry.Get("HTTP"), registry})
	registry.Register(markdownLexer{registry.Get("markdown"), registry})

	template := chroma.TypeRemappingLexer(registry.Get("Go Text Template"),
		chroma.TypeMapping{{From: chroma.Other, To: chroma.LiteralString}})
	registry.Register(withRule(registry.Get("Go"), chroma.Rule{
		Type: chroma.ByGroups(chroma.LiteralString, chroma.UsingLexer(template), chroma.LiteralString),
	}))
	registry.Register(withRule(registry.Get("Haxe"), chroma.Rule{
		Type: chroma.CommentPreproc, Mutator: chroma.MutatorFunc(haxeCondition),
	}))
	registry.Register(withRule(registry.Get("reStructuredText"), chroma.Rule{Type: chroma.EmitterFunc(rstCode)}))
}

// withRule returns a lexer whose rule of code does what the given rule does.
func withRule(from chroma.Lexer, does chroma.Rule) chroma.Lexer {
	return chroma.MustNewLexer(from.Config(), func() chroma.Rules {
		rules := from.(*chroma.RegexLexer).MustRules().Clone()
		for _, list := range rules {
			for i, r := range list {
				if r.Type == ruleOfCode {
					list[i].Type, list[i].Mutator = does.Type, does.Mutator
				}
			}
		}
		return rules
	})
}

// haxeCondition follows the conditions of Haxe's preprocessor: each branch begins in the state
// in which the first one did.
func haxeCondition(state *chroma.LexerState) error {
	const key = "haxe-pre-proc"
	open, _ := state.Get(key).([][]string)
	word := state.Groups[2]
	switch word {
	case "if":
		open = append(open, state.Stack)
	case "else", "elseif":
		if len(open) > 0 {
			state.Stack = open[len(open)-1]
		}
	case "end":
		if len(open) > 0 {
			open = open[:len(open)-1]
		}
	}
	switch word {
	case "if", "elseif":
		state.Stack = append(state.Stack, "preproc-expr")
	case "error":
		state.Stack = append(state.Stack, "preproc-error")
	}
	state.Set(key, open)
	return nil
}

// rstCode gives a block of code of reStructuredText the tokens of its language.
func rstCode(groups []string, state *chroma.LexerState) chroma.Iterator {
	tokens := []chroma.Token{
		{Type: chroma.Punctuation, Value: groups[1]},
		{Type: chroma.Text, Value: groups[2]},
		{Type: chroma.OperatorWord, Value: groups[3]},
		{Type: chroma.Punctuation, Value: groups[4]},
		{Type: chroma.Text, Value: groups[5]},
		{Type: chroma.Keyword, Value: groups[6]},
		{Type: chroma.Text, Value: groups[7]},
	}
	code := strings.Join(groups[8:], "")
	lexer := state.Registry.Get(groups[6])
	if lexer == nil {
		return chroma.Literator(append(tokens, chroma.Token{Type: chroma.String, Value: code})...)
	}
	inner, err := lexer.Tokenise(nil, code)
	if err != nil {
		panic(err) // as chroma's emitters do
	}
	return chroma.Concaterator(chroma.Literator(tokens...), inner)
}

// markdownLexer lexes front matter as YAML.
type markdownLexer struct {
	chroma.Lexer
	registry *chroma.LexerRegistry
}

// Tokenise lexes the front matter, then the Markdown.
func (l markdownLexer) Tokenise(options *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	head, rest := cutFrontMatter(text)
	if head == "" {
		return l.Lexer.Tokenise(options, text)
	}
	yaml, err := l.registry.Get("YAML").Tokenise(options, head)
	if err != nil {
		return nil, err
	}
	markdown, err := l.Lexer.Tokenise(options, rest)
	if err != nil {
		return nil, err
	}
	return chroma.Concaterator(yaml, markdown), nil
}

// cutFrontMatter returns the front matter of a Markdown file, with its fences, and the rest.
func cutFrontMatter(text string) (head, rest string) {
	const fence = "---"
	end := 0
	for line := range strings.Lines(text) {
		isFence := strings.HasSuffix(line, "\n") && strings.TrimSuffix(line[:len(line)-1], "\r") == fence
		if end == 0 && !isFence {
			return "", text
		}
		end += len(line)
		if isFence && end > len(line) {
			return text[:end], text[end:]
		}
	}
	return "", text
}

// httpLexer lexes the body of a message by its content type.
type httpLexer struct {
	chroma.Lexer
	registry *chroma.LexerRegistry
}

// Tokenise lexes the head of a message, and its body by the lexer of its content type.
func (l httpLexer) Tokenise(options *chroma.TokeniseOptions, text string) (chroma.Iterator, error) {
	head, err := l.Lexer.Tokenise(options, text)
	if err != nil {
		return nil, err
	}
	var contentType string
	var inContentType bool
	var body chroma.Iterator
	return func() chroma.Token {
		if body != nil {
			if token := body(); token != chroma.EOF {
				return token
			}
			body = nil
		}
		token := head()
		switch {
		case token.Type == chroma.Name && strings.EqualFold(token.Value, "content-type"):
			inContentType = true
		case token.Type == chroma.Literal && inContentType:
			inContentType = false
			contentType, _, _ = strings.Cut(token.Value, ";")
			contentType = strings.TrimSpace(contentType)
		case token.Type == chroma.Generic && contentType != "":
			lexer := l.byType(contentType)
			if lexer == nil {
				token.Type = chroma.Text
				break
			}
			if body, err = lexer.Tokenise(nil, token.Value); err != nil {
				panic(err) // as chroma's emitters do
			}
			return body()
		}
		return token
	}, nil
}

// byType returns the lexer of a content type; nil when there is none. What has a type such as
// application/calendar+xml is XML.
func (l httpLexer) byType(contentType string) chroma.Lexer {
	if lexer := l.registry.MatchMimeType(contentType); lexer != nil {
		return lexer
	}
	group, name, _ := strings.Cut(contentType, "/")
	if plus := strings.LastIndexByte(name, '+'); plus >= 0 {
		return l.registry.MatchMimeType(group + "/" + name[plus+1:])
	}
	return nil
}
