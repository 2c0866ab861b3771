package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/gctuning"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/repo"
)

type resolveFlags struct {
	consent
	fromFlags
	packs, require, also  []string
	budget                int
	scorer, wrapper       string
	noContext, xmlCatalog bool
	record, dryRun        bool
	boot, strict          bool
}

func newResolve(a *app) *cobra.Command {
	var f resolveFlags
	cmd := &cobra.Command{
		Use:   "resolve QUERY",
		Short: "Print the smallest useful part of the packs for a query, fenced as data",
		Long: `resolve selects splits, views and pages for a query, fits them into a token
budget and prints them in wrappers that say they are data, ready to pipe into a
prompt. Warnings about stale, disputed or unreviewed text, and what is missing,
go to standard error. "-" reads the query from standard input.

The packs are searched by words. A caller that knows others gives them with
--also: search words, and one question for each part of the query. A selection
is sure, or uncertain and labelled so; --strict refuses an uncertain one.

Without --pack the packs of the repository whose name and description fit the
query are used, or its only pack; packs that packgen pull has locked are among them. A
pack --from elsewhere must first be locked with packgen pull.
The exit code is 1 when a pack is blocked by its status or trust, or nothing can
be selected.`,
		Example: "  packgen resolve how long is the warranty\n  packgen resolve --pack handbook --pack voice --budget 3000 --json 'draft a reply'\n  packgen resolve --also 'guarantee period' --also 'who pays for repairs' how long is the warranty\n  packgen resolve --from https://example.org/packs/#handbook how long is the warranty",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !f.xmlCatalog {
				return diag.WithHint(errors.New("resolve needs a query"), "try packgen resolve how long is the warranty")
			}
			if f.budget < resolver.MinBudget {
				return diag.WithHint(fmt.Errorf("--budget %d is too small for a selection", f.budget), "write %d or more", resolver.MinBudget)
			}
			return a.runResolve(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.packs, "pack", nil, "use this pack, by `NAME` or directory; may be repeated")
	flags.StringArrayVar(&f.also, "also", nil, "`TEXT` that says the query, or a part of it, in other words; may be repeated")
	flags.BoolVar(&f.strict, "strict", false, "print no text when the selection is uncertain, and exit with 1")
	flags.IntVar(&f.budget, "budget", resolver.DefaultBudget, fmt.Sprintf("`TOKENS` that the selection may cost, at least %d", resolver.MinBudget))
	flags.StringVar(&f.scorer, "scorer", "bm25f", "the `SCORER` that ranks sections: bm25f or overlap")
	flags.StringArrayVar(&f.require, "require", nil, "report this `FACT` as missing unless a selected file holds its words; may be repeated")
	flags.StringVar(&f.wrapper, "wrapper", "plain", "the `FORM` of the wrappers: plain or full")
	flags.BoolVar(&f.noContext, "no-context", false, "leave the text out: with --json the selection alone")
	flags.BoolVar(&f.xmlCatalog, "xml-catalog", false, "print the catalog of the packs as XML and resolve nothing")
	flags.BoolVar(&f.record, "write-run", false, "write runs/context-<time>.json into the first pack used")
	flags.BoolVar(&f.dryRun, "dry-run", false, "with --write-run: say what would be written, and write nothing")
	flags.BoolVar(&f.boot, "boot", false, "add what the boot.yml of a pack says to every task")
	alsoNamed(cmd, map[string]string{"record": "write-run"})
	f.fromFlags.register(a, flags, "use a pack")
	f.consent.add(flags)
	return cmd
}

func (a *app) runResolve(ctx context.Context, f resolveFlags, args []string) error {
	if err := errors.Join(oneOf("--wrapper", f.wrapper, "plain", "full"), oneOf("--scorer", f.scorer, rank.Names()...), f.consent.check()); err != nil {
		return err
	}
	scorer, err := rank.New(f.scorer)
	if err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	gctuning.Seldom()
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	if f.xmlCatalog {
		packs, err := l.Choose(ctx, f.from, f.offline, f.packs)
		if err != nil {
			return err
		}
		return a.printCatalog(ctx, packs)
	}
	query, err := a.readWords(args, "query", maxQuery)
	if err != nil {
		return err
	}
	r, err := a.resolve(ctx, l, &f, resolver.Request{
		Query: query, Also: f.also, Strict: f.strict, Budget: f.budget, Scorer: scorer, Require: f.require, FullWrapper: f.wrapper == "full", NoContext: f.noContext,
		Allow: statuses(f.allow), Confirm: statuses(f.confirm), AllowUntrusted: f.untrusted,
	})
	if err != nil {
		return err
	}
	if f.record {
		r.DryRun = f.dryRun
		if err := a.record(l, r, f.dryRun); err != nil {
			return err
		}
	}
	remedy := l.Remedy(f.untrusted)
	if len(f.from) > 0 && r.Refused && !r.Withheld && r.Recommendation == "" {
		r.Recommendation = strings.Join(remedy, "; ")
	}
	return a.printResolution(r, l.Origins(r), remedy)
}

// resolve opens the packs and resolves the query. A damaged pack in the cache is fetched
// again, once.
func (a *app) resolve(ctx context.Context, l *repo.Library, f *resolveFlags, req resolver.Request) (*resolver.Resolution, error) {
	for again := false; ; again = true {
		packs, err := l.Choose(ctx, f.from, f.offline, f.packs)
		if err != nil {
			return nil, err
		}
		for i := range packs {
			packs[i].Unapproved = packs[i].Unapproved && !f.untrusted
		}
		if f.boot {
			if err := a.sayAlways(ctx, packs); err != nil {
				return nil, err
			}
		}
		r, err := resolver.Resolve(ctx, packs, req)
		damaged, fault := l.Damaged(ctx)
		switch {
		case fault != nil:
			return nil, fault
		case !damaged:
			return r, err
		case again:
			return nil, errors.New("packs from elsewhere are damaged again and again: is the disk of the cache sound?")
		}
	}
}

// maxQuery is the size limit of a query on standard input, in bytes.
const maxQuery = 64 << 20

// printResolution prints the wrappers, or with --json the whole resolution. remedy says how
// to lift a refusal.
func (a *app) printResolution(r *resolver.Resolution, origins []repo.Origin, remedy []string) error {
	if a.json {
		data, err := schema.Encode(struct {
			*resolver.Resolution
			Origins []repo.Origin `json:"origins,omitempty"`
		}{r, origins})
		if err != nil {
			return fmt.Errorf("print the resolution: %w", err)
		}
		if err := a.writeJSON(data); err != nil {
			return fmt.Errorf("print the resolution: %w", err)
		}
	} else {
		a.printRemarks(r, remedy)
		for _, o := range origins {
			if !a.quiet {
				fmt.Fprintf(a.stderr, "from: %s\n", diag.Printable(o.String()))
			}
		}
		if err := a.printText(r.Context); err != nil {
			return err
		}
	}
	if r.Refused {
		return errFindings
	}
	return nil
}

// printText prints fenced text: to a terminal with control characters escaped, to a pipe as
// it is.
func (a *app) printText(text string) error {
	if text == "" {
		return nil
	}
	text = strings.TrimSuffix(text, "\n")
	if isTerminal(a.stdout) {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			lines[i] = diag.Printable(line)
		}
		text = strings.Join(lines, "\n")
	}
	if _, err := fmt.Fprintln(a.stdout, text); err != nil {
		return fmt.Errorf("print the context: %w", err)
	}
	return nil
}

