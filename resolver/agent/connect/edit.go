package connect

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/jsonfile"
	"github.com/packgen/packgen/resolver/agent/managedblock"
	"github.com/packgen/packgen/resolver/loadout"
)

// serverName is the name of the server in the files of agents.
const serverName = "packgen"

var (
	errShape   = errors.New("the file has another shape")
	errNowhere = errors.New("it is a link that leads to no file")
	errOthers  = errors.New("it has a server of another program under the name " + serverName)
)

// owner is the word in the marks around our blocks.
const owner = "packgen"

// form is the form in which a file of this kind names hooks.
func (k kind) form() hook.Settings {
	if k == geminiHooks {
		return hook.Gemini
	}
	return hook.Claude
}

// add returns the text of a file with what the options say in it.
func (k kind) add(text []byte, o *Options) ([]byte, error) {
	switch k {
	case servers, editor, copilot:
		return k.addServer(text, o.Server)
	case toml:
		return addTable(text, o.Server)
	case hooks, geminiHooks:
		if k == hooks && o.Others && len(bytes.TrimSpace(text)) > 0 {
			var err error
			if text, err = hook.WithoutOthers(text); err != nil {
				return nil, err
			}
		}
		return k.form().Install(text, o.Hook)
	}
	return managedblock.Add(text, managedblock.Markdown(owner), o.Block)
}

// remove returns the text of a file without what add wrote.
func (k kind) remove(text []byte) ([]byte, error) {
	switch k {
	case servers, editor, copilot:
		return k.removeServer(text)
	case toml:
		return managedblock.Remove(text, managedblock.Comment(owner))
	case hooks, geminiHooks:
		return k.form().Uninstall(text)
	}
	return managedblock.Remove(text, managedblock.Markdown(owner))
}

// key is where the servers are in a JSON file.
func (k kind) key() string {
	if k == editor {
		return "servers"
	}
	return "mcpServers"
}

// parse finds the server of ours in a JSON file: the chain of nodes to it, which ends
// at the root or the servers when there is none.
func (k kind) parse(text []byte) ([]*jsonfile.Node, error) {
	root, err := jsonfile.ParseLoose(text)
	switch {
	case err != nil:
		return nil, err
	case root.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: it is not an object", errShape)
	}
	if err := root.Once(k.key()); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	list := root.Member(k.key())
	switch {
	case list == nil:
		return []*jsonfile.Node{root}, nil
	case list.Kind() != loadout.Object:
		return nil, fmt.Errorf("%w: %s is not an object", errShape, k.key())
	}
	if err := list.Once(serverName); err != nil {
		return nil, fmt.Errorf("%w: %w", errShape, err)
	}
	if own := list.Member(serverName); own != nil {
		return []*jsonfile.Node{root, list, own}, nil
	}
	return []*jsonfile.Node{root, list}, nil
}

func (k kind) addServer(text []byte, command []string) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	chain, err := k.parse(text)
	if err != nil {
		return nil, err
	}
	var args []any
	for _, a := range command[1:] {
		args = append(args, a)
	}
	value := jsonfile.Object{{Key: "command", Value: command[0]}, {Key: "args", Value: args}}
	switch k {
	case editor:
		value = append(jsonfile.Object{{Key: "type", Value: "stdio"}}, value...)
	case copilot:
		value = slices.Concat(jsonfile.Object{{Key: "type", Value: "local"}}, value, jsonfile.Object{{Key: "tools", Value: []any{"*"}}})
	}
	server := jsonfile.Field{Key: serverName, Value: value}
	switch own := chain[len(chain)-1]; len(chain) {
	case 1:
		return jsonfile.Insert(text, own, jsonfile.Field{Key: k.key(), Value: jsonfile.Object{server}}), nil
	case 2:
		return jsonfile.Insert(text, own, server), nil
	default:
		have := commandOf(own)
		if !isOurs(have) {
			return nil, errOthers
		}
		if have[0] == command[0] {
			return text, nil
		}
		// Arguments and whatever else the entry has are kept.
		return jsonfile.Replace(text, own.Member("command"), command[0]), nil
	}
}

