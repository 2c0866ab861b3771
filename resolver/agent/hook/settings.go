package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"path"
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

// errShape says that the settings are JSON, but not shaped as an agent has them.
var errShape = errors.New("the settings have another shape")

// Install returns the text of a settings file with the command wired to the
// prompt event. Everything else stays as it is, to the byte; text that has it
// already is returned unchanged, and another command of packgen's hook is
// replaced. An empty text is an empty object. It returns an
// *indexjson.SyntaxError for what is not JSON, comments included.
func Install(text []byte, command string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := jsonfile.Parse(text)
	if err != nil {
		return nil, err
	}
	found, err := ours(root)
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		at := found[0][len(found[0])-1].Member("command")
		if have, _ := at.Value.Str(); have == command {
			return text, nil
		}
		return jsonfile.Replace(text, at, command), nil
	}
	handler := jsonfile.Object{{Key: "type", Value: "command"}, {Key: "command", Value: command}, {Key: "timeout", Value: hookTimeout}}
	group := jsonfile.Object{{Key: "hooks", Value: []any{handler}}}
	hooks := root.Member("hooks")
	if hooks == nil {
		return jsonfile.Insert(text, root, jsonfile.Field{Key: "hooks", Value: jsonfile.Object{{Key: promptEvent, Value: []any{group}}}}), nil
	}
	list := hooks.Member(promptEvent)
	if list == nil {
		return jsonfile.Insert(text, hooks, jsonfile.Field{Key: promptEvent, Value: []any{group}}), nil
	}
	return jsonfile.Insert(text, list, jsonfile.Field{Value: group}), nil
}

// promptEvent is the key of the hooks that run on a submitted prompt.
const promptEvent = "UserPromptSubmit"

// Uninstall returns the text of a settings file without packgen's hook, and
// without the lists and objects that it leaves empty.
func Uninstall(text []byte) ([]byte, error) {
	for {
		if len(bytes.TrimSpace(text)) == 0 {
			return text, nil
		}
		root, err := jsonfile.Parse(text)
		if err != nil {
			return nil, err
		}
		found, err := ours(root)
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = jsonfile.Remove(text, found[0])
	}
}

// Commands returns the commands of packgen's hook in a settings file.
func Commands(text []byte) ([]string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := jsonfile.Parse(text)
	if err != nil {
		return nil, err
	}
	found, err := ours(root)
	var list []string
	for _, chain := range found {
		command, _ := chain[len(chain)-1].Member("command").Value.Str()
		list = append(list, command)
	}
	return list, err
}

// Program returns the program of a command line.
func Program(command string) string {
	program, _ := programOf(command)
	return program
}

// programOf cuts a command line after its program, which may be quoted.
func programOf(command string) (program, rest string) {
	command = strings.TrimSpace(command)
	program = command
	if command != "" && (command[0] == '"' || command[0] == '\'') {
		if end := strings.IndexByte(command[1:], command[0]); end >= 0 {
			program, rest = command[1:1+end], command[end+2:]
		}
	} else {
		program, rest, _ = strings.Cut(command, " ")
	}
	return program, rest
}

// ProgramName is the name of the program that is the hook alone.
const ProgramName = "packgen-hook"

// IsOurs reports whether a command line runs packgen's hook.
func IsOurs(command string) bool {
	program, rest := programOf(command)
	base := strings.TrimSuffix(path.Base(strings.ReplaceAll(program, `\`, "/")), ".exe")
	words := strings.Fields(rest)
	return base == ProgramName || base == "packgen" && len(words) > 0 && words[0] == "hook"
}

// ours returns the chains of nodes that lead to packgen's hooks: root, hooks,
// list, group, list, handler.
func ours(n *jsonfile.Node) ([][]*jsonfile.Node, error) {
	return handlers(n, IsOurs)
}

// handlers returns the chains of nodes that lead to the hooks of submitted prompts
// whose command is wanted.
func handlers(n *jsonfile.Node, wanted func(command string) bool) ([][]*jsonfile.Node, error) {
	hooks := n.Member("hooks")
	switch {
	case n.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: they are not an object", errShape)
	case hooks == nil:
		return nil, nil
	case hooks.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: hooks is not an object", errShape)
	}
	if err := cmp.Or(n.Once("hooks"), hooks.Once(promptEvent)); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	list := hooks.Member(promptEvent)
	switch {
	case list == nil:
		return nil, nil
	case list.Kind() != loadout.Array:
		return nil, fmt.Errorf("%w: hooks.%s is not a list", errShape, promptEvent)
	}
	var chains [][]*jsonfile.Node
	for _, group := range list.Items {
		handlers := group.Member("hooks")
		if handlers == nil || handlers.Kind() != loadout.Array {
			continue
		}
		for _, handler := range handlers.Items {
			command := handler.Member("command")
			if command == nil {
				continue
			}
			if text, ok := command.Value.Str(); ok && wanted(text) {
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
func Others(text []byte) ([]string, error) {
	root, err := jsonfile.Parse(text)
	if err != nil {
		return nil, err
	}
	found, err := handlers(root, isOther)
	var list []string
	for _, chain := range found {
		command, _ := chain[len(chain)-1].Member("command").Value.Str()
		list = append(list, command)
	}
	return list, err
}

// WithoutOthers returns the text of a settings file without those hooks.
func WithoutOthers(text []byte) ([]byte, error) {
	for {
		root, err := jsonfile.Parse(text)
		if err != nil {
			return nil, err
		}
		found, err := handlers(root, isOther)
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = jsonfile.Remove(text, found[0])
	}
}

// otherHooks are what the command lines of those systems hold.
var otherHooks = [...]string{"ai-loadout", "loadout-os", "loadout-hook"}

func isOther(command string) bool {
	if IsOurs(command) {
		return false
	}
	for _, name := range otherHooks {
		if strings.Contains(command, name) {
			return true
		}
	}
	return false
}