// printRemarks prints what a person should know about a resolution.
func (a *app) printRemarks(r *resolver.Resolution, remedy []string) {
	p := a.painterFor(a.stderr)
	for _, w := range repo.Remarks(r) {
		if w.Severity == diag.Info && !a.verbose || w.Severity != diag.Error && a.quiet {
			continue
		}
		severity := w.Severity.String()
		if w.Severity == diag.Error {
			severity = p.Red(severity)
		}
		place := ""
		if w.Path != "" {
			place = diag.Printable(w.Path) + ": "
		}
		fmt.Fprintf(a.stderr, "%s%s: %s\n", place, severity, diag.Printable(w.Message))
	}
	if r.Refused && !r.Withheld {
		for _, line := range remedy {
			fmt.Fprintf(a.stderr, "    %s\n", line)
		}
	}
	if a.quiet {
		return
	}
	switch {
	case r.Withheld:
		fmt.Fprintln(a.stderr, "uncertain: the selection may not answer the query, and --strict prints none then")
	case r.Confidence == resolver.Uncertain && !r.Refused:
		fmt.Fprintln(a.stderr, "uncertain: the selection may not answer the query")
	}
	for _, m := range r.Missing {
		fmt.Fprintf(a.stderr, "missing: %s\n", diag.Printable(m))
	}
	if len(r.Missing) > 0 {
		fmt.Fprintln(a.stderr, "    ask the user, or mark it as unknown")
	}
	if a.verbose {
		for _, s := range r.Selection {
			fmt.Fprintf(a.stderr, "selected: %s (%s)\n", diag.Printable(s.Path), s.Reason)
		}
		fmt.Fprintf(a.stderr, "%s tokens, status %s\n", amount.Grouped(r.TokenEstimate), r.Status)
	}
}

