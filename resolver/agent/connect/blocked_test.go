package connect

import (
	"strings"
	"testing"
)

const oneHook = `{"hooks": {"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "other"}, {"type": "command", "command": "packgen hook"}]}]}}`

// Codex runs the hook at the place that its user has accepted, and no other.
func TestCodexBlocks(t *testing.T) {
	const key = `"/p/.codex/hooks.json:user_prompt_submit:0:1"`
	for name, c := range map[string]struct {
		settings string
		want     Blocked
	}{
		"nothing":               {"", notAccepted},
		"accepted":              {"[hooks.state." + key + "]\ntrusted_hash = \"sha256:1\"\n", 0},
		"spaces":                {"[ hooks . state . " + key + " ]\r\n  trusted_hash=\"sha256:1\"\r\n", 0},
		"literal key":           {"[hooks.state.'" + strings.Trim(key, `"`) + "']\ntrusted_hash = 'x'\n", 0},
		"a value":               {"[hooks.state]\n" + key + " = { trusted_hash = \"x\" }\n", 0},
		"dotted":                {"hooks.state." + key + ".trusted_hash = \"x\"\n", 0},
		"another place":         {"[hooks.state.\"/p/.codex/hooks.json:user_prompt_submit:0:0\"]\ntrusted_hash = \"x\"\n", notAccepted},
		"another file":          {"[hooks.state.\"/q/.codex/hooks.json:user_prompt_submit:0:1\"]\ntrusted_hash = \"x\"\n", notAccepted},
		"a comment":             {"# [hooks.state." + key + "]\n# trusted_hash = \"x\"\n", notAccepted},
		"only the table":        {"[hooks.state." + key + "]\n[other]\ntrusted_hash = \"x\"\n", notAccepted},
		"accepted, then off":    {"[hooks.state." + key + "]\ntrusted_hash = \"x\"\nenabled = false\n", notAccepted},
		"no hooks at all":       {"[hooks.state." + key + "]\ntrusted_hash = \"x\"\n[features]\nhooks = false # for now\n", turnedOff},
		"the older name":        {"features.codex_hooks = false\n", turnedOff},
		"another feature":       {"[hooks.state." + key + "]\ntrusted_hash = \"x\"\n[features]\nweb = false\n", 0},
		"an untrusted project":  {"[hooks.state." + key + "]\ntrusted_hash = \"x\"\n[projects.\"/p\"]\ntrust_level = \"untrusted\"\n", untrusted},
		"a trusted project":     {"[projects.\"/p\"]\ntrust_level = \"trusted\"\n[hooks.state." + key + "]\ntrusted_hash = \"x\"\n", 0},
		"another one untrusted": {"[projects.\"/q\"]\ntrust_level = \"untrusted\"\n[hooks.state." + key + "]\ntrusted_hash = \"x\"\n", 0},
		"no TOML":               {"[hooks.state.\"\n\"=\n====\n[[[\n\"a\\", notAccepted},
	} {
		if got := codexBlocks(c.settings, "/p/.codex/hooks.json", []byte(oneHook)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got.Why(), c.want.Why())
		}
	}
}

// A hook that all hooks are turned off beside does not run.
func TestHooksThatAreTurnedOff(t *testing.T) {
	b := Base{Dir: t.TempDir()}
	for _, c := range []struct {
		agent Agent
		text  string
		want  Blocked
	}{
		{Claude, oneHook, 0},
		{Claude, `{"disableAllHooks": true, ` + oneHook[1:], turnedOff},
		{Claude, `{"disableAllHooks": false, ` + oneHook[1:], 0},
		{Gemini, `{"hooksConfig": {"enabled": false}}`, turnedOff},
		{Gemini, `{"hooksConfig": {"enabled": true}}`, 0},
		{Gemini, `{"hooksConfig": []}`, 0},
		{Gemini, `{`, 0},
		{Codex, oneHook, notAccepted},
	} {
		if got := b.blocked(c.agent, "/p/settings.json", []byte(c.text)); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.agent, c.text, got.Why(), c.want.Why())
		}
	}
}
