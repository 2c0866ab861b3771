package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/resolver/workspace"
	"github.com/packgen/packgen/site/build"
)

func newBuild(a *app) *cobra.Command {
	var f build.Options
	var shard string
	var parts []string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Compile every pack, write the index and the site",
		Long: `build compiles every pack of the repository, builds the loadout index over all
of them and writes the site. A pack with errors does not hold up the others: it
keeps the pages of its last good build, with a notice on each, or is left out when
it has none. A file that cannot be used, or holds a secret, is left out of its
pack. The exit code is 1 then. With --strict any error leaves the site as it was.

With --shard 2/4 a machine compiles the second of four shares of the packs into a
part; --join builds the site from the parts of all machines, with the same bytes as
a build of one machine.

With --remote-cache the outputs of packs are shared with other machines by a service
of the Remote Execution API; with --remote-executor such a service compiles them.

SOURCE_DATE_EPOCH fixes the time of the run.`,
		Example: "  packgen build\n  packgen build --out /tmp/site\n  packgen -C ../handbook build --dry-run\n  packgen build --shard 2/4 --out part-2\n  packgen build --join part-1 --join part-2",
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			switch {
			case f.Action != "":
				return build.Perform(cmd.Context(), &a.Workspace, f)
			case shard == "":
				return a.runBuild(cmd.Context(), f, parts)
			}
			if f.Shard, err = build.ParseShard(shard); err != nil {
				return err
			}
			return a.runShard(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Out, "out", "", "write the site, or the part of a shard, into `DIR` (default public)")
	flags.StringVar(&f.Overlay, "overlay", "", "write the packs' compiled outputs below `DIR` instead of into the packs")
	flags.BoolVar(&f.DryRun, "dry-run", false, "list what would be written and write nothing")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.Force, "force", false, "overwrite compiled files that were edited by hand")
	flags.BoolVar(&f.Strict, "strict", false, "leave the site as it was when a pack has errors")
	flags.StringVar(&shard, "shard", "", "compile share `I/N` of the packs, such as 2/4, into a part at --out, and make no site")
	flags.StringArrayVar(&parts, "join", nil, "use what the part in `DIR` holds instead of compiling it; repeat it for each part")
	flags.StringVar(&f.RemoteCache, "remote-cache", "", "share the outputs of packs with other machines at `ADDRESS`, such as grpcs://cache.example")
	flags.StringVar(&f.RemoteExecutor, "remote-executor", "", "have packs compiled by the service at `ADDRESS`")
	flags.BoolVar(&f.NoUpload, "no-remote-upload", false, "read the remote cache and give it nothing")
	flags.StringVar(&f.Action, "action", "", "compile the pack in `DIR` for another machine, into the file --out")
	_ = flags.MarkHidden("action") // the command of a remote action
	flags.BoolVar(&f.NoCache, "no-cache", false, "build everything again, without what earlier builds stored")
	for _, other := range []string{"shard", "no-cache", "overlay", "dry-run"} {
		cmd.MarkFlagsMutuallyExclusive(other, "join")
	}
	return cmd
}

// runShard compiles a share of the packs into a part.
func (a *app) runShard(ctx context.Context, f build.Options) error {
	if f.Out == "" {
		return diag.WithHint(errors.New("a shard needs a place for its part"), "name a directory with --out DIR")
	}
	b, err := build.Prepare(ctx, &a.Workspace, f)
	if err != nil {
		return err
	}
	defer b.Close()
	gctuning.LimitMemory(b.Repository.BuildFiles())
	if err := b.WriteShard(ctx); err != nil {
		return workspace.ExplainWrite(err)
	}
	return buildPrinter{b, a}.report()
}

func (a *app) runBuild(ctx context.Context, f build.Options, parts []string) error {
	remarks, err := build.Join(&a.Workspace, parts)
	if err != nil {
		return err
	}
	for _, r := range remarks {
		fmt.Fprintf(a.stderr, "note: %s\n", diag.Printable(r))
	}
	b, err := build.Prepare(ctx, &a.Workspace, f)
	if err != nil {
		return err
	}
	defer b.Close()
	gctuning.LimitMemory(b.Repository.BuildFiles())
	if err := b.Do(ctx); err != nil {
		return build.ExplainTarget(workspace.ExplainWrite(err))
	}
	if note := b.RemoteNote(); note != "" {
		fmt.Fprintf(a.stderr, "note: %s\n", diag.Printable(note))
	}
	if err := b.RememberSections(ctx); err != nil {
		return err
	}
	return buildPrinter{b, a}.report()
}
