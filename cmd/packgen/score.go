package main

import (
	"errors"
	"math"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/resolver/loadout"
)

// scoreFlags are the flags that say how hits become a score.
type scoreFlags struct {
	matcher  string
	minScore float64
}

// register adds the flags to a verb.
func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` that makes hits a score: coverage or recall")
	flags.Float64Var(&f.minScore, "min-score", loadout.DefaultMinScore, "`SCORE` from which an entry is included")
}

// options checks the flags. The configuration decides about the matcher where
// no flag does.
func (f *scoreFlags) options(a *app, flags *pflag.FlagSet) (loadout.MatchOptions, Config, error) {
	var o loadout.MatchOptions
	cfg, err := a.loadConfig()
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
	if math.IsNaN(f.minScore) {
		return o, cfg, withHint(errors.New("--min-score is not a number"), "It takes a number from 0 to 1.")
	}
	o.MinScore = &f.minScore
	if matcher == "recall" {
		o.Dialect = loadout.Recall
	}
	return o, cfg, nil
}
