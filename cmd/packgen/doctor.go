package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/memory"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
)

// The outcomes of a check.
const (
	checkPass = "pass"
	checkWarn = "warn"
	checkFail = "fail"
	checkSkip = "skip" // there is nothing to check
)

// doctorFlags are the flags of the doctor verb.
type doctorFlags struct {
	store, index, settings, usage string
	outside                       bool
}

// health is one check of the doctor (loadout section 23).
type health struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// newDoctor is the doctor verb.
func newDoctor(a *app) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the memory store, its published index and the prompt hook",
		Long: `doctor looks at each link of the chain from a MEMORY.md to a prompt: the store, the
published index and its freshness, the layers, the hook in the agent's settings and
how long it takes, the usage log; and whether this program, the matcher that sites
run in the browser, and the site of this repository agree. It writes nothing; each
finding has a remedy.`,
		Example: "  packgen doctor --store ~/.claude/projects/work/memory\n  packgen doctor --json",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.runDoctor(cmd.Context(), f, cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "`DIR` of the MEMORY.md (default the one the index names)")
	flags.BoolVar(&f.outside, "outside", false, "also read files beside the store, as refresh --outside does")
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.settings, "settings", "", "settings `FILE` of the agent (default .claude/settings.json in the home directory)")
	flags.StringVar(&f.usage, "usage", "", "usage log `FILE` (default usage.jsonl beside the index)")
	return cmd
}

// patient is what the checks look at.
type patient struct {
	app                               *app
	storeFile, index, settings, usage string // absolute
	published                         *loadout.Index
	indexErr                          error
	fast                              bool
	matches                           indexfile.Index
	dir                               string // of the index
	cmd                               *cobra.Command
	memory                            memory.Options
}

func (a *app) runDoctor(ctx context.Context, f doctorFlags, cmd *cobra.Command) error {
	p, err := a.admit(f, cmd)
	if err != nil {
		return err
	}
	checks := []health{
		p.storeValidates(ctx), p.indexParses(), p.hookDrift(), p.layersMalformed(), p.coreEntries(), p.observability(), p.hookWired(), p.usageGrowing(),
		p.indexFresh(ctx), p.indexPrebuilt(), p.hookLatency(ctx), p.matcherAgrees(), p.siteAgrees(),
	}
	ok := !slices.ContainsFunc(checks, func(c health) bool { return c.Status == checkFail })
	if a.json {
		status := "passed"
		if !ok {
			status = "failed"
		}
		a.printJSON(struct {
			envelope
			Result struct {
				Checks []health `json:"checks"`
				OK     bool     `json:"ok"`
			} `json:"result"`
		}{envelope{OK: ok, Status: status, Command: "doctor", Findings: []finding{}}, struct {
			Checks []health `json:"checks"`
			OK     bool     `json:"ok"`
		}{checks, ok}})
	} else {
		a.printChecks(checks)
	}
	if !ok {
		return errFindings
	}
	return nil
}

// admit finds the files and reads the index.
func (a *app) admit(f doctorFlags, cmd *cobra.Command) (*patient, error) {
	p := &patient{app: a, cmd: cmd, memory: memory.Options{Outside: f.outside}}
	for _, at := range []struct {
		flag, value string
		into        *string
		home        []string
	}{
		{"index", f.index, &p.index, []string{".ai-loadout", "index.json"}},
		{"settings", f.settings, &p.settings, []string{".claude", "settings.json"}},
	} {
		if err := checkFlagValue(at.flag, at.value); err != nil {
			return nil, err
		}
		*at.into = at.value
		if at.value == "" {
			name, err := homePath(at.flag, at.home...)
			if err != nil {
				return nil, err
			}
			*at.into = name
		}
		*at.into = a.Path(*at.into)
	}
	for _, flag := range [][2]string{{"store", f.store}, {"usage", f.usage}} {
		if err := checkFlagValue(flag[0], flag[1]); err != nil {
			return nil, err
		}
	}
	p.dir = filepath.Dir(p.index)
	p.usage = filepath.Join(p.dir, "usage.jsonl")
	if f.usage != "" {
		p.usage = a.Path(f.usage)
	}
	p.matches, p.fast, p.indexErr = indexfile.Open(p.index)
	if p.indexErr == nil {
		p.published = p.matches.Index()
	}
	switch {
	case f.store != "":
		p.storeFile = filepath.Join(a.Path(f.store), "MEMORY.md")
	case p.published != nil && p.published.Source != "":
		p.storeFile = a.Path(p.published.Source)
	default:
		p.storeFile = a.Path("MEMORY.md")
	}
	return p, nil
}

// printChecks prints the checks for a person.
func (a *app) printChecks(checks []health) {
	p := painterFor(a.stdout)
	count := map[string]int{}
	for _, c := range checks {
		count[c.Status]++
		if (c.Status == checkPass || c.Status == checkSkip) && a.quiet {
			continue
		}
		status := map[string]string{checkPass: p.green("pass"), checkWarn: p.bold("warn"), checkFail: p.red("FAIL"), checkSkip: p.dim("skip")}[c.Status]
		fmt.Fprintf(a.stdout, "%s  %s: %s\n", status, c.ID, diag.Printable(c.Message))
		if c.Hint != "" {
			fmt.Fprintf(a.stdout, "      %s\n", diag.Printable(c.Hint))
		}
	}
	fmt.Fprintf(a.stdout, "\n%s passed, %s, %s", amount.Counted(count[checkPass], "check"), amount.Counted(count[checkWarn], "warning"), amount.Counted(count[checkFail], "failure"))
	if n := count[checkSkip]; n > 0 {
		fmt.Fprintf(a.stdout, ", %d skipped", n)
	}
	fmt.Fprintln(a.stdout)
}

func passed(id, format string, args ...any) health {
	return health{ID: id, Status: checkPass, Message: fmt.Sprintf(format, args...)}
}

func skipped(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkSkip, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func warned(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkWarn, Message: fmt.Sprintf(format, args...), Hint: hint}
}

func failed(id, hint, format string, args ...any) health {
	return health{ID: id, Status: checkFail, Message: fmt.Sprintf(format, args...), Hint: hint}
}
