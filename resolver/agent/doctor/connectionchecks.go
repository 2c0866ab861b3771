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
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/connect"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

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
