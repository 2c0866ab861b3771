package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/schema"
)

// runStatuses are the run statuses from best to worst (agent-knowledge section
// 6.11).
var runStatuses = [...]string{"passed", "needs-review", "stale", "disputed", "failed"}

// statusRank is the place of a run status in that order; unknown ones are worst.
func statusRank(status string) int {
	if i := slices.Index(runStatuses[:], status); i >= 0 {
		return i
	}
	return len(runStatuses)
}

// compileFlags are the flags of the compile verb.
type compileFlags struct {
	dryRun, force            bool
	trigger, failOn, overlay string
	changed                  []string
	noCache                  bool
}

// newCompile is the compile verb.
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
	flags.StringVar(&f.trigger, "trigger", "manual", "the `REASON` of the run: ingest, source-change, manual, scheduled, migration")
	flags.StringVar(&f.failOn, "fail-on", "failed", "the mildest run `STATUS` that is an error: needs-review, stale, disputed, failed")
	flags.StringVar(&f.overlay, "overlay", "", "write the outputs below `DIR` instead of into the packs")
	return cmd
}

// runCompile does what the compile verb says.
func (a *app) runCompile(ctx context.Context, f compileFlags, names []string) error {
	if err := oneOf("--trigger", f.trigger, "ingest", "source-change", "manual", "scheduled", "migration"); err != nil {
		return err
	}
	if err := oneOf("--fail-on", f.failOn, runStatuses[1:]...); err != nil {
		return err
	}
	cfg, err := a.loadConfig()
	if err != nil {
		return err
	}
	o := compileOptions{dryRun: f.dryRun, force: f.force, trigger: f.trigger, overlay: cfg.Overlay}
	if f.overlay != "" {
		o.overlay = f.overlay
	}
	if o.overlay != "" {
		o.overlay = a.path(o.overlay)
	}
	if o.now, err = runTime(a.getenv); err != nil {
		return err
	}
	collectSeldom()
	r, err := a.open(cfg.Packs)
	if err != nil && len(names) == 0 {
		return err
	}
	if r == nil {
		r = &repository{}
	}
	defer r.close()
	a.scope = diag.Printable(strings.Join(names, " "))
	if len(names) > 0 {
		if r, err = a.choose(r, names); err != nil {
			return err
		}
	} else if r.dropArchived(); len(r.members) == 0 && !a.quiet {
		fmt.Fprintln(a.stderr, "note: every pack is archived; one is compiled when it is named")
	}
	if err := a.checkOverlay(o.overlay, r); err != nil {
		return err
	}
	if err := a.checkChanged(r, f.changed); err != nil {
		return err
	}
	limitMemory(r.files() + r.files()/2 + int(r.bytes()/memoryPerFile))
	o.disk = a.openStore(storeOptions{dryRun: f.dryRun, afresh: f.noCache, elsewhere: o.overlay != ""})
	defer o.disk.Close()
	st := a.newStages()
	st.begin("compile")
	usual := collectUsually(manyFiles)
	o.visit = func(*compiler.Unit) error {
		usual()
		st.count("files")
		return nil
	}
	err = a.compile(ctx, r, o)
	st.end()
	if err != nil {
		return err
	}
	return a.reportCompile(r, f)
}

// oneOf checks the value of a flag that takes one of a few words.
func oneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	hint := "It takes " + strings.Join(words, ", ") + "."
	if near := nearest.Name(value, words); near != "" {
		hint = fmt.Sprintf("Did you mean %s? ", near) + hint
	}
	return diag.WithHint(fmt.Errorf("%s: unknown value %q", flag, value), "%s", hint)
}

// dropArchived leaves out archived packs, which compile only when they are
// named (agent-knowledge section 14.1).
func (r *repository) dropArchived() {
	r.members = slices.DeleteFunc(r.members, func(m *member) bool {
		return m.pack != nil && m.pack.Meta.Status == "archived"
	})
}

