package suites

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

// OfferQuestions offers the query of each section that was lost as a question of its
// page, on ask, and writes those that the author agrees to: a line "y" of in for each.
// What was written is added to Written and reported on out. Validation queries are never
// offered, and none for a section that does not exist.
func (e *Run) OfferQuestions(in io.Reader, ask, out io.Writer) error {
	answers := bufio.NewScanner(in)
	for _, c := range e.Contexts {
		for i := range c.Report.Results {
			r := &c.Report.Results[i]
			for _, m := range r.Misses {
				document, section, ok := strings.Cut(m.Section, "#")
				if !ok || !strings.HasSuffix(document, ".md") || m.Rule == resolver.BySplit {
					continue
				}
				fmt.Fprintf(ask, "%s: add the question %q? [y/N] ", diag.Printable(m.Section), diag.Printable(r.Case.Query))
				agreed := answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
				fmt.Fprintln(ask)
				if !agreed {
					continue
				}
				if err := e.addQuestion(c.member, document, section, r.Case.Query, ask, out); err != nil {
					return err
				}
			}
		}
	}
	if err := answers.Err(); err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	return nil
}

// addQuestion writes one question into the front matter of a file of a pack. A file
// whose front matter cannot be rewritten is left as it is, with a note.
func (e *Run) addQuestion(m *repo.Member, document, section, question string, note, out io.Writer) error {
	name := diag.Printable(m.Dir + "/" + document)
	text, err := m.Pack.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	now, err := eval.AddQuestion(text, section, question)
	if err != nil {
		fmt.Fprintf(note, "note: %s: %v\n", name, err)
		return nil
	}
	if err := e.write(e.ws.Paths.Abs(m.Dir), m.Dir+"/"+document, document, now); err != nil {
		return err
	}
	verb := "wrote"
	if e.DryRun {
		verb = "would write"
	}
	fmt.Fprintf(out, "%s %s\n", verb, name)
	return nil
}
