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

// places are the files of an agent, in a project or of a user. Checked in November
// 2026; the manual says against what.
func (a Agent) places(user bool) []place {
	switch a {
	case Claude:
		if user {
			return []place{{".claude.json", servers}, {".claude/settings.json", hooks}}
		}
		return []place{{".mcp.json", servers}, {".claude/settings.json", hooks}}
	case Cursor:
		return withBlock(user, place{".cursor/mcp.json", servers})
	case Codex:
		return withBlock(user, place{".codex/config.toml", toml}, place{".codex/hooks.json", hooks})
	case Copilot:
		if user {
			return []place{{".copilot/mcp-config.json", copilot}}
		}
		return withBlock(user, place{".vscode/mcp.json", editor}, place{".github/mcp.json", copilot})
	}
	return withBlock(user, place{".gemini/settings.json", servers}, place{".gemini/settings.json", geminiHooks})
}

// withBlock adds the block in AGENTS.md, which is for projects.
func withBlock(user bool, list ...place) []place {
	if user {
		return list
	}
	return append(list, place{"AGENTS.md", section})
}

// signs are the files that show that an agent is used, in a project or by a user.
func (a Agent) signs(user bool) []string {
	switch a {
	case Claude:
		if user {
			return []string{".claude", ".claude.json"}
		}
		return []string{".claude", ".mcp.json", "CLAUDE.md"}
	case Cursor:
		return []string{".cursor"}
	case Codex:
		return []string{".codex"}
	case Copilot:
		if user {
			return []string{".copilot"}
		}
		return []string{".vscode", ".github/copilot-instructions.md", ".github/instructions", ".github/mcp.json"}
	}
	if user {
		return []string{".gemini"}
	}
	return []string{".gemini", "GEMINI.md"}
}

// Find lists the agents that a project or a user has.
func (b Base) Find() []Agent {
	return slices.DeleteFunc(allAgents(), func(a Agent) bool {
		return !slices.ContainsFunc(a.signs(b.User), func(name string) bool {
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
