package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/schema"
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

// tally is a number of files and their size in bytes.
type tally struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// outputReport is the part of the envelope about the site.
type outputReport struct {
	Dir       string         `json:"dir"`
	Written   bool           `json:"written"` // false in a dry run, and when a pack has errors
	Created   tally          `json:"created"`
	Updated   tally          `json:"updated"`
	Deleted   tally          `json:"deleted"`
	Unchanged tally          `json:"unchanged"`
	Changes   []outputChange `json:"changes"`
}

type outputChange struct {
	Path      string `json:"path"`
	Operation string `json:"operation"`
}

type buildPrinter struct {
	*build.Run
	app *app
}

// report prints the outcome and returns errFindings when errors kept the site from being
// written.
func (b buildPrinter) report() error {
	findings := b.Repository.Findings()
	if b.app.json {
		b.app.printJSON(b.envelope(findings))
	} else {
		b.print(findings)
	}
	if b.Failed() {
		return errFindings
	}
	return nil
}

type buildEnvelope struct {
	envelope
	DryRun bool               `json:"dry_run"`
	Packs  []repo.PackReport  `json:"packs"`
	Index  *build.IndexReport `json:"index"` // null when it was not built
	// The site has pages of an earlier build of some packs, by their directories. Some
	// packs are left out, and some files, by their paths.
	Kept     []string            `json:"kept"`
	LeftOut  []string            `json:"left_out"`
	Withheld []string            `json:"withheld"`
	Output   outputReport        `json:"output"`
	Remote   *build.RemoteReport `json:"remote,omitempty"` // left out without a remote cache
	Stages   []repo.Stage        `json:"stages"`
}

func (b buildPrinter) envelope(findings []diag.Diagnostic) buildEnvelope {
	e := buildEnvelope{
		envelope: envelope{
			OK: diag.Count(findings, diag.Error) == 0, Status: b.Repository.Status(), Command: "build",
			Findings: findingsOf(findings),
		},
		DryRun: b.Flags.DryRun,
		Packs:  []repo.PackReport{},
		Kept:   orEmpty(b.Kept()), LeftOut: orEmpty(b.LeftOut()), Withheld: []string{},
		Output: b.output(),
		Index:  b.Index,
		Stages: b.Stages.Done,
	}
	if r, ok := b.Remote(); ok {
		e.Remote = &r
	}
	if b.Failed() {
		e.Status = schema.Failed
	}
	for _, m := range b.Repository.Members {
		e.Packs = append(e.Packs, m.Summary())
	}
	for _, d := range b.Withheld() {
		e.Withheld = append(e.Withheld, d.Path)
	}
	return e
}

// orEmpty is a list that JSON shows as one even when it is empty.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// output sums up what happened to the site.
func (b buildPrinter) output() outputReport {
	s := b.Summary
	out := outputReport{
		Dir: b.app.Paths.Rel(b.Out), Written: b.Written && !b.Flags.DryRun,
		Created: tally(s.Created), Updated: tally(s.Updated), Deleted: tally(s.Deleted), Unchanged: tally(s.Unchanged),
		Changes: []outputChange{},
	}
	for c := range s.Paths() {
		out.Changes = append(out.Changes, outputChange{c.Path, string(c.Change)})
	}
	return out
}

// print writes the build as text: findings and times to standard error, tables to standard
// output.
func (b buildPrinter) print(findings []diag.Diagnostic) {
	a := b.app
	a.printFindings(findings, b.Repository.Dirs())
	if a.quiet {
		return
	}
	if b.Flags.DryRun || a.verbose {
		a.printOutputs(b.Repository, b.Flags.DryRun)
		for c := range b.Summary.Paths() {
			fmt.Fprintf(a.stdout, "%-9s  %s/%s\n", c.Change, a.Paths.Rel(b.Out), c.Path)
		}
	}
	packTable(b.Repository).Write(a.stdout)
	b.printLater()
	b.printSite()
	fmt.Fprintln(a.stderr, b.Stages.Summary())
}

// printLater says how many warnings the table leaves out.
func (b buildPrinter) printLater() {
	later := diag.Count(b.Repository.Faults, diag.Warning)
	for _, m := range b.Repository.Members {
		later += m.LaterWarnings()
	}
	if later > 0 {
		fmt.Fprintf(b.app.stdout, "WARNINGS are those of the compile, as on the site; the index and the pages have %s more\n", amount.Grouped(later))
	}
}

