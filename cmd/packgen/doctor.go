package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/doctor"
	"github.com/packgen/packgen/resolver/repo"
)

type doctorFlags struct {
	store, index, settings, usage string
	outside                       bool
}

func newDoctor(a *app) *cobra.Command {
	var f doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check each link from the packs and memories to an agent",
		Long: `doctor looks at each link of the chain to a prompt: the packs of the repository and
their index, the agents that are connected, the MCP server; the store, the published
index and its freshness, the layers, the hook in the agent's settings and
how long it takes, the usage log; and whether this program, the matcher that sites
run in the browser, and the site of this repository agree. It writes nothing; each
finding has a remedy.`,
		Example: "  packgen doctor --store ~/.claude/projects/work/memory\n  packgen doctor --json",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.runDoctor(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.store, "store", "", "`DIR` of the MEMORY.md (default the one the index names)")
	flags.BoolVar(&f.outside, "outside", false, "also read files beside the store, as memory publish --outside does")
	flags.StringVar(&f.index, "index", "", "index `FILE` (default .ai-loadout/index.json in the home directory)")
	flags.StringVar(&f.settings, "settings", "", settingsUsage)
	flags.StringVar(&f.usage, "usage", "", "usage log `FILE` (default usage.jsonl beside the index)")
	return cmd
}

func (a *app) runDoctor(ctx context.Context, f doctorFlags) error {
	o, err := a.doctorOptions(f)
	if err != nil {
		return err
	}
	checks := doctor.Examine(ctx, &a.Repo, o)
	ok := !slices.ContainsFunc(checks, func(c doctor.Check) bool { return c.Status == doctor.Fail })
	if a.json {
		status := schema.Passed
		if !ok {
			status = schema.Failed
		}
		type result struct {
			Checks []doctor.Check `json:"checks"`
			OK     bool           `json:"ok"`
		}
		a.printJSON(struct {
			envelope
			Result result `json:"result"`
		}{envelope{OK: ok, Status: status, Command: "doctor", Findings: []finding{}}, result{checks, ok}})
	} else {
		a.printChecks(checks)
	}
	if !ok {
		return errFindings
	}
	return nil
}

// doctorOptions finds the files that the flags name.
func (a *app) doctorOptions(f doctorFlags) (doctor.Options, error) {
	o := doctor.Options{Outside: f.outside, Named: f.store+f.index != "", Matcher: func() (doctor.Matcher, error) {
		packed, module, err := assets.Matcher()
		return doctor.Matcher{Path: packed.Path, Size: int64(len(module))}, err
	}, Locked: func(ctx context.Context) (served, unpulled []string, err error) {
		locked, err := repo.ReadLocked(ctx, &a.Repo)
		if locked == nil {
			return nil, nil, err
		}
		return locked.Served(), locked.Unpulled, nil
	}}
	if f.store != "" {
		o.Store = a.Paths.Abs(f.store)
	}
	if f.usage != "" {
		o.Usage = a.Paths.Abs(f.usage)
	}
	var err error
	if o.Index, err = a.homeFile("index", f.index, globalIndex); err != nil {
		return o, err
	}
	o.Settings, err = a.settingsFile(f.settings)
	return o, err
}

func (a *app) printChecks(checks []doctor.Check) {
	p := a.painterFor(a.stdout)
	count := map[string]int{}
	for _, c := range checks {
		count[c.Status]++
		if (c.Status == doctor.Pass || c.Status == doctor.Skip) && a.quiet {
			continue
		}
		status := map[string]string{doctor.Pass: p.Green("pass"), doctor.Warn: p.Bold("warn"), doctor.Fail: p.Red("FAIL"), doctor.Skip: p.Dim("skip")}[c.Status]
		fmt.Fprintf(a.stdout, "%s  %s: %s\n", status, c.ID, diag.Printable(c.Message))
		if c.Hint != "" {
			fmt.Fprintf(a.stdout, "      %s\n", diag.Printable(diag.Advice(c.Hint)))
		}
	}
	fmt.Fprintf(a.stdout, "\n%s passed, %s, %s", amount.Counted(count[doctor.Pass], "check"), amount.Counted(count[doctor.Warn], "warning"), amount.Counted(count[doctor.Fail], "failure"))
	if n := count[doctor.Skip]; n > 0 {
		fmt.Fprintf(a.stdout, ", %d skipped", n)
	}
	fmt.Fprintln(a.stdout)
}
