package main

import (
	"cmp"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/remote/elsewhere"
)

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
