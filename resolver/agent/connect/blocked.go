package connect

import (
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
)

// Blocked says why an agent does not run a hook that its files have. The zero value says
// that nothing keeps it.
type Blocked uint8

const (
	notAccepted Blocked = 1 + iota // Codex runs a hook only once its user has accepted it
	untrusted                      // the settings of Codex say not to trust the project
	turnedOff                      // the settings turn all hooks off
)

// blockedTexts say why, and what to do about it.
var blockedTexts = [...]struct{ why, remedy string }{
	notAccepted: {"Codex skips a hook until you accept it",
		"start codex here, type /hooks, and trust the hook of packgen: until then Codex skips it, and again after each change of its command"},
	untrusted: {"the settings of Codex say not to trust this project",
		"start codex here and trust the project, then type /hooks and trust the hook of packgen"},
	turnedOff: {"all hooks are turned off",
		"take disableAllHooks, features.hooks or hooksConfig.enabled out of the agent's settings: with it no hook runs"},
}

// Why says why the agent does not run the hook.
func (b Blocked) Why() string { return blockedTexts[b].why }

// Remedy says what to do about it; "" where nothing keeps the hook.
func (b Blocked) Remedy() string { return blockedTexts[b].remedy }

// blocked says why an agent does not run the hook that a file of it has; text is the file.
func (b Base) blocked(a Agent, name string, text []byte) Blocked {
	switch {
	case a == Claude && hook.Claude.Disabled(text), a == Gemini && hook.Gemini.Disabled(text):
		return turnedOff
	case a != Codex:
		return 0
	}
	// What a user has accepted is in the home of Codex alone.
	user := Base{Dir: b.Home, User: true, Getenv: b.Getenv}
	settings, err := read(user.file(Codex, ".codex/config.toml"))
	if err != nil {
		return notAccepted
	}
	return codexBlocks(string(settings), name, text)
}

// codexBlocks says why Codex does not run the hook of a file by its own settings. Codex notes
// under hooks.state which hook of which file its user trusts.
func codexBlocks(settings, name string, text []byte) Blocked {
	var keys, projects []string
	for _, file := range []string{name, regularfile.RealPath(name)} {
		for _, at := range hook.Claude.Positions(text) {
			keys = append(keys, fmt.Sprintf("%s:user_prompt_submit:%d:%d", file, at.Group, at.Handler))
		}
		projects = append(projects, filepath.Dir(filepath.Dir(file)))
	}
	found := notAccepted
	off := false
	for path, value := range tomlValues(settings) {
		switch {
		case len(path) == 2 && path[0] == "features" && (path[1] == "hooks" || path[1] == "codex_hooks") && strings.HasPrefix(value, "false"):
			return turnedOff
		case len(path) == 3 && path[0] == "projects" && path[2] == "trust_level" && strings.HasPrefix(value, `"untrusted"`) && slices.Contains(projects, path[1]):
			return untrusted
		case len(path) < 3 || path[0] != "hooks" || path[1] != "state" || !slices.Contains(keys, path[2]):
		case len(path) == 4 && path[3] == "enabled" && strings.HasPrefix(value, "false"):
			off = true
		case len(path) == 4 && path[3] == "trusted_hash", len(path) == 3 && strings.Contains(value, "trusted_hash"):
			found = 0
		}
	}
	if off {
		return notAccepted
	}
	return found
}

// tomlValues ranges over the tables of a TOML file and the values that are written on one
// line, each with the parts of its key. The value of a table is "".
func tomlValues(text string) iter.Seq2[[]string, string] {
	return func(yield func(path []string, value string) bool) {
		var table []string
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			key, rest := tomlKey(strings.TrimLeft(line, "["))
			value, ok := strings.CutPrefix(rest, "=")
			if isTable := strings.HasPrefix(line, "["); isTable {
				table, key, value = key, nil, ""
			} else if !ok || len(key) == 0 {
				continue
			}
			if !yield(slices.Concat(table, key), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// tomlKey reads the parts of a key from the start of a line, and returns what follows it.
func tomlKey(line string) (parts []string, rest string) {
	for {
		line = strings.TrimLeft(line, " \t")
		end := 0
		part := ""
		switch {
		case strings.HasPrefix(line, `"`):
			for end = 1; end < len(line) && line[end] != '"'; end++ {
				if line[end] == '\\' {
					end++
				}
			}
			end = min(end+1, len(line))
			part, _ = loadout.Value(line[:end]).Str()
		case strings.HasPrefix(line, "'"):
			part, _, _ = strings.Cut(line[1:], "'")
			end = min(len(part)+2, len(line))
		default:
			for end < len(line) && (line[end] == '-' || line[end] == '_' || isAlphanumeric(line[end])) {
				end++
			}
			part = line[:end]
		}
		if end == 0 {
			return parts, line
		}
		parts = append(parts, part)
		line = strings.TrimLeft(line[end:], " \t")
		if !strings.HasPrefix(line, ".") {
			return parts, line
		}
		line = line[1:]
	}
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
