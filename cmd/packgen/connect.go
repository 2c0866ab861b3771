package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/agent/connect"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/repo"
)

type connectFlags struct {
	project, user, dryRun, remove, others, claudeMD bool
	command                                         string
	connect.HookFlags
}

func newConnect(a *app) *cobra.Command {
	var f connectFlags
	cmd := &cobra.Command{
		Use:   "connect [AGENT...]",
		Short: "Write what agents need to ask the packs",
		Long: `connect writes what an agent needs: the entry of the MCP server, the prompt hook
where the agent has one, and a block in AGENTS.md. An AGENT is claude, cursor,
codex, copilot, gemini or all; without one, the agents that the project has.

It shows each change. Everything else in the files stays as it is, to the byte, and
a file as it was is kept as FILE.bak. Done twice, the second changes nothing.
--remove takes out what connect wrote, and files that held nothing else.`,
		Example:   "  packgen connect --dry-run\n  packgen connect claude cursor\n  packgen connect claude --user\n  packgen connect all --remove",
		ValidArgs: connect.Names(),
		RunE:      func(cmd *cobra.Command, args []string) error { return a.runConnect(cmd.Context(), f, args) },
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.project, "project", false, "connect the agents of this repository (the default)")
	flags.BoolVar(&f.user, "user", false, "connect the agents of the user, in the home directory")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the changes and write nothing")
	flags.BoolVar(&f.remove, "remove", false, "take out what connect wrote")
	flags.BoolVar(&f.others, "replace-hooks", false, "take out the hooks of ai-loadout and loadout-os")
	flags.BoolVar(&f.claudeMD, "claude-md", false, "write the block in AGENTS.md for Claude too, and import it in CLAUDE.md")
	flags.StringVar(&f.command, "command", "", "the `PROGRAM` that agents start (default packgen; with --user this program, with its path)")
	flags.StringVar(&f.Inject, "inject", "", "have the hook put the text itself in place of pointers, in at most `TOKENS`")
	flags.Lookup("inject").NoOptDefVal = fmt.Sprint(hook.DefaultInject)
	cmd.MarkFlagsMutuallyExclusive("project", "user")
	return cmd
}

func (a *app) runConnect(ctx context.Context, f connectFlags, args []string) error {
	o := connect.Options{Remove: f.remove, Others: f.others, Import: f.claudeMD}
	for _, name := range args {
		if err := oneOf("AGENT", name, connect.Names()...); err != nil {
			return err
		}
	}
	o.Agents = connect.Named(args)
	var err error
	if o.Base, err = a.agentFiles(f.user); err != nil {
		return err
	}
	if !f.remove {
		if o.Server, o.Hook, err = connect.Programs(f.command, f.user, f.HookFlags); err != nil {
			return err
		}
		if !f.user {
			if err := a.Load(); err != nil {
				return err
			}
			l := repo.NewLibrary(&a.Repo)
			defer l.Close()
			o.Block = connect.Describe(repo.Catalog(ctx, l))
		}
	}
	list, err := connect.Plan(o)
	if err != nil {
		return err
	}
	if err := a.applyChanges(list, f.dryRun); err != nil {
		return err
	}
	a.printConnected(f, list)
	return nil
}

// agentFiles says where the files of agents are: in the project, or in the home directory.
func (a *app) agentFiles(user bool) (connect.Base, error) {
	home, err := os.UserHomeDir()
	b := connect.Base{Dir: a.Paths.Dir, User: user, Home: home, Getenv: a.Getenv}
	if !user {
		return b, nil
	}
	if err != nil {
		return b, diag.WithHint(fmt.Errorf("find the home directory: %w", err), "set HOME")
	}
	b.Dir = home
	return b, nil
}

// printConnected says what was done.
func (a *app) printConnected(f connectFlags, list []*connect.Change) {
	files := connect.Report(list, f.dryRun, a.Paths.Rel)
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun bool                 `json:"dry_run"`
			Files  []connect.FileReport `json:"files"`
		}{envelopeOf("connect", nil), f.dryRun, files})
		return
	}
	a.printStates(files)
}
