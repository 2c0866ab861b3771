package rules

import (
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
)

// GrowsNote is for a file so short that a split makes it longer.
const GrowsNote = "what is written in place of the sections costs more than they do: a file this short is better left whole"

// Text is the report for people. Loads are what the agent loads in every session;
// strong makes a heading stand out.
func (r *Report) Text(loads []Load, strong func(string) string) string {
	var b strings.Builder
	always, onDemand := r.Tokens()
	fmt.Fprintf(&b, "%s: %s, %s tokens\n", diag.Printable(r.FilePath), amount.Counted(r.TotalLines, "line"), amount.Grouped(r.TotalTokens))
	loadsText(&b, loads)
	if len(r.Proposals) == 0 {
		return b.String() + r.UnroutedText() + "nothing to split: every section is short or always needed\n"
	}
	b.WriteString("\nwould move:\n")
	for i := range r.Proposals {
		b.WriteString(r.Proposals[i].Text(strong))
	}
	b.WriteString("\nwould stay:\n")
	for _, s := range r.CoreCandidate {
		fmt.Fprintf(&b, "  %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	b.WriteString(r.UnroutedText())
	// The table of the rules or the descriptions of skills always load too.
	if out, err := r.Compose(r.Proposals, ComposeOptions{Lazy: r.form.as == Lazy}); err == nil {
		always = out.After
	}
	others := 0
	for _, l := range loads {
		if l.Path != r.FilePath {
			others += l.Tokens
		}
	}
	fmt.Fprintf(&b, "\n%s tokens would always load, %s included, %s on demand\n", amount.Grouped(others+always), r.extra(), amount.Grouped(onDemand))
	if always >= r.TotalTokens {
		b.WriteString(GrowsNote + "\n")
	}
	return b.String()
}

// loadsText lists what the agent loads in every session, when that is more than the
// file itself.
func loadsText(b *strings.Builder, loads []Load) {
	if len(loads) < 2 {
		return
	}
	sum := 0
	for _, l := range loads {
		sum += l.Tokens
	}
	fmt.Fprintf(b, "\nloads in every session: %s tokens\n", amount.Grouped(sum))
	for _, l := range loads {
		fmt.Fprintf(b, "  %s  %s tokens  %s\n", diag.Printable(l.Path), amount.Grouped(l.Tokens), diag.Printable(l.Why))
	}
}

// UnroutedText lists the sections that stay because nothing would load them, and the
// imported files with sections that are split by themselves.
func (r *Report) UnroutedText() string {
	var b strings.Builder
	for _, s := range r.Unrouted {
		fmt.Fprintf(&b, "stays, for it names no path of this repository: %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	for _, s := range r.Importing {
		fmt.Fprintf(&b, "stays, for it imports a file, which only an instruction file does: %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	for _, f := range r.Imported {
		name := diag.Printable(f.Path)
		fmt.Fprintf(&b, "%s, which it imports, has %s that would move, %s tokens: packgen rules split %s\n", name, amount.Counted(f.Sections, "section"), amount.Grouped(f.Tokens), name)
	}
	return b.String()
}

// extra names what loads with the file because of a split.
func (r *Report) extra() string {
	switch r.form.as {
	case Skills:
		return "the descriptions of the skills"
	case Lazy:
		return "the table of the rules"
	}
	return "the sections without paths"
}

// Text is the proposal for people: where it goes, why, and by what it is found there.
func (p *Proposal) Text(strong func(string) string) string {
	by := "keywords [" + strings.Join(p.Keywords, ", ") + "]"
	if p.Description != "" {
		by = "description " + p.Description
	}
	return fmt.Sprintf("  %s  %s tokens\n      to %s: %s\n      %s\n", strong(diag.Printable(p.Section.Heading)), amount.Grouped(p.Section.Tokens),
		diag.Printable(p.Path), diag.Printable(p.Reason), diag.Printable(by))
}
