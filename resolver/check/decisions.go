package check

import (
	"context"
	"fmt"
	"path"
	"slices"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/resolver/repo"
)

// Decision is a comment or a rule of the configuration with what it changes.
type Decision struct {
	At       string       // where it is, with its line
	Rule     string       // id
	To       policy.Level // what becomes of the findings
	Reason   string
	Findings []diag.Diagnostic // as they were found, with the path from the repository root
}

// Decisions checks the packs and returns the rules of the configuration in their
// order, then the comments by place.
func Decisions(ctx context.Context, w *repo.Repo, names []string) ([]Decision, error) {
	now, err := repo.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	c, err := checkOnce(ctx, w, RepositoryOptions{Now: now, Names: names})
	if err != nil {
		return nil, err
	}
	defer c.Close()
	config, _ := w.ConfigFile()
	config = w.Paths.Rel(w.Paths.Abs(config))
	list := make([]Decision, len(w.Config.Rules))
	for i, r := range w.Config.Rules {
		list[i] = Decision{At: fmt.Sprintf("%s:%d", config, r.Line), Rule: r.Rule, To: r.Level, Reason: r.Reason}
	}
	place := PlaceIn(c.All.Dirs())
	take := func(changed []policy.Change) {
		for _, change := range changed {
			d := change.Diagnostic
			d.Path = place(d)
			list[change.By].Findings = append(list[change.By].Findings, d)
		}
	}
	take(c.changed)
	comments := slices.Clone(c.suppressed)
	for _, m := range c.Chosen.Members {
		result := c.Checked[m]
		if result == nil {
			continue // the policy has no part in what keeps a pack from being read
		}
		take(result.Changed)
		for _, s := range result.Suppressed {
			s.Pack = m.Name()
			comments = append(comments, s)
		}
	}
	for i := range list {
		slices.SortStableFunc(list[i].Findings, diag.ComparePlaces)
	}
	return append(list, commentDecisions(comments, place)...), nil
}

// commentDecisions gathers what each comment suppresses.
func commentDecisions(comments []lint.Suppressed, place func(diag.Diagnostic) string) []Decision {
	var list []Decision
	index := map[string]int{}
	for _, s := range comments {
		s.Path = place(s.Diagnostic)
		at := fmt.Sprintf("%s:%d", s.Path, s.By)
		i, ok := index[at+" "+s.ID]
		if !ok {
			i = len(list)
			index[at+" "+s.ID] = i
			list = append(list, Decision{At: at, Rule: s.ID, To: policy.Off, Reason: s.Reason})
		}
		list[i].Findings = append(list[i].Findings, s.Diagnostic)
	}
	return list
}

// PlaceIn gives the path of a finding from the repository root, of packs in these
// directories.
func PlaceIn(dirs map[string]string) func(diag.Diagnostic) string {
	return func(d diag.Diagnostic) string {
		if dir := dirs[d.Pack]; dir != "" && d.Pack != "" {
			return path.Join(dir, d.Path)
		}
		return d.Path
	}
}
