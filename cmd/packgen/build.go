package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/store/remote/client"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/site/build"
)

func newBuild(a *app) *cobra.Command {
	f := build.Options{Remote: remoteExecution}
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Compile every pack, write the index and the site",
		Long: `build compiles every pack of the repository, builds the loadout index over all
of them and writes the site. A pack with errors does not hold up the others: it
keeps the pages of its last good build, with a notice on each, or is left out when
it has none. A file that cannot be used, or holds a secret, is left out of its
pack. The exit code is 1 then. With --strict any error leaves the site as it was.

With --remote-cache the outputs of packs are shared with other machines by a service
of the Remote Execution API; with --remote-executor such a service compiles them.

SOURCE_DATE_EPOCH fixes the time of the run.`,
		Example: "  packgen build\n  packgen build --out /tmp/site\n  packgen -C ../handbook build --dry-run",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Action != "" {
				return build.Perform(cmd.Context(), &a.Repo, f)
			}
			return a.runBuild(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Out, "out", "", "write the site into `DIR` (default public)")
	flags.StringVar(&f.Overlay, "overlay", "", "write the packs' compiled outputs below `DIR` instead of into the packs")
	flags.BoolVar(&f.DryRun, "dry-run", false, "list what would be written and write nothing")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.Force, "force", false, "overwrite compiled files that were edited by hand")
	flags.BoolVar(&f.Strict, "strict", false, "leave the site as it was when a pack has errors")
	flags.StringVar(&f.RemoteCache, "remote-cache", "", "share the outputs of packs with other machines at `ADDRESS`, such as grpcs://cache.example")
	flags.StringVar(&f.RemoteExecutor, "remote-executor", "", "have packs compiled by the service at `ADDRESS`")
	flags.BoolVar(&f.NoUpload, "no-remote-upload", false, "read the remote cache and give it nothing")
	flags.StringVar(&f.Action, "action", "", "compile the pack in `DIR` for another machine, into the file --out")
	_ = flags.MarkHidden("action") // the command of a remote action
	flags.BoolVar(&f.NoCache, "no-cache", false, "build everything again, without what earlier builds stored")
	return cmd
}

// remoteExecution is the Remote Execution API over gRPC.
var remoteExecution = build.Protocol{
	Dial: func(ctx context.Context, o remote.Options) (build.Service, error) {
		c, err := client.Dial(ctx, o)
		if err != nil {
			return nil, err
		}
		return c, nil
	},
	NewAction: client.NewAction,
	Reason:    client.Reason,
}

func (a *app) runBuild(ctx context.Context, f build.Options) error {
	if err := a.Load(); err != nil {
		return err
	}
	b, err := build.Prepare(ctx, &a.Repo, f)
	if err != nil {
		return err
	}
	defer b.Close()
	gctuning.LimitMemory(b.Repository.BuildFiles())
	if err := b.Do(ctx); err != nil {
		return build.ExplainTarget(repo.ExplainWrite(err))
	}
	if note := b.RemoteNote(); note != "" {
		fmt.Fprintf(a.stderr, "note: %s\n", diag.Printable(note))
	}
	if err := b.RememberSections(ctx); err != nil {
		return err
	}
	return buildPrinter{b, a}.report()
}
