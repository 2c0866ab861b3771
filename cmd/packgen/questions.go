package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/columns"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/repo"
)

func newQuestions(a *app) *cobra.Command {
	limit := 20
	cmd := &cobra.Command{
		Use:   "questions [pack...]",
		Short: "List sections without a question of their author, most needed first",
		Long: `questions lists the sections of packs that name no question which they answer.
Such questions, under questions: in the front matter of a page, hold the words
that readers use and the text does not; resolve finds sections by them.

Sections that context evals lose come first, then those that a recorded query
with an uncertain answer came nearest to (resolve --write-run keeps these in the
pack's runs/), then the largest. packgen eval --ask writes questions for those
that evals lose.`,
		Example: "  packgen questions\n  packgen questions handbook --limit 0",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.runQuestions(cmd.Context(), args, limit) },
	}
	cmd.Flags().IntVar(&limit, "limit", limit, "print at most `N` sections of a pack; 0 is all")
	return cmd
}

func (a *app) runQuestions(ctx context.Context, names []string, limit int) error {
	if err := a.Load(); err != nil {
		return err
	}
	l := repo.NewLibrary(&a.Repo)
	defer l.Close()
	needs, notes, err := eval.QuestionsNeeded(ctx, &a.Repo, l.Open, names, limit)
	if err != nil {
		return err
	}
	if a.json {
		a.printJSON(struct {
			envelope
			Sections []eval.Need `json:"sections"`
		}{envelopeOf("questions", nil), needs})
		return nil
	}
	t := &columns.Table{Right: map[int]bool{2: true, 3: true, 4: true}}
	t.Add("PACK", "SECTION", "LOST", "RECORDED", "TOKENS")
	for _, n := range needs {
		t.Add(diag.Printable(n.Pack), diag.Printable(n.Section), amount.Grouped(n.Lost), amount.Grouped(len(n.Queries)), amount.Grouped(n.Tokens))
	}
	t.Write(a.stdout)
	for _, note := range notes {
		fmt.Fprintln(a.stdout, diag.Printable(note))
	}
	return nil
}