// namedWithheld is how many withheld files a build names; the findings name all.
const namedWithheld = 200

// printMissing says what the site does not show as it is now.
func (b buildPrinter) printMissing() {
	w := b.app.stderr
	for _, dir := range b.Kept() {
		fmt.Fprintf(w, "%s is not up to date on the site: it has errors, and its pages are those of its last good build\n", diag.Printable(dir))
		b.printWhy(dir)
	}
	for _, dir := range b.LeftOut() {
		fmt.Fprintf(w, "%s is not on the site: it has errors, and no pages of an earlier build\n", diag.Printable(dir))
		b.printWhy(dir)
	}
	b.app.printDrafts(b.Repository.Findings(), b.Repository.Dirs())
	withheld := b.Withheld()
	for _, d := range withheld[:min(len(withheld), namedWithheld)] {
		place, why := d.Place(), d.Message
		if compiler.Withheld(d) {
			place, why = d.Path, "it holds a likely secret"
		}
		fmt.Fprintf(w, "%s is withheld: %s\n", diag.Printable(place), diag.Printable(why))
	}
	if more := len(withheld) - namedWithheld; more > 0 {
		fmt.Fprintf(w, "%s are withheld too\n", amount.Counted(more, "more file"))
	}
}

// printWhy repeats the error that a pack is not shown for: it may be one of many.
func (b buildPrinter) printWhy(dir string) {
	if d, ok := b.Why(dir); ok {
		fmt.Fprintf(b.app.stderr, "    error: %s\n", diag.Printable(cmp.Or(d.Place(), dir)+": "+d.Message))
	}
}

// printSite says what happened to the output directory.
func (b buildPrinter) printSite() {
	a, out := b.app, b.app.Paths.Rel(b.Out)
	if !b.Written {
		errors := diag.Count(b.Repository.Findings(), diag.Error)
		state := out + " is left as it was"
		if _, err := os.Stat(b.Out); err != nil {
			state = "no site is written"
		}
		fmt.Fprintf(a.stderr, "%s: %s to fix\n", state, amount.Counted(errors, "error"))
		return
	}
	s := b.Summary
	all := publish.Tally{
		Files: s.Created.Files + s.Updated.Files + s.Unchanged.Files,
		Bytes: s.Created.Bytes + s.Updated.Bytes + s.Unchanged.Bytes,
	}
	t := &columns.Table{Right: map[int]bool{1: true, 2: true}}
	t.Add("SITE", "FILES", "SIZE")
	t.Add(out, amount.Grouped(all.Files), amount.Size(all.Bytes))
	for _, line := range []struct {
		name string
		publish.Tally
	}{
		{"created", s.Created}, {"updated", s.Updated}, {"deleted", s.Deleted}, {"unchanged", s.Unchanged},
	} {
		if line.Files > 0 {
			t.Add("  "+line.name, amount.Grouped(line.Files), amount.Size(line.Bytes))
		}
	}
	fmt.Fprintln(a.stdout)
	t.Write(a.stdout)
	fmt.Fprintf(a.stdout, "\nindex: %s, %s tokens on demand, %s always loaded\n",
		amount.Entries(b.Index.Entries), amount.Grouped(int64(b.Index.OnDemand)), amount.Grouped(int64(b.Index.AlwaysLoaded)))
	if r, ok := b.Remote(); ok {
		fmt.Fprintf(a.stdout, "remote cache: %s\n", r.Text())
	}
	if b.Flags.DryRun {
		fmt.Fprintln(a.stdout, "dry run: nothing was written")
	}
	b.printMissing()
	b.printComments()
}

// printComments says once how many hidden comments the archives of packs hold.
func (b buildPrinter) printComments() {
	count, in := 0, 0
	for _, m := range b.Repository.Members {
		if m.Result != nil && m.Result.Counts.Comments > 0 {
			count, in = count+m.Result.Counts.Comments, in+1
		}
	}
	if count > 0 {
		fmt.Fprintf(b.app.stderr, "%s published in the archives of %s, which hold their sources as they are; pages, search and agents do not show them\n",
			are(count, "hidden comment"), amount.Counted(in, "pack"))
	}
}

// are counts things that something happens to: "1 page is", "2 pages are".
func are(n int, noun string) string {
	if n == 1 {
		return amount.Counted(n, noun) + " is"
	}
	return amount.Counted(n, noun) + " are"
}
