package connect

import (
	"os"
	"path/filepath"
	"testing"
)

// Each agent has a variable that moves its files of a user; those of a project stay.
func TestAVariableMovesTheFilesOfAUser(t *testing.T) {
	named := filepath.Join(t.TempDir(), "named")
	home := filepath.Join(t.TempDir(), "home")
	for _, c := range []struct {
		agent            Agent
		variable         string
		path, plain, far string
	}{
		{Claude, "CLAUDE_CONFIG_DIR", ".claude/settings.json", ".claude/settings.json", "settings.json"},
		{Claude, "CLAUDE_CONFIG_DIR", ".claude.json", ".claude.json", ".claude.json"},
		{Claude, "CLAUDE_CONFIG_DIR", ".claude", ".claude", "."},
		{Codex, "CODEX_HOME", ".codex/config.toml", ".codex/config.toml", "config.toml"},
		{Codex, "CODEX_HOME", ".codex/hooks.json", ".codex/hooks.json", "hooks.json"},
		{Copilot, "COPILOT_HOME", ".copilot/mcp-config.json", ".copilot/mcp-config.json", "mcp-config.json"},
		{Cursor, "CURSOR_CONFIG_DIR", ".cursor/mcp.json", ".cursor/mcp.json", "mcp.json"},
		{Gemini, "GEMINI_CLI_HOME", ".gemini/settings.json", ".gemini/settings.json", ".gemini/settings.json"},
	} {
		for _, user := range []bool{true, false} {
			for _, value := range []string{"", named} {
				b := Base{Dir: home, User: user, Home: home, Getenv: func(name string) string {
					if name == c.variable {
						return value
					}
					return ""
				}}
				want := filepath.Join(home, filepath.FromSlash(c.plain))
				if user && value != "" {
					want = filepath.Join(named, filepath.FromSlash(c.far))
				}
				if got := b.file(c.agent, c.path); got != want {
					t.Errorf("%s, %s=%q, user %t: %s, want %s", c.path, c.variable, value, user, got, want)
				}
			}
		}
	}
}

// What connect writes where a variable names, Find and Connected see, and removing leaves the
// directory that the user named.
func TestConnectAndRemoveWhereAVariableNames(t *testing.T) {
	for _, agent := range allAgents() {
		home, named := t.TempDir(), t.TempDir()
		variable := agent.files().variable
		b := Base{Dir: home, User: true, Home: home, Getenv: func(name string) string {
			if name == variable {
				return named
			}
			return ""
		}}
		connected(t, Options{Base: b, Agents: []Agent{agent}, Server: testEntry.Server, Hook: testEntry.Hook})
		if left, _ := os.ReadDir(home); len(left) > 0 {
			t.Errorf("%s wrote %s into the home directory", agent, left[0].Name())
		}
		if found := b.Find(); len(found) != 1 || found[0] != agent {
			t.Errorf("%s: found %v", agent, found)
		}
		if len(b.Connected()) == 0 {
			t.Errorf("%s is not connected", agent)
		}
		connected(t, Options{Base: b, Agents: []Agent{agent}, Remove: true})
		if left, err := os.ReadDir(named); err != nil || len(left) > 0 {
			t.Errorf("%s: %v, %v", agent, left, err)
		}
	}
}
