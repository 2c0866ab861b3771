package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
)

type pullFlags struct {
	elsewhere.PullOptions
	offline bool
}

func newPull(a *app) *cobra.Command {
	var f pullFlags
	cmd := &cobra.Command{
		Use:   "pull [REF...]",
		Short: "Fetch packs from elsewhere, verify them and lock them",
		Long: `pull brings packs from elsewhere into the cache and writes what each reference
stands for into packgen.lock: the hash over the files of the pack, and where they
came from. A locked pack is trusted as far as a pack from elsewhere can be, and
stays the same until packgen lock update. Without a reference everything in packgen.lock is
brought.

A reference is dir:PATH or a directory, file.tar.gz, file.tar or file.zip, the
address of a site or of such a file, gha://OWNER/REPO/ARTIFACT[?branch=&workflow=&run=],
gitlab://GROUP/PROJECT/JOB[?ref=] or oci://HOST/NAME[:TAG][@DIGEST]; #NAME after it names one pack of several.
What is locked can also be named by its pack.

The text of each pack is searched for instructions to a model, invisible
characters and secrets. What is found is printed and written into
packgen.lock; --fail-on says from which severity on the pack is refused. What is
locked was looked at when it was locked: it is refused only when --fail-on is given.

Where trust in packgen.yaml asks for it, the signature of the pack is verified, and
packgen.lock holds who signed: another signer later is refused, as an older version is.

What differs from packgen.lock ends with exit code 3 and both hashes; nothing is
overwritten. Tokens come from GITHUB_TOKEN, GH_TOKEN, GITLAB_TOKEN and CI_JOB_TOKEN; the
login of another host from PACKGEN_TOKEN_HOST, Docker's configuration or .netrc.`,
		Example: "  packgen pull https://example.org/packs/#handbook\n  packgen pull --frozen",
		RunE: func(cmd *cobra.Command, args []string) error {
			f.FailAlways = cmd.Flags().Changed("fail-on")
			return a.runPull(cmd.Context(), f, args)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Update, "update", false, "the same as packgen lock update")
	_ = flags.MarkHidden("update")
	f.registerFrozen(flags)
	flags.BoolVar(&f.offline, "offline", false, "fetch nothing: what is locked must be in the cache")
	a.registerNetwork(flags)
	flags.BoolVar(&f.DryRun, "dry-run", false, "fetch and verify, say what would change, and write neither packgen.lock nor --out")
	flags.StringVar(&f.Out, "out", "", "also write each pack to `DIR`/NAME, which must not exist")
	flags.BoolVar(&f.Downgrade, "allow-downgrade", false, "with --update: take a pack that is older than the one that is locked, is another one, or has no version to compare")
	_ = flags.MarkHidden("allow-downgrade")
	f.registerFailOn(flags)
	cmd.MarkFlagsMutuallyExclusive("update", "offline")
	return cmd
}

func (f *pullFlags) registerFrozen(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Frozen, "frozen", false, "fail when packgen.lock would change, and leave it alone")
}

func (f *pullFlags) registerFailOn(flags *pflag.FlagSet) {
	flags.StringVar(&f.FailOn, "fail-on", gateWords[0], "refuse a pack from this `SEVERITY` of a finding in its text on: error, warning or never")
}

func (a *app) runPull(ctx context.Context, f pullFlags, args []string) error {
	if err := oneOf("--fail-on", f.FailOn, gateWords[:]...); err != nil {
		return err
	}
	if err := a.Load(); err != nil {
		return err
	}
	e, err := elsewhere.New(&a.Repo, f.offline)
	if err != nil {
		return err
	}
	defer e.Close()
	list, changed, err := e.PullAndLock(ctx, f.PullOptions, args)
	if err != nil {
		return err
	}
	summary := ""
	if f.Update {
		layers := func() (before, after []loadout.Layer, err error) { return e.LockedLayers(ctx, list) }
		summary = elsewhere.Summary(e, list) + eval.LockedRouting(ctx, &a.Repo, layers)
	}
	return a.reportPull(f, list, changed, summary)
}

// pulledPack is the part of the envelope about one reference.
type pulledPack struct {
	schema.LockedRef
	State string `json:"state"` // locked, added or updated
	From  string `json:"from"`  // "cache", or the source it was fetched from
	Files int    `json:"files"`
	Out   string `json:"out,omitempty"`
}

// reportPull prints the outcome of each reference and returns the worst exit code.
func (a *app) reportPull(f pullFlags, list []*elsewhere.Pulled, changed bool, summary string) error {
	code := exitDone
	head := envelopeOf(a.verb, nil)
	packs := []pulledPack{}
	for _, p := range list {
		head.Findings = append(head.Findings, findingsOf(p.Found)...)
		if diag.Count(p.Found, diag.Error) > 0 {
			head.OK = false
		}
		if diag.Count(p.Found, diag.Error)+diag.Count(p.Found, diag.Warning) > 0 && head.Status == schema.Passed {
			head.Status = schema.NeedsReview
		}
		if !a.json && len(p.Found) > 0 {
			a.printFindings(p.Found, map[string]string{p.Artifact.Name: p.Artifact.Name})
		}
		if p.Err != nil {
			code = max(code, codeOf(p.Err))
			head.OK, head.Status = false, schema.Failed
			head.Findings = append(head.Findings, failure(a.verb, p.Err).Findings...)
			if !a.json {
				a.printError(p.Err)
			}
			continue
		}
		from := "cache"
		if p.Artifact.Fetched || p.Ref.IsLocal() {
			from = p.Artifact.Entry.Source
		}
		packs = append(packs, pulledPack{p.Artifact.Entry, p.State, from, len(p.Artifact.Files()), p.Out})
	}
	if a.json {
		a.printJSON(struct {
			envelope
			DryRun  bool         `json:"dry_run"`
			Lock    string       `json:"lock"`
			Changed bool         `json:"changed"` // whether packgen.lock changed, or would change
			Packs   []pulledPack `json:"packs"`
			Summary string       `json:"summary,omitempty"` // of lock update, as Markdown
		}{head, f.DryRun, schema.LockName, changed, packs, summary})
	} else if summary != "" && (code == exitDone || len(packs) > 0) {
		fmt.Fprint(a.stdout, summary)
	} else {
		a.printPulled(f, packs, changed, code)
	}
	if code != exitDone {
		return &endCode{code}
	}
	return nil
}

func (a *app) printPulled(f pullFlags, packs []pulledPack, changed bool, code int) {
	if a.quiet || len(packs) == 0 {
		return
	}
	t := &columns.Table{}
	t.Add("PACK", "VERSION", "STATE", "FROM", "TREE", "REFERENCE")
	for _, p := range packs {
		t.Add(diag.Printable(p.Pack), diag.Printable(cmp.Or(p.Version, "-")), p.State, p.From, p.Tree, diag.Printable(p.Ref))
	}
	t.Write(a.stdout)
	for _, p := range packs {
		if p.Out != "" {
			verb := "wrote"
			if f.DryRun {
				verb = "would write"
			}
			fmt.Fprintf(a.stdout, "%s %s: %s\n", verb, diag.Printable(p.Out), amount.Counted(p.Files, "file"))
		}
	}
	switch {
	case code != exitDone:
		fmt.Fprintf(a.stderr, "%s is as it was\n", schema.LockName)
	case changed && f.DryRun:
		fmt.Fprintf(a.stdout, "would change %s\n", schema.LockName)
	case changed:
		fmt.Fprintf(a.stdout, "wrote %s\n", schema.LockName)
	}
}
