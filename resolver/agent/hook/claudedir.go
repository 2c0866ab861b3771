package hook

import "path/filepath"

// claudeVariable names the directory in which Claude Code keeps what is of a user.
const claudeVariable = "CLAUDE_CONFIG_DIR"

// ClaudeDir is the directory in which Claude Code keeps the settings, rules and memories of
// a user: the one that CLAUDE_CONFIG_DIR names, otherwise .claude of the home directory.
// It is "" without either.
func ClaudeDir(home string, getenv func(string) string) string {
	if dir := NamedDir(claudeVariable, getenv); dir != "" {
		return dir
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".claude")
}

// NamedDir is the absolute path of the directory that a variable of the environment names;
// "" when it names none.
func NamedDir(variable string, getenv func(string) string) string {
	name := getenv(variable)
	if name == "" {
		return ""
	}
	dir, _ := filepath.Abs(name) // "" with an error
	return dir
}
