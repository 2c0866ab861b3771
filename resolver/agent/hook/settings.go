package hook

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
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
	root, err := parseSettings(text)
	if err != nil {
		return nil, err
	}
	found, err := root.ours()
	if err != nil {
		return nil, err
	}
	if len(found) > 0 {
		return replaceCommand(text, found[0], command), nil
	}
	e := newEditor(text)
	handler := e.object(field{"type", "command"}, field{"command", command}, field{"timeout", hookTimeout})
	group := e.object(field{"hooks", []any{handler}})
	hooks := root.member("hooks")
	if hooks == nil {
		return e.insert(root, field{"hooks", e.object(field{promptEvent, []any{group}})}), nil
	}
	list := hooks.member(promptEvent)
	if list == nil {
		return e.insert(hooks, field{promptEvent, []any{group}}), nil
	}
	return e.insert(list, field{"", group}), nil
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
		root, err := parseSettings(text)
		if err != nil {
			return nil, err
		}
		found, err := root.ours()
		if err != nil || len(found) == 0 {
			return text, err
		}
		text = remove(text, found[0])
	}
}

// Commands returns the commands of packgen's hook in a settings file.
func Commands(text []byte) ([]string, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	root, err := parseSettings(text)
	if err != nil {
		return nil, err
	}
	found, err := root.ours()
	var list []string
	for _, chain := range found {
		command, _ := chain[len(chain)-1].member("command").value.Str()
		list = append(list, command)
	}
	return list, err
}

// Program returns the program of a command line.
func Program(command string) string {
	program, _ := programOf(command)
	return program
}

// programOf cuts a command line behind its program, which may be quoted.
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
func (n *node) ours() ([][]*node, error) {
	hooks := n.member("hooks")
	switch {
	case n.kind() != loadout.Object:
		return nil, fmt.Errorf("%w: they are not an object", errShape)
	case hooks == nil:
		return nil, nil
	case hooks.kind() != loadout.Object:
		return nil, fmt.Errorf("%w: hooks is not an object", errShape)
	case n.twice("hooks"):
		return nil, fmt.Errorf("%w: key \"hooks\" is given twice, and an agent sees the second alone", errShape)
	case hooks.twice(promptEvent):
		return nil, fmt.Errorf("%w: key %q is given twice, and an agent sees the second alone", errShape, "hooks."+promptEvent)
	}
	list := hooks.member(promptEvent)
	switch {
	case list == nil:
		return nil, nil
	case list.kind() != loadout.Array:
		return nil, fmt.Errorf("%w: hooks.%s is not a list", errShape, promptEvent)
	}
	var chains [][]*node
	for _, group := range list.items {
		handlers := group.member("hooks")
		if handlers == nil || handlers.kind() != loadout.Array {
			continue
		}
		for _, handler := range handlers.items {
			command := handler.member("command")
			if command == nil {
				continue
			}
			if text, ok := command.value.Str(); ok && IsOurs(text) {
				chains = append(chains, []*node{n, hooks, list, group, handlers, handler})
			}
			if len(chains) > maxWired {
				return nil, fmt.Errorf("%w: they have the hook more than %d times", errShape, maxWired)
			}
		}
	}
	return chains, nil
}

// replaceCommand puts another command into a handler.
func replaceCommand(text []byte, chain []*node, command string) []byte {
	at := chain[len(chain)-1].member("command")
	if have, _ := at.value.Str(); have == command {
		return text
	}
	return slices.Concat(text[:at.start], loadout.AppendString(nil, command), text[at.end:])
}

// remove takes the last node of a chain out of its container, and each container
// above that it would leave empty.
func remove(text []byte, chain []*node) []byte {
	i := len(chain) - 1
	for i > 1 && len(chain[i-1].items) == 1 {
		i--
	}
	container, gone := chain[i-1], chain[i]
	at := slices.Index(container.items, gone)
	start, end := gone.from, gone.end
	switch {
	case len(container.items) == 1:
		start, end = container.start+1, container.end-1
	case at == 0:
		end = container.items[1].from
	default:
		start = container.items[at-1].end
		// In a container written on one line, the line that was added for it goes too.
		oneLine := !bytes.Contains(text[container.start:container.items[0].from], []byte("\n"))
		if at == len(container.items)-1 && oneLine {
			end = container.end - 1
		}
	}
	return slices.Concat(text[:start], text[end:])
}

// field is a member to write; one without a key is an element of a list.
type field struct {
	key   string
	value any // text, int, []any, or object
}

type object []field

// editor writes into a settings file in the file's own style.
type editor struct {
	text    []byte
	indent  string // one level
	newline string
}

func newEditor(text []byte) *editor {
	e := &editor{text: text, indent: "  ", newline: "\n"}
	if bytes.Contains(text, []byte("\r\n")) {
		e.newline = "\r\n"
	}
	// The first indented line is a member of the root.
	for line := range bytes.Lines(text) {
		rest := bytes.TrimLeft(line, " \t")
		if n := len(line) - len(rest); n > 0 && len(bytes.TrimSpace(rest)) > 0 {
			e.indent = string(line[:n])
			break
		}
	}
	return e
}

func (e *editor) object(fields ...field) object { return fields }

// insert adds a field at the end of a container.
func (e *editor) insert(container *node, f field) []byte {
	depth := container.depth + 1
	var b strings.Builder
	at := container.end - 1
	if n := len(container.items); n > 0 {
		at = container.items[n-1].end
		b.WriteByte(',')
	}
	b.WriteString(e.newline + strings.Repeat(e.indent, depth))
	e.field(&b, f, depth)
	if tail := e.text[at : container.end-1]; !bytes.Contains(tail, []byte("\n")) {
		b.WriteString(e.newline + strings.Repeat(e.indent, depth-1))
		return slices.Concat(e.text[:at], []byte(b.String()), e.text[container.end-1:])
	} else if len(container.items) == 0 {
		b.WriteString(e.newline + strings.Repeat(e.indent, depth-1))
		return slices.Concat(e.text[:container.start+1], []byte(b.String()), e.text[container.end-1:])
	}
	return slices.Concat(e.text[:at], []byte(b.String()), e.text[at:])
}

func (e *editor) field(b *strings.Builder, f field, depth int) {
	if f.key != "" {
		b.Write(loadout.AppendString(nil, f.key))
		b.WriteString(": ")
	}
	e.value(b, f.value, depth)
}

func (e *editor) value(b *strings.Builder, v any, depth int) {
	switch v := v.(type) {
	case string:
		b.Write(loadout.AppendString(nil, v))
	case int:
		b.WriteString(strconv.Itoa(v))
	case object:
		e.container(b, '{', '}', v, depth)
	case []any:
		list := make([]field, len(v))
		for i := range v {
			list[i].value = v[i]
		}
		e.container(b, '[', ']', list, depth)
	}
}

func (e *editor) container(b *strings.Builder, open, end byte, fields []field, depth int) {
	b.WriteByte(open)
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(e.newline + strings.Repeat(e.indent, depth+1))
		e.field(b, f, depth+1)
	}
	b.WriteString(e.newline + strings.Repeat(e.indent, depth))
	b.WriteByte(end)
}

// parseSettings checks a text and finds where each value is.
func parseSettings(text []byte) (*node, error) {
	if _, err := indexjson.Parse(text); err != nil {
		return nil, err
	}
	s := &scanner{text: text}
	return s.value(0), nil
}
