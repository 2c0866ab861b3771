package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/resolver/agent/jsonfile"
	"github.com/packgen/packgen/resolver/loadout"
)

// MaxSettings is the largest settings file that is edited, in bytes.
const MaxSettings = 4 << 20 // 4 MiB

// maxWired is how often the hook may be in settings that are edited. Each place is
// taken out by itself.
const maxWired = 100

// hookTimeout is the time in seconds that an agent gives the hook. The
// hook's own limit is far below.
const hookTimeout = 5

// Settings says in whose form a settings file names the hook of a submitted prompt.
type Settings uint8

const (
	// Claude is the form of Claude Code, which Codex has taken over.
	Claude Settings = iota
	// Gemini is the form of Gemini CLI: an event of another name, a time in
	// milliseconds, and comments.
	Gemini
)

// The keys of the hooks that run on a submitted prompt.
const (
	promptEvent = "UserPromptSubmit"
	geminiEvent = "BeforeAgent"
)

func (s Settings) event() string {
	if s == Gemini {
		return geminiEvent
	}
	return promptEvent
}

func (s Settings) timeout() int {
	if s == Gemini {
		return hookTimeout * 1000
	}
	return hookTimeout
}

func (s Settings) parse(text []byte) (*jsonfile.Node, error) {
	if s == Gemini {
		return jsonfile.ParseLoose(text)
	}
	return jsonfile.Parse(text)
}

// errShape says that the settings are JSON, but not shaped as an agent has them.
var errShape = errors.New("the settings have another shape")

// Install returns the text of a settings file with the command wired to the
// prompt event. Everything else stays as it is, to the byte; text that has it
// already is returned unchanged. Another command of packgen's hook is replaced, and
// keeps the flags that the new one has not. An empty text is an empty object. It returns an
// *indexjson.SyntaxError for what is not JSON.
func (s Settings) Install(text []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	found, err := s.handlers(root, IsOurs)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		at := found[0][len(found[0])-1]
		have, _ := commandOf(at)
		if command = renewed(have, command); have == command {
			return text, nil
		}
		if at.Member("args") != nil { // which no line of a shell has
			return jsonfile.Replace(text, at, s.handler(command)), nil
		}
		return jsonfile.Replace(text, at.Member("command"), command), nil
	}
	group := jsonfile.Object{{Key: "hooks", Value: []any{s.handler(command)}}}
	hooks := root.Member("hooks")
	if hooks == nil {
		return jsonfile.Insert(text, root, jsonfile.Field{Key: "hooks", Value: jsonfile.Object{{Key: s.event(), Value: []any{group}}}}), nil
	}
	list := hooks.Member(s.event())
	if list == nil {
		return jsonfile.Insert(text, hooks, jsonfile.Field{Key: s.event(), Value: []any{group}}), nil
	}
	return jsonfile.Insert(text, list, jsonfile.Field{Value: group}), nil
}

// handler is what runs a command.
func (s Settings) handler(command string) jsonfile.Object {
	return jsonfile.Object{{Key: "type", Value: "command"}, {Key: "command", Value: command}, {Key: "timeout", Value: s.timeout()}}
}

// commandOf is the command line of a handler: of one with arguments of its own, as a shell
// would have it.
func commandOf(handler *jsonfile.Node) (string, bool) {
	at := handler.Member("command")
	if at == nil {
		return "", false
	}
	command, ok := at.Value.Str()
	args := handler.Member("args")
	if !ok || args == nil {
		return command, ok
	}
	quoted := func(text string) string {
		if strings.ContainsAny(text, " \t\n&|;<>'") {
			return `"` + text + `"`
		}
		return text
	}
	words := []string{quoted(command)}
	for _, item := range args.Items {
		arg, _ := item.Value.Str()
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " "), true
}

// Uninstall returns the text of a settings file without packgen's hook, and
// without the lists and objects that it leaves empty.
func (s Settings) Uninstall(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	return s.without(text, IsOurs)
}

// without takes the hooks out whose command is not wanted, one after another.
func (s Settings) without(text []byte, unwanted func(command string) bool) ([]byte, error) {
	for {
		root, err := s.parse(text)
		if err != nil {
			return nil, err
		}
		found, err := s.handlers(root, unwanted)
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = jsonfile.Remove(text, wholeGroup(found[0]))
	}
}

