package doctor

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

const (
	refreshHint = "run packgen memory publish --store DIR with the directory of the MEMORY.md"
	installHint = "run packgen hook install"
	// staleUsage is the age from which a usage log is stale.
	staleUsage = 7 * 24 * time.Hour
	// hookTrials is how often the hook is run to see how long it takes.
	hookTrials = 5
	// slowHook is the time from which the hook is slow. Beyond its time limit it
	// says nothing at all.
	slowHook = 150 * time.Millisecond
	// trialLimit ends a run of the hook that hangs.
	trialLimit = 10 * time.Second
)

func (p *patient) storeValidates(ctx context.Context) Check {
	const id = "store-validates"
	if p.noMemories() {
		return skipped(id, "", "no store of memories is named or published; packs need none")
	}
	if p.agentStores() {
		return p.storesValidate(ctx)
	}
	got, err := memory.Analyze(ctx, p.storeFile, p.asked.Outside)
	if errors.Is(err, fs.ErrNotExist) {
		return failed(id, "name the directory of the MEMORY.md with --store DIR", "no MEMORY.md at %s", p.storeFile)
	}
	if err != nil {
		return failed(id, "make it UTF-8 text of at most 4 MiB", "store MEMORY.md cannot be read: %v", err)
	}
	issues := got.Validate()
	c := passed(id, "store MEMORY.md validates (0 errors, %s)", amount.Counted(len(got.Refs), "ref"))
	return counted(c, "store MEMORY.md", "run packgen memory check "+p.ws.Paths.Rel(p.storeFile)+p.outsideFlag()+" for the list",
		len(issues), func(i int) loadout.Severity { return issues[i].Severity })
}

// counted is the check, unless there are issues of what it is about.
func counted(c Check, what, hint string, n int, severity func(i int) loadout.Severity) Check {
	failures := 0
	for i := range n {
		if severity(i) == loadout.SeverityError {
			failures++
		}
	}
	switch warnings := amount.Counted(n-failures, "warning"); {
	case failures > 0:
		return failed(c.ID, hint, "%s has %s and %s", what, amount.Counted(failures, "error"), warnings)
	case n > 0:
		return warned(c.ID, hint, "%s has %s", what, warnings)
	}
	return c
}

// outsideFlag is the flag that a remedy repeats.
func (p *patient) outsideFlag() string {
	if p.asked.Outside {
		return " --outside"
	}
	return ""
}

func (p *patient) indexParses() Check {
	const id = "index-parse"
	if p.noMemories() {
		return skipped(id, "", "no memories are published")
	}
	if errors.Is(p.indexErr, fs.ErrNotExist) {
		return failed(id, refreshHint, "no global index at %s", p.asked.Index)
	}
	if p.indexErr != nil {
		return failed(id, refreshHint, "global index cannot be used: %v", p.indexErr)
	}
	issues := loadout.Validate(p.published)
	c := passed(id, "global index parses + validates (%s)", amount.Entries(len(p.published.Entries)))
	return counted(c, "global index", "run packgen check --index "+p.ws.Paths.Rel(p.asked.Index)+" for the list",
		len(issues), func(i int) loadout.Severity { return issues[i].Severity })
}

// hookDrift says whether the hook that is wired is this program.
func (p *patient) hookDrift() Check {
	const id = "hook-drift"
	wiring, err := p.wired()
	program := ""
	if f := p.otherHook(); f != nil && (err == nil || errors.Is(err, fs.ErrNotExist)) {
		program = f.Program
	}
	if len(wiring) > 0 {
		program = hook.Program(wiring[0].command)
	} else if program == "" {
		return skipped(id, "", "no hook is installed to compare with")
	}
	name, err := exec.LookPath(program)
	if err != nil {
		return failed(id, installHint, "the hook's program does not exist: %s", program)
	}
	self, err := os.Executable()
	if err != nil {
		return warned(id, installHint, "this program cannot be found: %v", err)
	}
	wired, err := os.Stat(name)
	own, ownErr := os.Stat(self)
	if err := errors.Join(err, ownErr); err != nil {
		return warned(id, installHint, "the hook's program cannot be compared: %v", err)
	}
	beside := filepath.Dir(name) == filepath.Dir(self) && strings.TrimSuffix(filepath.Base(name), ".exe") == hook.ProgramName
	if !os.SameFile(wired, own) && !beside {
		return warned(id, installHint, "the hook runs another program than this: %s", name)
	}
	return passed(id, "the hook runs this program")
}