func (k kind) removeServer(text []byte) ([]byte, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return text, nil
	}
	chain, err := k.parse(text)
	if err != nil || len(chain) < 3 || !isOurs(commandOf(chain[2])) {
		return text, err
	}
	return jsonfile.Remove(text, chain), nil
}

// commandOf is the command line of a server.
func commandOf(n *jsonfile.Node) []string {
	program := n.Member("command")
	if program == nil {
		return nil
	}
	text, _ := program.Value.Str()
	command := []string{text}
	if args := n.Member("args"); args != nil {
		for _, item := range args.Items {
			arg, _ := item.Value.Str()
			command = append(command, arg)
		}
	}
	return command
}

// program is what an agent starts as our server or hook, by the text of its file; ""
// when it has none.
func (k kind) program(text []byte) string {
	switch k {
	case servers, editor, copilot:
		if chain, err := k.parse(text); err == nil && len(chain) == 3 {
			return commandOf(chain[2])[0]
		}
	case hooks, geminiHooks:
		if commands, err := k.form().Commands(text); err == nil && len(commands) > 0 {
			return hook.Program(commands[0])
		}
	case toml:
		_, block, _ := strings.Cut(string(text), "[mcp_servers."+serverName+"]\ncommand = ")
		line, _, _ := strings.Cut(block, "\n")
		name, _ := loadout.Value(strings.TrimSpace(line)).Str()
		return name
	}
	return ""
}

// isOurs reports whether a command line starts packgen's server.
func isOurs(command []string) bool {
	if len(command) < 2 {
		return false
	}
	base := strings.TrimSuffix(filepath.Base(strings.ReplaceAll(command[0], `\`, "/")), ".exe")
	return base == "packgen" && slices.Contains(command[1:], "mcp")
}

// addTable adds the table of the server to a TOML file.
func addTable(text []byte, command []string) ([]byte, error) {
	plain, err := managedblock.Remove(text, managedblock.Comment(owner))
	if err != nil {
		return nil, err
	}
	if err := checkTables(string(plain)); err != nil {
		return nil, err
	}
	var args []string
	for _, a := range command[1:] {
		args = append(args, quoted(a))
	}
	return managedblock.Add(text, managedblock.Comment(owner), "[mcp_servers."+serverName+"]\ncommand = "+quoted(command[0])+"\nargs = ["+strings.Join(args, ", ")+"]")
}

// checkTables refuses a TOML file that has a server of our name, or all servers in one
// value, to which no table can add.
func checkTables(text string) error {
	const list = "mcp_servers"
	for path, value := range tomlValues(text) {
		switch {
		case len(path) > 1 && path[0] == list && path[1] == serverName:
			return errOthers
		case len(path) == 1 && path[0] == list && value != "":
			return fmt.Errorf("%w: %s is one value, to which no table can add", errShape, list)
		}
	}
	return nil
}

// quoted writes a text as TOML and JSON both take it.
func quoted(text string) string { return string(loadout.AppendString(nil, text)) }

// diffContext is how many equal lines are shown around a difference.
const diffContext = 3

// lineDiff shows the difference of two texts of which one stretch differs: a
// first character says whether a line stays, goes or comes.
func lineDiff(before, after []byte) []string {
	x, y := splitText(before), splitText(after)
	start := 0
	for start < len(x) && start < len(y) && x[start] == y[start] {
		start++
	}
	end := 0
	for end < len(x)-start && end < len(y)-start && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	diff := []string{}
	if start == len(x) && start == len(y) {
		return diff
	}
	add := func(mark string, lines []string) {
		for _, l := range lines {
			diff = append(diff, mark+l)
		}
	}
	add(" ", x[max(0, start-diffContext):start])
	add("-", x[start:len(x)-end])
	add("+", y[start:len(y)-end])
	add(" ", x[len(x)-end:min(len(x), len(x)-end+diffContext)])
	return diff
}

// splitText cuts a text into lines without their ends, for people: a tab is four
// blanks.
func splitText(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	plain := strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(string(text))
	return strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
}
