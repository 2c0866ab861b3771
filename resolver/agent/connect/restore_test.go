package connect

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// filesBelow are the files and directories below a directory, links as what they lead to.
func filesBelow(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && name != dir {
			files[filepath.ToSlash(name)[len(dir)+1:]+"/"] = ""
		}
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		files[strings.TrimPrefix(filepath.ToSlash(name), filepath.ToSlash(dir)+"/")] = string(data)
		return err
	})
	oktest.Check(t, err)
	return files
}

func put(t *testing.T, name, text string) {
	t.Helper()
	oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o755))
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o644))
}

func connected(t *testing.T, o Options) {
	t.Helper()
	list, err := Plan(o)
	if err == nil {
		err = Apply(list)
	}
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
}

// before are files as people have them, by what they hold.
func before(k kind) []string {
	switch k {
	case toml:
		return []string{"", "model = \"m\"", "model = \"m\"\n", "# mine\r\n[mcp_servers.other]\r\ncommand = \"x\"\r\n", "[profiles.a]\nb = 1\n\n\n"}
	case section:
		return []string{"", "# Mine", "# Mine\n", "# Mine\r\n\r\nText.\r\n", "\ufeff# Mine\n"}
	case geminiHooks:
		return []string{"", "{}\n", "{\n  // mine\n  \"theme\": \"x\",\n}\n", `{"mcpServers":{},"hooks":{"BeforeAgent":[]}}`, `{"hooks":{"BeforeAgent":[{"hooks":[{"type":"command","command":"echo"}]}]},"mcpServers":{"other":{"command":"x"}}}`}
	case hooks:
		return []string{"", "{}", "{}\n", "{\n\t\"model\": \"x\"\n}\n", "{\"hooks\":{}}", `{"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"echo packgen"}]}],"Stop":[]}}`, "{\r\n  \"a\": 1\r\n}"}
	}
	key := k.key()
	list := []string{"", "{}", "{ }\n", `{"` + key + `":{}}`, "{\n  \"" + key + "\": {\n  }\n}\n", "{\"" + key + "\":{\"other\":{\"command\":\"x\"}}}\r\n", `{"a":[{"b":{}}]}`}
	if k == editor {
		list = append(list, "// mine\n{\n  /* a */ \"servers\": {\n    \"other\": {\"command\": \"x\"}, // b\n  },\n}\n", "{\n  \"inputs\": [], // c\n}\n")
	}
	return list
}

// For each agent, in a project and of a user, and whatever its files hold: connecting
// twice is connecting once, and --remove brings back each byte and leaves no file more.
func TestRemovingBringsBackEachByte(t *testing.T) {
	t.Parallel()
	for _, user := range []bool{false, true} {
		for _, agent := range allAgents() {
			for _, p := range agent.places(user) {
				for _, text := range append(before(p.kind), "absent") {
					dir := t.TempDir()
					if text != "absent" {
						put(t, filepath.Join(dir, filepath.FromSlash(p.path)), text)
					}
					had := filesBelow(t, dir)
					o := Options{Base: Base{Dir: dir, User: user}, Agents: []Agent{agent}, Server: testEntry.Server, Hook: testEntry.Hook, Block: testEntry.Block, Import: true}
					connected(t, o)
					once := filesBelow(t, dir)
					if maps.Equal(once, had) {
						t.Errorf("%s, user %t: nothing was written", agent, user)
					}
					connected(t, o)
					if twice := filesBelow(t, dir); !maps.Equal(twice, once) {
						t.Errorf("%s, user %t, %s %q: twice is not once", agent, user, p.path, text)
					}
					connected(t, Options{Base: Base{Dir: dir, User: user}, Agents: []Agent{agent}, Remove: true})
					if got := filesBelow(t, dir); !maps.Equal(got, had) {
						t.Errorf("%s, user %t, %s %q: it comes back as %q", agent, user, p.path, text, got)
					}
				}
			}
		}
	}
}

// Two agents whose settings are one file by a link, and a CLAUDE.md that is AGENTS.md.
func TestAgentsThatShareAFileByALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".mcp.json"), "{\"mcpServers\": {\"other\": {\"command\": \"x\"}}}\n")
	put(t, filepath.Join(dir, "AGENTS.md"), "# Mine\n")
	put(t, filepath.Join(dir, ".cursor", "x"), "")
	for link, to := range map[string]string{".cursor/mcp.json": "../.mcp.json", "CLAUDE.md": "AGENTS.md"} {
		if err := os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))); err != nil {
			t.Skip(err)
		}
	}
	had := filesBelow(t, dir)
	o := Options{Base: Base{Dir: dir}, Agents: []Agent{Claude, Cursor}, Server: testEntry.Server, Hook: testEntry.Hook, Block: testEntry.Block, Import: true}
	connected(t, o)
	once := filesBelow(t, dir)
	if strings.Count(once[".mcp.json"], `"packgen"`) != 2 || strings.Count(once["AGENTS.md"], ":begin") != 1 || strings.Contains(once["AGENTS.md"], "@AGENTS.md") {
		t.Errorf("%q", once)
	}
	connected(t, o)
	if !maps.Equal(filesBelow(t, dir), once) {
		t.Error("twice is not once")
	}
	connected(t, Options{Base: Base{Dir: dir}, Agents: []Agent{Claude, Cursor}, Remove: true})
	if got := filesBelow(t, dir); !maps.Equal(got, had) {
		t.Errorf("it comes back as %q", got)
	}
	if info, err := os.Lstat(filepath.Join(dir, ".cursor", "mcp.json")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is no link any more")
	}
}

