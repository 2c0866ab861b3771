package doctor

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/connect"
	"github.com/packgen/packgen/resolver/agent/hook"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// wired is a hook of ours in a settings file.
type wired struct{ command, settings string }

// settingsFiles are the files that an agent reads hooks from: those of the user and of
// the project, of which it runs all.
func (p *patient) settingsFiles() []string {
	list := []string{p.asked.Settings}
	for _, name := range [...]string{".claude/settings.json", ".claude/settings.local.json"} {
		if project := p.ws.Paths.Abs(name); project != p.asked.Settings {
			list = append(list, project)
		}
	}
	return list
}

// wired lists the hooks of ours. The error of the user's settings counts, unless those of
// the project have one.
func (p *patient) wired() (list []wired, err error) {
	for i, name := range p.settingsFiles() {
		text, fault := atomicfile.Read(name, hook.MaxSettings)
		var commands []string
		if fault == nil {
			commands, fault = hook.Claude.Commands(text)
		}
		if fault != nil && (i == 0 || !errors.Is(fault, fs.ErrNotExist)) {
			err = fault
		}
		for _, c := range commands {
			list = append(list, wired{c, name})
		}
	}
	if len(list) > 0 && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return list, err
}

// otherHook is the hook of another agent than Claude, in the project or of the user, one that
// the agent runs before one that it does not run; nil when none has one.
func (p *patient) otherHook() (found *connect.File) {
	for _, at := range p.agentFiles() {
		for _, f := range at.Connected() {
			if f.Hook && f.Agent != connect.Claude && (found == nil || found.Blocked != 0 && f.Blocked == 0) {
				found = &f
			}
		}
	}
	return found
}

// isWired reports whether the hook of some agent is installed.
func (p *patient) isWired() bool {
	list, _ := p.wired()
	return len(list) > 0 || p.otherHook() != nil
}

// installHint is how the hook is installed here: for the project's packs with what else an
// agent needs, otherwise for the user.
func (p *patient) installHint() string {
	if p.packs > 0 {
		return "run packgen connect claude, or packgen hook install for the hook alone"
	}
	return installHint
}

func (p *patient) hookWired() Check {
	const id = "hook-wired"
	list, err := p.wired()
	for i, name := range p.settingsFiles() {
		if others := othersIn(name); len(others) > 0 {
			user := " --user"
			if i > 0 {
				user = ""
			}
			return warned(id, "run packgen connect claude"+user+" --replace-hooks, which takes it out and wires packgen's", "the hook of another system runs: %s", others[0])
		}
	}
	if len(list) == 0 && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		if f := p.otherHook(); f != nil && f.Blocked != 0 {
			return warned(id, f.Blocked.Remedy(), "the hook is wired for %s and does not run: %s", f.Agent, f.Blocked.Why())
		} else if f != nil {
			return passed(id, "the hook is wired for %s: %s", f.Agent, f.Program)
		}
	}
	if name := p.disabled(); name != "" && len(list) > 0 {
		return failed(id, "take disableAllHooks out of "+p.ws.Paths.Rel(name), "no hook runs: %s has disableAllHooks", p.ws.Paths.Rel(name))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return warned(id, p.installHint(), "no settings at %s", p.asked.Settings)
	case err != nil:
		return warned(id, "correct the file: JSON has no comments", "settings cannot be read: %v", err)
	case len(list) == 0:
		return failed(id, p.installHint(), "the hook is not in the settings: %s", p.asked.Settings)
	case len(list) > 1 && list[0].settings != list[1].settings:
		return warned(id, "run packgen hook uninstall, which takes it out for the user, or packgen connect claude --remove", "the hook is wired in %s and in %s, and both answer each prompt", p.ws.Paths.Rel(list[0].settings), p.ws.Paths.Rel(list[1].settings))
	case len(list) > 1:
		return warned(id, "run packgen hook uninstall, then packgen hook install", "the hook is wired %d times", len(list))
	}
	if program := hook.Program(list[0].command); isMissing(program) {
		return failed(id, "put packgen into a directory of PATH, or install the hook again", "the hook that %s names cannot run: there is no program %s", p.ws.Paths.Rel(list[0].settings), program)
	}
	return passed(id, "the hook is wired: %s", list[0].command)
}

