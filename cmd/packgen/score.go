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

// register adds the flags to a verb.
func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` that makes hits a score: coverage or recall")
	flags.Float64Var(&f.minScore, "min-score", loadout.DefaultMinScore, "`SCORE` from 0 to 1 from which an entry is included")
}

// options checks the flags. The configuration decides about the matcher where
// no flag does.
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
	if err := checkScore("--min-score", f.minScore); err != nil {
		return o, cfg, err
	}
	o.MinScore = &f.minScore
	if matcher == "recall" {
		o.Dialect = loadout.Recall
	}
	return o, cfg, nil
}

// checkScore refuses a threshold that no score can be compared with: every score is
// from 0 to 1.
func checkScore(flag string, score float64) error {
	if score >= 0 && score <= 1 { // false for NaN too
		return nil
	}
	return diag.WithHint(fmt.Errorf("%s %v is no score", flag, score), "write a number from 0 to 1")
}
