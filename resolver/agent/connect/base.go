package connect

import (
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/resolver/agent/hook"
)

// Base is what files of agents belong to: a project, or a user.
type Base struct {
	Dir  string // the root of the project, or the home directory
	User bool   // Dir is the home directory
	// Home is the home directory of the user, also where Dir is a project; "" for none.
	Home string
	// Getenv returns a variable of the environment: agents have some that name the directory
	// of their files of a user. nil knows of none.
	Getenv func(name string) string
}

// locate returns the directory that a file of an agent is below, and its path from there.
// The directory is the user's or the project's own: it stays when it is empty.
func (b Base) locate(a Agent, path string) (dir, name string) {
	if b.User && b.Getenv != nil {
		own := a.files()
		if dir := hook.NamedDir(own.variable, b.Getenv); dir != "" {
			return dir, strings.TrimSuffix(strings.TrimPrefix(path+"/", own.below), "/")
		}
	}
	return b.Dir, path
}

// file is the absolute path of a file of an agent.
func (b Base) file(a Agent, path string) string {
	dir, name := b.locate(a, path)
	return filepath.Join(dir, filepath.FromSlash(name))
}

// shown is the path of a file of an agent in messages: as it is written for everybody,
// unless a variable moves it.
func (b Base) shown(a Agent, path string) string {
	if dir, _ := b.locate(a, path); dir != b.Dir {
		return b.file(a, path)
	}
	return path
}

// ClaudeSettings is the file that Claude Code reads the hooks of a user from; "" without a
// home directory.
func ClaudeSettings(home string, getenv func(string) string) string {
	if dir := hook.ClaudeDir(home, getenv); dir != "" {
		return filepath.Join(dir, "settings.json")
	}
	return ""
}