// disabled is the settings file that turns all hooks off; "" when none does.
func (p *patient) disabled() string {
	for _, name := range p.settingsFiles() {
		if text, err := atomicfile.Read(name, hook.MaxSettings); err == nil && hook.Claude.Disabled(text) {
			return name
		}
	}
	return ""
}

// othersIn lists the hooks of the systems that packgen replaces.
func othersIn(settings string) []string {
	text, _ := atomicfile.Read(settings, hook.MaxSettings) // what cannot be read has none
	list, _ := hook.Others(text)
	return list
}

// noMemories reports that nobody asks for memories here: no store is named or published.
func (p *patient) noMemories() bool {
	_, err := os.Stat(p.storeFile)
	return !p.asked.Named && errors.Is(p.indexErr, fs.ErrNotExist) && errors.Is(err, fs.ErrNotExist)
}

// hookProgram is the program that runs on a prompt: the small one when it lies beside this
// one.
func hookProgram(self string) (program string, args []string) {
	beside := filepath.Join(filepath.Dir(self), hook.ProgramName+filepath.Ext(self))
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	return self, []string{"hook"}
}

// repository says which packs are served from where, and whether they can be read.
func (p *patient) repository(ctx context.Context) Check {
	const id = "repository"
	if p.unread != nil {
		return warned(id, "run packgen check for the places", "the configuration cannot be used: %v", p.unread)
	}
	own, broken := 0, false
	if r, err := p.ws.Open(); err == nil {
		own, broken = len(r.Members), r.Broken()
		for _, m := range r.Members {
			p.dirs = append(p.dirs, m.Dir)
		}
		r.Close()
	}
	served, unpulled, err := p.asked.Locked(ctx)
	if err != nil {
		return failed(id, "correct the file, or restore it from version control, then run packgen pull", "%s cannot be used: %v", schema.LockName, err)
	}
	if more := len(served) - maxServed; more > 0 {
		served = append(served[:maxServed], fmt.Sprintf("and %d more", more))
	}
	p.packs = own + len(served)
	_, err = os.Stat(p.ws.Paths.Abs(p.ws.Config.Out + "/index.json"))
	unbuilt := own > 0 && errors.Is(err, fs.ErrNotExist)
	var parts []string
	switch {
	case unbuilt:
		parts = append(parts, fmt.Sprintf("%s, and no index at %s: the hook and match_knowledge see none of them", amount.Counted(own, "pack"), p.ws.Config.Out))
	case own > 0:
		parts = append(parts, fmt.Sprintf("%s, with an index at %s", amount.Counted(own, "pack"), p.ws.Config.Out))
	}
	if len(served) > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s, from the cache: %s", amount.Counted(len(served), "pack"), schema.LockName, strings.Join(served, "; ")))
	}
	said := strings.Join(parts, "; ")
	switch {
	case broken:
		return failed(id, "run packgen check for the list", "a pack of the repository cannot be read")
	case len(unpulled) > 0:
		return failed(id, "run packgen pull", "%s", strings.Join(append(parts, unpulled...), "; "))
	case unbuilt:
		return warned(id, "run packgen build", "%s", said)
	case said == "":
		return skipped(id, "run packgen pull REF to use a pack from elsewhere, or packgen init to write one", "there are no packs here")
	}
	return passed(id, "%s", said)
}

// maxServed is how many locked packs are named.
const maxServed = 5

// agentFiles says where the files of agents are: in the project, and of the user.
func (p *patient) agentFiles() []connect.Base {
	home, _ := os.UserHomeDir()
	list := []connect.Base{{Dir: p.ws.Paths.Dir, Home: home, Getenv: p.ws.Getenv}}
	if home != "" {
		list = append(list, connect.Base{Dir: home, User: true, Home: home, Getenv: p.ws.Getenv})
	}
	return list
}

