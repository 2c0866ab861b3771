package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/repo"
)

type compileFlags struct {
	dryRun, force            bool
	trigger, failOn, overlay string
	changed                  []string
	noCache, whole           bool
}

func newCompile(a *app) *cobra.Command {
	var f compileFlags
	cmd := &cobra.Command{
		Use:   "compile [pack...]",
		Short: "Write the views, splits, source map and run record of packs",
		Long: `compile reads packs and writes compiled/, indexes/ and runs/ inside them.
Packs are named by name or by directory; without a name all are compiled.
Files that have not changed since the last compile are not read again.

Exit code 1 means that a run failed, or came out at least as bad as --fail-on.`,
		Example: "  packgen compile\n  packgen compile handbook --dry-run\n  packgen compile --fail-on needs-review",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.changed) > 0 && !cmd.Flags().Changed("trigger") {
				f.trigger = "source-change"
			}
			return a.runCompile(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "list what would be written and write nothing")
	flags.BoolVar(&a.all, "all", false, allUsage)
	flags.BoolVar(&f.force, "force", false, "overwrite compiled files that were edited by hand")
	flags.StringArrayVar(&f.changed, "changed", nil, "the `PATH`, a file or directory, for which the packs are compiled: it makes --trigger source-change the default (repeatable)")
	flags.BoolVar(&f.noCache, "no-cache", false, "read every file, whatever is known of it")
	flags.BoolVar(&f.whole, "record-unchanged", false, "write a run record even when nothing changed, and everything into it")
	flags.StringVar(&f.trigger, "trigger", "manual", "the `REASON` of the run: "+strings.Join(compiler.Triggers(), ", "))
	flags.StringVar(&f.failOn, "fail-on", "failed", "exit with 1 from this `STATUS` of a run on: needs-review, stale, disputed, failed; or never")
	flags.StringVar(&f.overlay, "overlay", "", "write the outputs below `DIR` instead of into the packs")
	return cmd
}

// failStatuses are the values of --fail-on.
func failStatuses() []string { return append(schema.Words(schema.RunStatuses()[1:]), "never") }

func (a *app) runCompile(ctx context.Context, f compileFlags, names []string) error {
	if err := oneOf("--trigger", f.trigger, compiler.Triggers()...); err != nil {
		return err
	}
	if err := oneOf("--fail-on", f.failOn, failStatuses()...); err != nil {
		return err
	}
	err := a.Load()
	if err != nil {
		return err
	}
	o := repo.CompileOptions{Overlay: a.Config.Overlay, Alone: true}
	o.Each = compiler.Options{DryRun: f.dryRun, Force: f.force, RecordUnchanged: f.whole, Trigger: f.trigger, KeepRuns: int(a.Config.Runs.Keep)}
	if f.overlay != "" {
		o.Overlay = f.overlay
	}
	if o.Overlay != "" {
		o.Overlay = a.Paths.Abs(o.Overlay)
	}
	if o.Each.Now, err = repo.RunTime(a.Getenv); err != nil {
		return err
	}
	gctuning.Seldom()
	r, err := a.Open()
	if err != nil && len(names) == 0 {
		return err
	}
	if r == nil {
		r = &repo.Packs{}
	}
	defer r.Close()
	a.scope = diag.Printable(strings.Join(names, " "))
	if len(names) > 0 {
		if r, err = a.Choose(r, names); err != nil {
			return err
		}
	} else if r.DropArchived(); len(r.Members) == 0 && !a.quiet {
		fmt.Fprintln(a.stderr, "note: every pack is archived; one is compiled when it is named")
	}
	if err := repo.CheckOverlay(a.Paths, o.Overlay, r); err != nil {
		return err
	}
	if err := r.CheckChanged(a.Paths, f.changed); err != nil {
		return err
	}
	gctuning.LimitMemory(compileFiles(r))
	o.Disk = repo.OpenStore(a.Paths, repo.StoreOptions{DryRun: f.dryRun, NoCache: f.noCache, Elsewhere: o.Overlay != ""})
	defer o.Disk.Close()
	st := a.newStages()
	st.Begin("compile")
	usual := gctuning.Usually(gctuning.ManyFiles)
	o.Each.Visit = func(*compiler.Unit) error {
		usual()
		st.Count("files")
		return nil
	}
	err = r.Compile(ctx, o)
	st.End()
	if err != nil {
		return err
	}
	if !f.dryRun && o.Overlay == "" {
		if err := repo.RememberNew(ctx, &a.Repo, r, mostRemembered); err != nil {
			return err
		}
	}
	return a.reportCompile(r, f)
}