// wholeGroup ends a chain at the group of handlers when nothing would be left in it but a
// matcher, which matches for nothing.
func wholeGroup(chain []*jsonfile.Node) []*jsonfile.Node {
	n := len(chain)
	group, handlers := chain[n-3], chain[n-2]
	if len(handlers.Items) > 1 {
		return chain
	}
	for _, member := range group.Items {
		if member != handlers && member != group.Member("matcher") {
			return chain
		}
	}
	return chain[:n-2]
}

// Disabled reports whether settings turn all hooks off.
func (s Settings) Disabled(text []byte) bool {
	root, err := s.parse(text)
	if err != nil || root.Kind() != loadout.Object {
		return false
	}
	if s == Gemini {
		at := root.Member("hooksConfig").Member("enabled")
		return at.Kind() == loadout.Bool && at.Value[0] == 'f'
	}
	at := root.Member("disableAllHooks")
	return at != nil && string(at.Value) == "true"
}

// Position is where a hook is in the list of an event: its group, and its place there, from 0.
type Position struct{ Group, Handler int }

// Positions returns where packgen's hook is in a settings file.
func (s Settings) Positions(text []byte) []Position {
	root, err := s.parse(text)
	if err != nil {
		return nil
	}
	found, _ := s.handlers(root, IsOurs) // none with an error
	var list []Position
	for _, chain := range found {
		list = append(list, Position{slices.Index(chain[2].Items, chain[3]), slices.Index(chain[4].Items, chain[5])})
	}
	return list
}

// Commands returns the commands of packgen's hook in a settings file.
func (s Settings) Commands(text []byte) ([]string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	return s.commands(text, IsOurs)
}

// commands returns the commands of hooks that are wanted.
func (s Settings) commands(text []byte, wanted func(command string) bool) (list []string, err error) {
	root, err := s.parse(text)
	if err != nil {
		return nil, err
	}
	found, err := s.handlers(root, wanted)
	for _, chain := range found {
		command, _ := commandOf(chain[len(chain)-1])
		list = append(list, command)
	}
	return list, err
}

// handlers returns the chains of nodes that lead to the hooks of submitted prompts
// whose command is wanted: root, hooks, list, group, list, handler.
func (s Settings) handlers(n *jsonfile.Node, wanted func(command string) bool) ([][]*jsonfile.Node, error) {
	hooks := n.Member("hooks")
	switch {
	case n.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: they are not an object", errShape)
	case hooks == nil:
		return nil, nil
	case hooks.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: hooks is not an object", errShape)
	}
	if err := cmp.Or(n.Once("hooks"), hooks.Once(s.event())); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	list := hooks.Member(s.event())
	switch {
	case list == nil:
		return nil, nil
	case list.Kind() != loadout.Array:
		return nil, fmt.Errorf("%w: hooks.%s is not a list", errShape, s.event())
	}
	var chains [][]*jsonfile.Node
	for _, group := range list.Items {
		handlers := group.Member("hooks")
		if handlers == nil || handlers.Kind() != loadout.Array {
			continue
		}
		for _, handler := range handlers.Items {
			if text, ok := commandOf(handler); ok && wanted(text) {
				chains = append(chains, []*jsonfile.Node{n, hooks, list, group, handlers, handler})
			}
			if len(chains) > maxWired {
				return nil, fmt.Errorf("%w: they have the hook more than %d times", errShape, maxWired)
			}
		}
	}
	return chains, nil
}

// Others returns the commands of other programs' hooks for memories in a settings
// file: those of the systems that packgen replaces.
func Others(text []byte) ([]string, error) { return Claude.commands(text, isOther) }

// WithoutOthers returns the text of a settings file without those hooks.
func WithoutOthers(text []byte) ([]byte, error) { return Claude.without(text, isOther) }

// otherHooks are what the command lines of those systems hold.
var otherHooks = [...]string{"ai-loadout", "loadout-os", "loadout-hook"}

func isOther(command string) bool {
	return !IsOurs(command) && slices.ContainsFunc(otherHooks[:], func(name string) bool { return strings.Contains(command, name) })
}
