package main

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/workspace"
)

// scoreFlags are the flags that say how hits become a score.
type scoreFlags struct {
	matcher  string
	minScore float64
}

func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` that makes hits a score: coverage or recall")
	flags.Float64Var(&f.minScore, "min-score", loadout.DefaultMinScore, "`SCORE` from 0 to 1 from which an entry is included")
}

// options checks the flags. Without --matcher the configuration chooses the matcher.
func (f *scoreFlags) options(a *app, flags *pflag.FlagSet) (loadout.MatchOptions, workspace.Config, error) {
	var o loadout.MatchOptions
	cfg, err := a.LoadConfig()
	if err != nil {
		return o, cfg, err
	}
	matcher := f.matcher
	if !flags.Changed("matcher") {
		matcher = cfg.Matcher
	}
	if err := oneOf("--matcher", matcher, "coverage", "recall"); err != nil {
		return o, cfg, err
	}
	if !(f.minScore >= 0 && f.minScore <= 1) { // true for NaN too
		return o, cfg, diag.WithHint(fmt.Errorf("--min-score %v is not a score", f.minScore), "write a number from 0 to 1")
	}
	o.MinScore = &f.minScore
	if matcher == "recall" {
		o.Dialect = loadout.Recall
	}
	return o, cfg, nil
}
