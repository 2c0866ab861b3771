package doctor

import (
	"context"
	"os"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
)

// agentStores reports whether the published index is of all stores that agents keep: it
// names the directory that they are in.
func (p *patient) agentStores() bool {
	info, err := os.Stat(p.storeFile)
	return err == nil && info.IsDir()
}

// claudeDir is the directory in which Claude Code keeps what is of a user.
func (p *patient) claudeDir() string {
	home, _ := os.UserHomeDir()
	return hook.ClaudeDir(home, p.ws.Getenv)
}

// storesValidate says whether those stores can be read.
func (p *patient) storesValidate(ctx context.Context) Check {
	const id = "store-validates"
	r, err := memory.RefreshAgents(ctx, memory.RefreshOptions{Dest: p.asked.Index, Agents: p.claudeDir(), DryRun: true, Outside: p.asked.Outside})
	switch {
	case err != nil:
		return failed(id, "make them UTF-8 text of at most 4 MiB", "the stores of agents cannot be read: %v", err)
	case r == nil:
		return failed(id, refreshHint, "the stores of the published index are gone: %s", p.storeFile)
	case r.Errors() > 0:
		return failed(id, "run packgen memory publish --dry-run for the list", "the stores of agents have %s", amount.Counted(r.Errors(), "error"))
	case r.Warnings() > 0:
		return warned(id, "run packgen memory publish --dry-run for the list", "the stores of agents have %s", amount.Counted(r.Warnings(), "warning"))
	}
	return passed(id, "the stores of agents validate (%s)", amount.Entries(r.EntryCount))
}