// choose keeps the named packs, and opens those named by a directory that no
// pattern matches.
func (w *workspace) choose(r *repository, names []string) (*repository, error) {
	chosen := &repository{faults: r.faults, policy: r.policy}
	for _, name := range names {
		m := r.find(name, w.rel(w.path(name)))
		if m == nil {
			name = w.givenPack(name)
			m = r.find(name, w.rel(w.path(name)))
		}
		if m == nil {
			if _, err := os.Stat(filepath.Join(w.path(name), "KNOWLEDGE.md")); err != nil {
				return nil, w.unknownPack(r, name)
			}
			var err error
			if m, err = w.openMember(name); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(chosen.members, m) {
			chosen.members = append(chosen.members, m)
		}
	}
	chosen.faults = append(chosen.faults, duplicateNames(chosen.members)...)
	return chosen, nil
}

// unknownPack is the error about a pack that does not exist.
func (w *workspace) unknownPack(r *repository, name string) error {
	known := make([]string, len(r.members))
	for i, m := range r.members {
		known[i] = m.name()
	}
	err := fmt.Errorf("no pack %q", name)
	if near := nearest.Name(name, known); near != "" {
		return diag.WithHint(err, "Did you mean %s?", near)
	}
	if len(known) == 0 {
		return diag.WithHint(err, "There are no packs here.")
	}
	return diag.WithHint(err, "The packs are %s.", strings.Join(known, ", "))
}

// packReport is what the envelope says about one pack.
type packReport struct {
	Pack            string             `json:"pack"`
	Dir             string             `json:"dir"`
	Profile         string             `json:"profile,omitempty"`
	PackStatus      string             `json:"pack_status,omitempty"` // as KNOWLEDGE.md says
	Status          string             `json:"status"`                // of the run
	SuggestedStatus string             `json:"suggested_status,omitempty"`
	Run             string             `json:"run,omitempty"` // path of the run record; absent when nothing changed
	Views           int                `json:"views"`
	Splits          int                `json:"splits"`
	Claims          int                `json:"claims"`
	Tokens          int                `json:"tokens"`
	Errors          int                `json:"errors"`
	Warnings        int                `json:"warnings"`
	Outputs         []schema.RunOutput `json:"outputs,omitempty"`
}

// report sums up one pack. Outputs are for the caller to add.
func reportOf(m *member) packReport {
	findings := m.findings()
	p := packReport{
		Pack: m.name(), Dir: m.dir, Status: "failed",
		Errors: diag.Count(findings, diag.Error), Warnings: diag.Count(findings, diag.Warning),
	}
	if m.pack != nil {
		p.PackStatus = m.pack.Meta.Status
		p.Profile = m.pack.Meta.EffectiveProfile()
	}
	if m.result != nil {
		p.Status = m.result.Run.Status
		p.SuggestedStatus = m.result.SuggestedStatus
		p.Run = m.result.RunPath
		made := m.result.Counts
		p.Views, p.Splits, p.Claims, p.Tokens = made.Views, made.Splits, made.Claims, made.Tokens
	}
	return p
}

// status is that of the pack's run; a pack that was not compiled has failed.
func (m *member) status() string {
	if m.result == nil {
		return "failed"
	}
	return m.result.Run.Status
}

// status is the worst status of the run over all packs.
func (r *repository) status() string {
	worst := runStatuses[0]
	if diag.Count(r.faults, diag.Error) > 0 {
		worst = "failed"
	}
	for _, m := range r.members {
		if s := m.status(); statusRank(s) > statusRank(worst) {
			worst = s
		}
	}
	return worst
}

// reportCompile prints what a compile did and returns errFindings when that is
// not good enough.
func (a *app) reportCompile(r *repository, f compileFlags) error {
	findings, status := r.findings(), r.status()
	bad := statusRank(status) >= statusRank(f.failOn)
	if a.json {
		out := struct {
			envelope
			DryRun bool         `json:"dry_run"`
			Packs  []packReport `json:"packs"`
		}{envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: status, Command: "compile",
			Findings: findingsOf(findings),
		}, DryRun: f.dryRun, Packs: []packReport{}}
		for _, m := range r.members {
			p := reportOf(m)
			if m.result != nil {
				p.Outputs = m.result.Run.Outputs
			}
			out.Packs = append(out.Packs, p)
		}
		if len(r.members) == 1 {
			out.Pack = r.members[0].name()
		}
		a.printJSON(out)
	} else {
		a.printFindings(findings, r.dirs())
		if !a.quiet {
			a.printOutputs(r, f.dryRun)
			packTable(r).write(a.stdout)
		}
	}
	if bad {
		return errFindings
	}
	return nil
}

// printOutputs lists the files of a compile that changed, or would change; with
// -v the unchanged ones too.
func (a *app) printOutputs(r *repository, dryRun bool) {
	if !dryRun && !a.verbose {
		return
	}
	for _, m := range r.members {
		if m.result == nil || m.dry && !dryRun {
			continue
		}
		outputs := m.result.Run.Outputs
		if m.result.RunPath != "" {
			outputs = append(slices.Clone(outputs), schema.RunOutput{Path: m.result.RunPath, Operation: "created"})
		}
		for _, o := range outputs {
			if o.Operation != "unchanged" || a.verbose {
				fmt.Fprintf(a.stdout, "%-9s  %s\n", o.Operation, diag.Printable(m.out+"/"+o.Path))
			}
		}
	}
}

// packTable is one line for each pack. Its warnings are those of the compile, the
// number that the site gives.
func packTable(r *repository) *table {
	t := &table{right: map[int]bool{4: true, 5: true, 6: true, 7: true}}
	t.add("PACK", "PROFILE", "STATUS", "RUN", "SPLITS", "CLAIMS", "TOKENS", "WARNINGS")
	for _, m := range r.members {
		p := reportOf(m)
		t.add(diag.Printable(p.Pack), diag.Printable(p.Profile), diag.Printable(p.PackStatus), p.Status,
			amount.Grouped(p.Splits), amount.Grouped(p.Claims), amount.Grouped(p.Tokens), amount.Grouped(m.compileWarnings()))
	}
	return t
}