func (p *patient) layersMalformed() Check {
	const id = "layers-malformed"
	project := p.ws.Paths.ProjectDir()
	found, err := layers.Discover(layers.Options{Dir: p.ws.Paths.Start, ProjectRoot: &project, GlobalDir: &p.dir, Getenv: p.ws.Getenv})
	if err != nil {
		return warned(id, "set HOME", "layers cannot be looked for: %v", err)
	}
	var names, missing, wanted []string
	for _, at := range found.Searched {
		switch {
		case at.Malformed:
			names = append(names, at.Name+" ("+at.Problem+")")
		case !at.Found && repo.LayerNamedBy(p.ws.Getenv, at.Name, nil) != "":
			wanted = append(wanted, at.Name+" ("+repo.LayerNamedBy(p.ws.Getenv, at.Name, nil)+")")
		case !at.Found:
			missing = append(missing, at.Name)
		}
	}
	if len(names) > 0 {
		return failed(id, "run packgen layers for the places; fix the files or write them again", "malformed layers: %s", strings.Join(names, ", "))
	}
	if len(wanted) > 0 {
		return warned(id, "correct the variable, or unset it", "named layers that do not exist: %s", strings.Join(wanted, ", "))
	}
	if len(missing) > 0 {
		return passed(id, "no malformed layer; optional and absent: %s", strings.Join(missing, ", "))
	}
	return passed(id, "no malformed layer")
}

// noIndex is the outcome of a check that reads the published index, without one.
func (p *patient) noIndex(id string) Check {
	if p.noMemories() {
		return skipped(id, "", "no memories are published")
	}
	return warned(id, refreshHint, "no readable index")
}

func (p *patient) coreEntries() Check {
	const id = "core-entries"
	if p.published == nil {
		return p.noIndex(id)
	}
	n := 0
	for i := range p.published.Entries {
		if p.published.Entries[i].Priority == loadout.PriorityCore {
			n++
		}
	}
	switch {
	case n == 0:
		return warned(id, "set priority: core in the front matter of what every prompt needs; few files do", "no core entry")
	case n >= hook.MaxPointers:
		return warned(id, "wire the hook with --reserve 2, or make some of them domain entries", "%d core entries hide all others from the hook", n)
	case n == 1:
		return passed(id, "1 core entry present")
	}
	return passed(id, "%d core entries present", n)
}

// observability asks whether loads are observed: in the index, or in the log,
// from which report computes them.
func (p *patient) observability() Check {
	const id = "observability-loop"
	if p.published == nil {
		return p.noIndex(id)
	}
	events, _, err := layers.Log{Path: p.usage}.Read()
	if err == nil {
		if b, err := loadout.AnalyzeBudget(p.published, loadout.Summarize(events), false); err == nil && b.ObservedAvg != nil {
			return passed(id, "observed load: %s tokens on average", indexjson.Rounded(*b.ObservedAvg))
		}
	}
	return warned(id, "wait until the hook has pointed to something, then run packgen usage report", "no load was observed yet")
}

func (p *patient) usageGrowing() Check {
	const id = "usage-growing"
	const hint = "look at hook-wired: the log grows when the hook points to something"
	info, err := os.Stat(p.usage)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !p.isWired():
		return skipped(id, "", "no hook is installed that would write a usage log")
	case errors.Is(err, fs.ErrNotExist):
		return skipped(id, "", "no usage log at %s yet: the hook writes it with the first prompt that it answers", p.usage)
	case err != nil:
		return warned(id, hint, "the usage log cannot be read: %v", err)
	case !info.Mode().IsRegular():
		return warned(id, "move it away: the hook writes a file of its own there", "the usage log is not a regular file: %s", p.usage)
	case info.Size() == 0:
		return warned(id, hint, "the usage log is empty")
	}
	age := time.Since(info.ModTime())
	if age > staleUsage {
		return warned(id, hint, "the usage log is stale (last write %s ago)", amount.Counted(int(age.Hours()/24), "day"))
	}
	return passed(id, "the usage log grows")
}

