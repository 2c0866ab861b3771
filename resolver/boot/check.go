package boot

import (
	"context"
	"fmt"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
)

// Ids of the remarks that only [Check] makes.
const (
	idUnreached = "boot-item-unreached" // items that no list of any section matches
	idRefHeavy  = "boot-ref-heavy"      // path-only lines that cost more than what they stand for
)

// Check returns everything that is wrong, or worth knowing, in a role: the
// faults that refuse a boot, stale globs, content that is changed for printing,
// choices of usecases over the budget of boot.yml, items that no section
// reaches and references that outweigh their content. A budget that a single
// usecase exceeds is an error; one that only all subjects together exceed is a
// warning, since they need not be booted at once. The error is as for
// [Role.Boot].
func Check(ctx context.Context, role *Role) ([]diag.Diagnostic, error) {
	s := role.session(Options{Uncapped: true})
	rep, err := s.report(ctx)
	if err != nil {
		return nil, err
	}
	res := rep.Boot
	if res.Refused() {
		return res.Diagnostics, nil
	}
	s.checkUsecases(res, rep)
	if n := len(rep.Unreached); n > 0 {
		s.add(res, idUnreached, diag.Info,
			fmt.Sprintf("no section reaches %s: %s", amount.Counted(n, "file"), listed(rep.Unreached, quote)), "say, refer to or hide them")
	}
	if len(rep.Heavy) > 0 {
		var paths []string
		for _, h := range rep.Heavy {
			paths = append(paths, h.Path)
		}
		s.add(res, idRefHeavy, diag.Info,
			"the reference to each of these files costs more than its content: "+listed(paths, quote), "say them")
	}
	diag.Sort(res.Diagnostics)
	return res.Diagnostics, nil
}

// checkUsecases compares every choice that the report prices with the budget.
func (s *session) checkUsecases(res *Result, rep *Report) {
	limit := s.planner.cfg.Budget
	if limit <= 0 {
		return
	}
	if len(rep.Usecases) < 2 && res.Cost.Rendered > limit { // all there is to choose
		s.add(res, idOverBudget, diag.Error,
			fmt.Sprintf("the boot exceeds its budget: cap %d tokens, actual %d", limit, res.Cost.Rendered), "run packgen boot, which lists the remedies")
		return
	}
	for _, u := range rep.Usecases {
		switch {
		case u.Cost.Rendered <= limit:
		case u.Slug == "":
			s.add(res, idOverBudget, diag.Warning,
				fmt.Sprintf("a boot of all subjects exceeds the budget: cap %d tokens, actual %d", limit, u.Cost.Rendered), "choose subjects with --usecase")
		default:
			s.add(res, idOverBudget, diag.Error,
				fmt.Sprintf("the usecase %s exceeds the budget: cap %d tokens, actual %d", show(u.Slug), limit, u.Cost.Rendered),
				"run packgen boot --usecase, which lists the remedies")
		}
	}
}
