package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/usage"
	"github.com/packgen/packgen/resolver/loadout"
)

// newUsageRecord notes a load that no hook saw.
func newUsageRecord(a *app) *cobra.Command {
	var f struct {
		usage.Load
		log string
	}
	cmd := &cobra.Command{
		Use:   "record ID",
		Short: "Note that an entry was loaded",
		Long: `record appends one event to the usage log, for agents and scripts that load entries
by other ways than the hook. Any number of programs may write at once.`,
		Example: "  packgen usage record gh-ci --trigger by-hand --tokens 330",
		Args:    needsArguments(1, "the id of one entry", "run packgen layers for a list"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkFlagValue("trigger", "TEXT", f.Trigger); err != nil {
				return err
			}
			if err := oneOf("--mode", f.Mode, string(loadout.Eager), string(loadout.Lazy), string(loadout.ByManual)); err != nil {
				return err
			}
			name, err := a.homeFile("usage", f.log, usageLog)
			if err != nil {
				return err
			}
			f.ID = args[0]
			if err := usage.RecordNow(cmd.Context(), name, f.Load); err != nil {
				return diag.WithHint(err, "make it writable, or name another log with --usage")
			}
			if a.json {
				a.printJSON(envelopeOf("usage record", nil))
			} else if !a.quiet {
				fmt.Fprintf(a.stdout, "%s: noted in %s\n", diag.Printable(f.ID), diag.Printable(a.Paths.Rel(name)))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Trigger, "trigger", "by-hand", "`TEXT` that says why it was loaded")
	flags.StringVar(&f.Mode, "mode", string(loadout.Lazy), "the `MODE` of the load: eager, lazy or manual")
	flags.StringVar(&f.Task, "task-hash", "", "`HASH` of the task or session (default unknown)")
	flags.IntVar(&f.Tokens, "tokens", 0, "`N` tokens that were loaded")
	flags.StringVar(&f.log, "usage", "", "usage log `FILE` (default usage.jsonl beside the global index)")
	alsoNamed(cmd, map[string]string{"task": "task-hash"})
	return cmd
}