// A table of Codex that another one would make invalid is somebody else's.
func TestServersOfOthersInTOMLStay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"[mcp_servers.packgen]\ncommand = \"x\"\n", "[ mcp_servers . \"packgen\" ] # mine\n", "[mcp_servers.packgen.env]\nA = \"b\"\n", "mcp_servers = { other = { command = \"x\" } }\n",
		"mcp_servers.packgen.command = \"x\"\n", "[mcp_servers]\npackgen = { command = \"x\" }\n", "[mcp_servers]\npackgen.command = \"x\"\n", "[[mcp_servers.packgen]]\n",
	} {
		if got, err := toml.add([]byte(text), testEntry); err == nil {
			t.Errorf("%q becomes %q", text, got)
		}
	}
	for _, text := range []string{"[mcp_servers.packgener]\n", "[mcp_servers]\nother = { command = \"x\" }\n", "[profiles.packgen]\npackgen = 1\n", "# [mcp_servers.packgen]\n"} {
		if _, err := toml.add([]byte(text), testEntry); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A backup is of the file as it was before the last connecting: one that outlived its
// file would bring an old one back.
func TestNoBackupOutlivesRemoving(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, ".mcp.json")
	o := Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: testEntry.Hook}
	for _, text := range []string{`{"mcpServers":{}}`, `{"mcpServers":{},"a":[]}`, "{}", "", "absent", "{\n}\n"} {
		if text != "absent" {
			put(t, name, text)
		} else if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
		had := filesBelow(t, dir)
		connected(t, o)
		connected(t, Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Remove: true})
		if got := filesBelow(t, dir); !maps.Equal(got, had) {
			t.Errorf("%q comes back as %q", text, got)
		}
	}
}

// What differs from the backup by more than the entry is an edit since, and both stay.
func TestAnEditSinceKeepsTheBackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, ".mcp.json")
	put(t, name, `{"a": 1}`)
	connected(t, Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: testEntry.Hook})
	text := oktest.Value(os.ReadFile(name))(t)
	put(t, name, strings.Replace(string(text), `"a": 1`, `"a": 2`, 1))
	connected(t, Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Remove: true})
	got := filesBelow(t, dir)
	if got[".mcp.json.bak"] != `{"a": 1}` || !strings.Contains(got[".mcp.json"], `"a": 2`) || strings.Contains(got[".mcp.json"], "packgen") {
		t.Errorf("%q", got)
	}
}

// A link that leads to no file is refused before anything is written.
func TestALinkThatLeadsNowhereIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Symlink("nowhere/mcp.json", filepath.Join(dir, ".mcp.json")); err != nil {
		t.Skip(err)
	}
	if _, err := Plan(Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: testEntry.Hook}); !errors.Is(err, errNowhere) {
		t.Errorf("the plan says %v", err)
	}
	if _, err := Plan(Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Remove: true}); err != nil {
		t.Errorf("nothing is to be removed, and the plan says %v", err)
	}
}

// A hook of another system that gave way to ours comes back when ours goes; after an edit
// it is named.
func TestTheReplacedHookComesBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, ".claude", "settings.json")
	const settings = `{"a": 1, "hooks": {"UserPromptSubmit": [{"matcher": "", "hooks": [{"type": "command", "command": "node /opt/ai-loadout/hook.js"}]}]}}`
	put(t, name, settings)
	had := filesBelow(t, dir)
	o := Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: testEntry.Hook, Others: true}
	connected(t, o)
	if text := filesBelow(t, dir)[".claude/settings.json"]; strings.Contains(text, "ai-loadout") || strings.Contains(text, "matcher") {
		t.Errorf("the other hook is still in %s", text)
	}
	remove := Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Remove: true}
	connected(t, remove)
	if got := filesBelow(t, dir); !maps.Equal(got, had) {
		t.Errorf("it comes back as %q", got)
	}
	connected(t, o)
	put(t, name, strings.Replace(filesBelow(t, dir)[".claude/settings.json"], `"a": 1`, `"a": 2`, 1))
	list := oktest.Value(Plan(remove))(t)
	for _, c := range list {
		if c.Path == name && (len(c.Gone) != 1 || c.Gone[0] != "node /opt/ai-loadout/hook.js") {
			t.Errorf("what is gone is %q", c.Gone)
		}
	}
}

// Connecting again keeps the flags of the hook.
func TestConnectingAgainKeepsOptions(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := Options{Base: Base{Dir: dir}, Agents: []Agent{Claude}, Server: testEntry.Server, Hook: "packgen hook --inject=800 --record-misses"}
	connected(t, o)
	once := filesBelow(t, dir)
	o.Hook = "packgen hook"
	connected(t, o)
	if got := filesBelow(t, dir); !maps.Equal(got, once) {
		t.Errorf("it becomes %q", got[".claude/settings.json"])
	}
	name := filepath.Join(dir, ".mcp.json")
	const edited = `{"mcpServers": {"packgen": {"command": "packgen", "args": ["mcp", "--from", "x"], "env": {"A": "b"}}}}`
	put(t, name, edited)
	connected(t, o)
	if got := filesBelow(t, dir)[".mcp.json"]; got != edited {
		t.Errorf("the server becomes %s", got)
	}
	o.Server = []string{"/x/packgen", "mcp"}
	connected(t, o)
	if got := filesBelow(t, dir)[".mcp.json"]; got != strings.Replace(edited, `"command": "packgen"`, `"command": "/x/packgen"`, 1) {
		t.Errorf("the server becomes %s", got)
	}
	o.Hook = "packgen hook --inject=500"
	connected(t, o)
	if got := filesBelow(t, dir)[".claude/settings.json"]; !strings.Contains(got, `"packgen hook --inject=500 --record-misses"`) {
		t.Errorf("it becomes %q", got)
	}
}