// mostRemembered is how many splits a compile counts the words of, in about 10 kB of memory
// each: of a larger pack the first query does, if there is one.
const mostRemembered = 20000

// listedPerFile is how many files are listed, not compiled, in the memory of one that is.
const listedPerFile = 32

// compileFiles is how many files the memory of a compile is for: those of the packs that
// are compiled at the same time, with their text, and without it. Of all others a listing is
// kept.
func compileFiles(r *repo.Packs) (withText, alone int) {
	files, text, listed := r.AtOnce()
	return files + files/2 + int(text/gctuning.MemoryPerFile) + listed/listedPerFile, files
}

// oneOf checks a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	hint := "write one of " + strings.Join(words, ", ")
	if near := nearest.Name(value, words); near != "" {
		hint = fmt.Sprintf("did you mean %s? ", near) + hint
	}
	return diag.WithHint(fmt.Errorf("%s: unknown value %q", flag, value), "%s", hint)
}

// reportCompile prints the outcome and returns errFindings when the run is at least as bad
// as --fail-on.
func (a *app) reportCompile(r *repo.Packs, f compileFlags) error {
	findings, status := r.Findings(), r.Status()
	bad := f.failOn != "never" && status.Rank() >= schema.Status(f.failOn).Rank()
	if a.json {
		out := struct {
			envelope
			DryRun bool              `json:"dry_run"`
			Packs  []repo.PackReport `json:"packs"`
		}{envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: status, Command: "compile",
			Findings: findingsOf(findings),
		}, DryRun: f.dryRun, Packs: []repo.PackReport{}}
		for _, m := range r.Members {
			p := m.Summary()
			if m.Result != nil {
				p.Outputs = m.Result.Outputs()
			}
			out.Packs = append(out.Packs, p)
		}
		if len(r.Members) == 1 {
			out.Pack = r.Members[0].Name()
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, r.Dirs())
		if !a.quiet {
			a.printOutputs(r, f.dryRun)
			packTable(r).Write(a.stdout)
		}
	}
	if bad {
		return errFindings
	}
	return nil
}

// printOutputs lists the files that changed, or would change; with -v the unchanged ones
// too.
func (a *app) printOutputs(r *repo.Packs, dryRun bool) {
	if !dryRun && !a.verbose {
		return
	}
	for _, m := range r.Members {
		if m.Result == nil || m.Dry && !dryRun {
			continue
		}
		outputs := m.Result.Outputs()
		if m.Result.RunPath != "" {
			outputs = append(slices.Clone(outputs), schema.RunOutput{Path: m.Result.RunPath, Operation: "created"},
				schema.RunOutput{Path: schema.RunLedgerPath(m.Result.RunPath), Operation: "created"})
		}
		for _, o := range outputs {
			if o.Operation != "unchanged" || a.verbose {
				fmt.Fprintf(a.stdout, "%-9s  %s\n", o.Operation, diag.Printable(m.Out+"/"+o.Path))
			}
		}
	}
}

// packTable has a row for each pack. It counts the warnings of the compile, as the site
// does.
func packTable(r *repo.Packs) *columns.Table {
	t := &columns.Table{Right: map[int]bool{4: true, 5: true, 6: true, 7: true}}
	t.Add("PACK", "PROFILE", "STATUS", "RUN", "SPLITS", "CLAIMS", "TOKENS", "WARNINGS")
	for _, m := range r.Members {
		p := m.Summary()
		t.Add(diag.Printable(p.Pack), diag.Printable(p.Profile), diag.Printable(string(p.PackStatus)), string(p.Status),
			amount.Grouped(p.Splits), amount.Grouped(p.Claims), amount.Grouped(p.Tokens), amount.Grouped(m.CompileWarnings()))
	}
	return t
}