// lineEnds warns where git may change the line ends of packs.
func (p *patient) lineEnds() []Check {
	dir := repo.UnsafeLineEnds(p.ws.Paths, p.dirs)
	if dir == "" {
		return nil
	}
	return []Check{warned("line-ends", "write "+repo.LineEndsRule(dir)+" into .gitattributes", "nothing keeps git from changing the line ends of %s, as it does on Windows", dir)}
}

// connected says which agents can ask the packs.
func (p *patient) connected() []Check {
	const id = "agents"
	var list []Check
	for _, at := range p.agentFiles() {
		has := map[connect.Agent]bool{}
		flag := ""
		if at.User {
			flag = " --user"
		}
		for _, f := range at.Connected() {
			has[f.Agent] = true
			what := "the MCP server"
			if f.Hook {
				what = "the hook"
			}
			// A hook that is wired twice in one file is a finding of its own.
			c := passed(id, "%s has %s in %s", f.Agent, what, p.ws.Paths.Rel(f.Path))
			if f.Blocked != 0 {
				c = warned(id, f.Blocked.Remedy(), "%s does not run the hook in %s: %s", f.Agent, p.ws.Paths.Rel(f.Path), f.Blocked.Why())
			}
			if isMissing(f.Program) {
				c = failed(id, "put packgen into a directory of PATH, or run packgen connect "+string(f.Agent)+flag+" --command PROGRAM", "%s cannot start %s that %s names: there is no program %s", f.Agent, what, p.ws.Paths.Rel(f.Path), f.Program)
			}
			if !slices.ContainsFunc(list, func(known Check) bool { return known.Message == c.Message }) { // a home may be the project
				list = append(list, c)
			}
		}
		for _, agent := range at.Find() {
			if !has[agent] && !at.User {
				list = append(list, warned(id, "run packgen connect "+string(agent), "%s is used here and is not connected", agent))
			}
		}
	}
	if list == nil {
		return []Check{skipped(id, "run packgen connect AGENT", "no file here shows that an agent is used")}
	}
	return list
}

// isMissing reports a program that cannot be found; "" is none.
func isMissing(program string) bool {
	if program == "" {
		return false
	}
	_, err := exec.LookPath(program)
	return err != nil
}

// maxGreeting is the longest answer to a handshake that is read, in bytes.
const maxGreeting = 1 << 20

// greeting begins a session of the protocol.
const greeting = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"packgen doctor","version":"1"}}}` + "\n"

// handshake starts the MCP server as an agent does.
func (p *patient) handshake(ctx context.Context) Check {
	const id = "mcp-handshake"
	const hint = "run packgen mcp and look at what it says on standard error"
	self, err := os.Executable()
	if err != nil {
		return warned(id, "run packgen by its full path", "this program cannot be found: %v", err)
	}
	ctx, cancel := context.WithTimeout(ctx, trialLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, "mcp")
	cmd.Dir = p.ws.Paths.Dir
	in, err := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err = cmp.Or(err, outErr); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return warned(id, hint, "the server cannot be started: %v", err)
	}
	began := time.Now()
	_, _ = io.WriteString(in, greeting)
	line, _ := bufio.NewReader(io.LimitReader(out, maxGreeting)).ReadString('\n')
	took := time.Since(began).Round(time.Millisecond)
	_ = in.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(out, maxGreeting))
	_ = cmd.Wait()
	v, err := indexjson.Parse([]byte(strings.TrimSpace(line)))
	if err != nil {
		return failed(id, hint, "the MCP server does not answer")
	}
	if name, _ := v.Get("result").Get("serverInfo").Get("name").Str(); name != "packgen" {
		return failed(id, hint, "the MCP server answers something else")
	}
	return passed(id, "the MCP server answers in %s", took)
}
