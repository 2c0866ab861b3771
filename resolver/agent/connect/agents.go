package connect

import (
	"os"
	"slices"
)

// Agent is a program that asks packs.
type Agent string

// The agents.
const (
	Claude  Agent = "claude"
	Cursor  Agent = "cursor"
	Codex   Agent = "codex"
	Copilot Agent = "copilot"
	Gemini  Agent = "gemini"
)

// allAgents lists all agents.
func allAgents() []Agent { return []Agent{Claude, Cursor, Codex, Copilot, Gemini} }

// kind is what a file holds, and so how it is changed.
type kind uint8

const (
	servers     kind = iota // JSON with the servers under mcpServers
	copilot                 // the same, each with a type and its tools
	editor                  // JSON with comments, with the servers under servers
	toml                    // with the servers in tables
	hooks                   // JSON with hooks in the form of Claude
	geminiHooks             // JSON with hooks in the form of Gemini
	section                 // Markdown with a block of ours
)

// isHook reports whether a file of this kind has hooks.
func (k kind) isHook() bool { return k == hooks || k == geminiHooks }

// place is a file of an agent, from the root of the project or from the home directory,
// below which a variable of the agent may move it.
type place struct {
	path string
	kind kind
}

// files are where an agent keeps what it reads, in a project and of a user.
type files struct {
	project, user []place
	// signs show that the agent is used.
	projectSigns, userSigns []string
	// variable names the directory of its files of a user, which takes the place of below in
	// the home directory; "" for all of that.
	variable, below string
}

// files returns the files of an agent. Checked in November 2026; the manual says against what.
func (a Agent) files() files {
	block := place{"AGENTS.md", section}
	switch a {
	case Claude:
		return files{
			[]place{{".mcp.json", servers}, {".claude/settings.json", hooks}}, []place{{".claude.json", servers}, {".claude/settings.json", hooks}},
			[]string{".claude", ".mcp.json", "CLAUDE.md"}, []string{".claude", ".claude.json"},
			"CLAUDE_CONFIG_DIR", ".claude/", // .claude.json is in it then, too
		}
	case Cursor:
		own := place{".cursor/mcp.json", servers}
		return files{[]place{own, block}, []place{own}, []string{".cursor"}, []string{".cursor"}, "CURSOR_CONFIG_DIR", ".cursor/"}
	case Codex:
		own := []place{{".codex/config.toml", toml}, {".codex/hooks.json", hooks}}
		return files{append(own, block), own, []string{".codex"}, []string{".codex"}, "CODEX_HOME", ".codex/"}
	case Copilot:
		return files{
			[]place{{".vscode/mcp.json", editor}, {".github/mcp.json", copilot}, block}, []place{{".copilot/mcp-config.json", copilot}},
			[]string{".vscode", ".github/copilot-instructions.md", ".github/instructions", ".github/mcp.json"}, []string{".copilot"}, "COPILOT_HOME", ".copilot/",
		}
	}
	own := []place{{".gemini/settings.json", servers}, {".gemini/settings.json", geminiHooks}}
	return files{append(own, block), own, []string{".gemini", "GEMINI.md"}, []string{".gemini"}, "GEMINI_CLI_HOME", ""}
}

// places are the files of an agent, in a project or of a user.
func (a Agent) places(user bool) []place {
	if user {
		return a.files().user
	}
	return a.files().project
}

// Find lists the agents that a project or a user has.
func (b Base) Find() []Agent {
	return slices.DeleteFunc(allAgents(), func(a Agent) bool {
		signs := a.files().projectSigns
		if b.User {
			signs = a.files().userSigns
		}
		return !slices.ContainsFunc(signs, func(name string) bool {
			_, err := os.Stat(b.file(a, name))
			return err == nil
		})
	})
}

// File is a file that connects an agent.
type File struct {
	Agent Agent
	Path  string // absolute
	Hook  bool   // the hook is in it, otherwise a server
	// Blocked says why the agent does not run the hook; "" when nothing says so.
	Blocked Blocked
	// Program is what the agent starts as the server or hook.
	Program string
}

// Connected lists the files of a project or a user that hold what packgen writes.
func (b Base) Connected() []File {
	var list []File
	for _, a := range allAgents() {
		for _, p := range a.places(b.User) {
			name := b.file(a, p.path)
			text, err := read(name)
			if err != nil || text == nil || p.kind == section {
				continue
			}
			if without, err := p.kind.remove(text); err == nil && string(without) != string(text) {
				f := File{Agent: a, Path: name, Hook: p.kind.isHook(), Program: p.kind.program(text)}
				if f.Hook {
					f.Blocked = b.blocked(a, name, text)
				}
				list = append(list, f)
			}
		}
	}
	return list
}
