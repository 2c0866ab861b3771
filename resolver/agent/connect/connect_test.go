package connect

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/jsonfile"
	"github.com/packgen/packgen/resolver/agent/managedblock"
)

var testEntry = &Options{Server: []string{"packgen", "mcp"}, Hook: "packgen hook", Block: "one\ntwo"}

// texts are files as people write them.
func texts() []string {
	r := rand.New(rand.NewPCG(1, 2))
	list := []string{"", "{}", "{}\n", "{\n}\n", "{ }", "{\r\n\t\"a\": 1\r\n}\r\n", `{"a":{"b":[1,2,{}]}}`, "{\n  \"mcpServers\": {}\n}", "{\"mcpServers\": {\"x\": {\"command\": \"y\"}}, \"z\": 1}"}
	for range 200 {
		var b strings.Builder
		b.WriteString("{")
		for i := range r.IntN(4) {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(strings.Repeat([]string{" ", "\n", "\t"}[r.IntN(3)], r.IntN(3)))
			fmt.Fprintf(&b, "%q:%s", []string{"a", "servers", "mcpServers", "d"}[i], []string{"{}", "{ \"x\": {} }", "{\n\"x\": {\n}\n}"}[r.IntN(3)])
		}
		b.WriteString(strings.Repeat("\n", r.IntN(2)) + "}" + strings.Repeat("\n", r.IntN(2)))
		list = append(list, b.String())
	}
	return list
}

// What is added once is not added twice, and what is taken out leaves what was there.
func TestAddingIsIdempotentAndRemovingRestores(t *testing.T) {
	for _, k := range []kind{servers, copilot, editor, hooks, geminiHooks} {
		for _, text := range texts() {
			once, err := k.add([]byte(text), testEntry)
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
			twice, err := k.add(once, testEntry)
			if err != nil || string(twice) != string(once) {
				t.Errorf("%q twice:\n%s\nonce\n%s\n%v", text, twice, once, err)
			}
			back := oktest.Value(k.remove(once))(t)
			if strings.TrimSpace(text) != "" && string(jsonfile.Plain(back)) != string(jsonfile.Plain([]byte(text))) && !emptied(text) {
				t.Errorf("%q comes back as %q", text, back)
			}
		}
	}
}

// emptied reports a text with an empty container, which goes with the entry that was
// the only one in it: the backup brings it back.
func emptied(text string) bool {
	return strings.Contains(strings.Join(strings.Fields(text), ""), `ervers":{}`)
}

// The program that an agent starts is read from what was written, whatever its path.
func TestTheProgramOfAServerIsReadBack(t *testing.T) {
	for _, program := range []string{"packgen", "/opt/my tools/packgen", `C:\tools\packgen.exe`, "/päck/packgen"} {
		for _, k := range []kind{servers, copilot, editor, toml} {
			text, err := k.add([]byte{}, &Options{Server: []string{program, "mcp"}})
			if got := k.program(text); err != nil || got != program {
				t.Errorf("%q is read as %q, %v:\n%s", program, got, err, text)
			}
		}
	}
	if got := hooks.program([]byte("{}")); got != "" {
		t.Errorf("hooks start %q", got)
	}
}

func TestBlocksComeOutToTheByte(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "a\n\n", "a\r\nb\r\n", "a\r\nb", "\n", "# x\n\n<!-- other -->\n"} {
		once := oktest.Value(managedblock.Add([]byte(text), managedblock.Markdown(owner), "one\ntwo"))(t)
		twice, err := managedblock.Add(once, managedblock.Markdown(owner), "one\ntwo")
		if err != nil || string(twice) != string(once) {
			t.Errorf("%q twice: %q, once %q, %v", text, twice, once, err)
		}
		other, err := managedblock.Add(once, managedblock.Markdown(owner), "three")
		if err != nil || !strings.Contains(string(other), "three") || strings.Contains(string(other), "two") {
			t.Errorf("%q again: %q, %v", text, other, err)
		}
		for _, with := range [][]byte{once, other} {
			if back, err := managedblock.Remove(with, managedblock.Markdown(owner)); err != nil || string(back) != text {
				t.Errorf("%q comes back as %q, %v", text, back, err)
			}
		}
	}
	for _, bad := range []string{"<!-- packgen:end -->\n", "<!-- packgen:begin -->\n<!-- packgen:begin -->\n<!-- packgen:end -->\n", "<!-- packgen:begin -->\n"} {
		if _, err := managedblock.Add([]byte(bad), managedblock.Markdown(owner), "x"); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// A file that changes between the plan and its application is left alone.
func TestAFileThatChangesMeanwhileStays(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, ".mcp.json")
	oktest.Check(t, os.WriteFile(name, []byte("{}\n"), 0o666))
	list := oktest.Value(Plan(Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: testEntry.Hook}))(t)
	oktest.Check(t, os.WriteFile(name, []byte(`{"new":1}`), 0o666))
	if err := Apply(list); err == nil {
		t.Error("the change was applied")
	}
	if data, _ := os.ReadFile(name); string(data) != `{"new":1}` {
		t.Errorf("the file holds %s", data)
	}
}

func FuzzAddServer(f *testing.F) {
	for _, text := range texts()[:20] {
		f.Add([]byte(text))
	}
	f.Add([]byte("{ // c\n \"servers\": { /* d */ \"x\": 1, }, }"))
	f.Add([]byte(`{"servers": {"packgen": 7}}`))
	f.Add([]byte("{,}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, err := editor.add(text, testEntry)
		if err != nil {
			return
		}
		if twice, err := editor.add(once, testEntry); err != nil || string(twice) != string(once) {
			t.Fatalf("%q once, %q twice, %v", once, twice, err)
		}
		if _, err := editor.remove(once); err != nil {
			t.Fatal(err)
		}
	})
}

// A key given twice reads as in every other file that people write.
func TestAServerGivenTwiceIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"{\"mcpServers\": {},\n\"mcpServers\": {}}":                   `key "mcpServers" is given twice; the first is on line 1`,
		"{\n\"mcpServers\": {\n\"packgen\": {},\n\"packgen\": {}}\n}": `key "packgen" is given twice; the first is on line 3`,
	} {
		if _, err := servers.addServer([]byte(text), []string{"packgen", "mcp"}); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTheBlockAsksForSearchWordsAndAQuestionAPart(t *testing.T) {
	block := Describe([]schema.CatalogEntry{{Name: "kettle", Description: "Its care."}})
	for _, want := range []string{howToAsk, "search words", "one question for each part", "--also", "resolve_context", "\n- kettle: Its care."} {
		if !strings.Contains(block, want) {
			t.Errorf("%q is not in\n%s", want, block)
		}
	}
	if n := token.Estimate(howToAsk); n > 60 {
		t.Errorf("%d tokens say how to ask, and 60 are enough", n)
	}
}

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
