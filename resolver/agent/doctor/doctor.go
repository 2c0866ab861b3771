package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

// The outcomes of a check.
const (
	Pass = "pass"
	Warn = "warn"
	Fail = "fail"
	Skip = "skip" // there is nothing to check
)

// Check is one check of the doctor (loadout section 23).
type Check struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// patient is what the checks look at.
type patient struct {
	ws               *repo.Repo
	asked            Options
	storeFile, usage string // absolute
	published        *loadout.Index
	indexErr         error
	fast             bool
	packs            int      // of the repository
	dirs             []string // theirs
	matches          *loadout.Matcher
	dir              string // of the index
	unread           error  // why the configuration cannot be used
}

// Options say what is examined; paths are absolute.
type Options struct {
	Index    string // the published index
	Settings string // of the agent
	Store    string // directory of the MEMORY.md; "" is the one that the index names
	Usage    string // the usage log; "" is the one beside the index
	Outside  bool   // files beside the store are read too
	Named    bool   // the index or the store was asked for, and has to be there

	Matcher func() (Matcher, error) // the matcher that sites publish
	// Locked says of each pack of the lock that the cache holds where it is from, and of each
	// other one that it is missing.
	Locked func(context.Context) (served, unpulled []string, err error)
}

// Matcher is the matcher that sites publish.
type Matcher struct {
	Path string // on a site
	Size int64  // unpacked, in bytes
}

// Examine looks at each link of the chain from packs and a MEMORY.md to a prompt.
func Examine(ctx context.Context, w *repo.Repo, o Options) []Check {
	p := admit(w, o)
	list := append([]Check{p.repository(ctx)}, p.lineEnds()...) // the first counts the packs
	list = append(list, p.connected()...)
	return append(list, p.handshake(ctx),
		p.storeValidates(ctx), p.indexParses(), p.hookDrift(), p.layersMalformed(), p.coreEntries(), p.observability(), p.hookWired(), p.usageGrowing(),
		p.indexFresh(ctx), p.indexIsPrepared(), p.hookLatency(ctx), p.matcherAgrees(), p.siteAgrees(),
	)
}

// admit reads the index and finds the store.
func admit(w *repo.Repo, o Options) *patient {
	p := &patient{ws: w, asked: o, usage: o.Usage, dir: filepath.Dir(o.Index), unread: w.Load()}
	if p.usage == "" {
		p.usage = filepath.Join(p.dir, layers.LogName)
	}
	p.matches, p.fast, p.indexErr = indexfile.Open(p.asked.Index)
	if p.indexErr == nil {
		p.published = p.matches.Index()
	}
	switch {
	case o.Store != "":
		p.storeFile = memory.FileOf(o.Store)
	case p.published != nil && p.published.Source != "":
		p.storeFile = w.Paths.Abs(p.published.Source)
	default:
		p.storeFile = w.Paths.Abs(memory.FileName)
	}
	return p
}

func passed(id, format string, args ...any) Check {
	return Check{ID: id, Status: Pass, Message: fmt.Sprintf(format, args...)}
}

func skipped(id, hint, format string, args ...any) Check {
	return Check{ID: id, Status: Skip, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func warned(id, hint, format string, args ...any) Check {
	return Check{ID: id, Status: Warn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func failed(id, hint, format string, args ...any) Check {
	return Check{ID: id, Status: Fail, Message: fmt.Sprintf(format, args...), Hint: hint}
}

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
