package main

import (
	"bufio"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/eval/suites"
	"github.com/packgen/packgen/resolver/workspace"
)

// offerQuestions offers the query of each section that was lost as a question of its
// page, and writes those that the author agrees to: a line "y" of standard input for
// each. Validation queries are never offered.
func (a *app) offerQuestions(e *suites.Run, dryRun bool) error {
	in := bufio.NewScanner(a.stdin)
	for _, c := range e.Contexts {
		for i := range c.Report.Results {
			r := &c.Report.Results[i]
			for _, m := range r.Misses {
				document, section, ok := strings.Cut(m.Section, "#")
				if !ok || !strings.HasSuffix(document, ".md") {
					continue
				}
				fmt.Fprintf(a.stderr, "%s: add the question %q? [y/N] ", diag.Printable(m.Section), diag.Printable(r.Case.Query))
				agreed := in.Scan() && strings.EqualFold(strings.TrimSpace(in.Text()), "y")
				fmt.Fprintln(a.stderr)
				if !agreed {
					continue
				}
				if err := a.addQuestion(c.Member, document, section, r.Case.Query, dryRun); err != nil {
					return err
				}
			}
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	return nil
}

// addQuestion writes one question into the front matter of a file of a pack. A file
// whose front matter cannot be rewritten is left as it is, with a note.
func (a *app) addQuestion(m *workspace.Member, document, section, question string, dryRun bool) error {
	root, err := regular.Root(a.Path(m.Dir))
	if err != nil {
		return fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	defer root.Close()
	text, err := root.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read %s: %w", document, err)
	}
	name := diag.Printable(m.Dir + "/" + document)
	now, err := eval.AddQuestion(text, section, question)
	if err != nil {
		fmt.Fprintf(a.stderr, "note: %s: %v\n", name, err)
		return nil
	}
	if !dryRun {
		if err := check.WriteBelow(a.Path(m.Dir), document, now); err != nil {
			return workspace.ExplainWrite(fmt.Errorf("write %s: %w", document, err))
		}
	}
	verb := "wrote"
	if dryRun {
		verb = "would write"
	}
	fmt.Fprintf(a.stdout, "%s %s\n", verb, name)
	return nil
}