// printCatalog prints the catalog of packs as XML, or with --json as a record.
func (a *app) printCatalog(ctx context.Context, packs []resolver.Pack) error {
	entries, err := resolver.Catalog(ctx, packs)
	if err != nil {
		return err
	}
	if !a.json {
		_, err = fmt.Fprint(a.stdout, resolver.CatalogXML(entries))
		return err
	}
	data, err := schema.Encode(pack.NewCatalog(entries))
	if err != nil {
		return fmt.Errorf("print the catalog: %w", err)
	}
	return a.writeJSON(data)
}

// record writes the context record of a resolution into the first pack that was used, or
// says where it would go.
func (a *app) record(l *repo.Library, r *resolver.Resolution, dryRun bool) error {
	why := resolver.ErrNotRecorded.Error()
	for _, used := range r.Activated {
		if used.Blocked {
			continue
		}
		if l.Foreign(used.Dir) != nil {
			why = "nothing is recorded: " + used.Name + " is from elsewhere, and a record is written into a pack of this repository"
			continue
		}
		now, err := repo.RunTime(a.Getenv)
		if err != nil {
			return err
		}
		name, err := repo.WriteRecord(a.Paths, repo.Outputs(&a.Repo, used), r, now, dryRun)
		if errors.Is(err, resolver.ErrNotRecorded) {
			why = err.Error()
			break
		}
		if err != nil {
			return repo.ExplainWrite(fmt.Errorf("record the resolution: %w", err))
		}
		if !a.quiet {
			verb := "recorded"
			if dryRun {
				verb = "would record"
			}
			fmt.Fprintf(a.stderr, "%s: %s\n", verb, diag.Printable(a.Paths.Rel(name)))
		}
		return nil
	}
	if !a.quiet {
		fmt.Fprintln(a.stderr, "note: "+diag.Printable(why))
	}
	return nil
}

// sayAlways adds to each pack that has a boot.yml the documents and pages that it loads for
// every task. An error in a boot.yml ends the command with its findings.
func (a *app) sayAlways(ctx context.Context, packs []resolver.Pack) error {
	found, err := repo.AddAlways(ctx, packs)
	switch {
	case err != nil:
		return err
	case diag.Count(found, diag.Error) == 0:
		if !a.json {
			a.printFindings(found, nil)
		}
		return nil
	case a.json:
		a.printJSON(envelope{Status: schema.Failed, Command: "resolve", Findings: findingsOf(found)})
	default:
		a.printFindings(found, nil)
	}
	return errFindings
}