// indexFresh says whether the published index is what a refresh would publish.
func (p *patient) indexFresh(ctx context.Context) Check {
	const id = "index-fresh"
	if p.published == nil {
		return p.noIndex(id)
	}
	hint := "run packgen memory publish --store " + p.ws.Paths.Rel(filepath.Dir(p.storeFile)) + p.outsideFlag()
	refresh := memory.Refresh
	if p.agentStores() {
		refresh, hint = memory.RefreshAgents, "run packgen memory publish where no MEMORY.md is"
	}
	r, err := refresh(ctx, memory.RefreshOptions{Store: filepath.Dir(p.storeFile), Dest: p.asked.Index, Agents: p.claudeDir(), DryRun: true, Outside: p.asked.Outside})
	if err != nil {
		return warned(id, refreshHint, "the store cannot be read: %v", err)
	}
	if r == nil {
		return failed(id, refreshHint, "the stores of the published index are gone: %s", p.storeFile)
	}
	if !slices.EqualFunc(r.Published.Entries, p.published.Entries, func(x, y loadout.Entry) bool { return x.JSON() == y.JSON() }) {
		return failed(id, hint, "the published index is not what the store says now")
	}
	return passed(id, "the published index is what the store says")
}

// indexIsPrepared says whether index.bin belongs to index.json, and whether both
// answer alike.
func (p *patient) indexIsPrepared() Check {
	const id = "index-prebuilt"
	switch {
	case p.published == nil:
		return p.noIndex(id)
	case !p.fast:
		return warned(id, refreshHint, "index.bin is absent or does not belong to index.json; the hook parses JSON on every prompt")
	}
	text, err := repo.ReadIndex(p.ws.Paths, p.asked.Index)
	if err != nil {
		return warned(id, refreshHint, "index.json cannot be read: %v", err)
	}
	if task, found := differs(p.matches.Match, text, loadout.Recall); found {
		return failed(id, refreshHint, "index.bin and index.json answer differently to %q", task)
	}
	return passed(id, "index.bin belongs to index.json and answers as it does")
}

// hookLatency runs the hook as a process in the repository, in a home directory of its own.
func (p *patient) hookLatency(ctx context.Context) Check {
	const id = "hook-latency"
	self, err := os.Executable()
	if err != nil {
		return warned(id, "run packgen by its full path", "this program cannot be found: %v", err)
	}
	dir, err := scratch.NewDir("doctor")
	if err != nil {
		return warned(id, "make room in the directory for temporary files, or name another one with TMPDIR", "the hook cannot be tried: %v", err)
	}
	defer dir.Remove()
	home := dir.Path
	if err := copyIndex(p.asked.Index, hook.IndexPath(home)); err != nil {
		return warned(id, refreshHint, "the hook cannot be tried: %v", err)
	}
	var times []time.Duration
	for range hookTrials {
		ctx, cancel := context.WithTimeout(ctx, trialLimit)
		program, args := hookProgram(self)
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = append(os.Environ(), "HOME="+home, "USERPROFILE="+home, hook.Variable+"=")
		cmd.Stdin, cmd.Stdout = strings.NewReader(hookEvent(p.ws.Paths.Dir, "fix the ci workflow and publish a release")), io.Discard
		began := time.Now()
		err := cmd.Run()
		times = append(times, time.Since(began))
		cancel()
		if err != nil {
			return failed(id, "run packgen hook test", "the hook fails: %v", err)
		}
	}
	slices.Sort(times)
	median := times[len(times)/2].Round(time.Millisecond / 10)
	switch {
	case median >= hook.DefaultTimeLimit:
		return failed(id, "check whether the machine is busy; the hook prints nothing beyond its limit", "the hook takes %s", median)
	case median >= slowHook:
		return warned(id, "check whether the machine is busy or the index is very large", "the hook takes %s", median)
	}
	return passed(id, "the hook takes %s", median)
}
