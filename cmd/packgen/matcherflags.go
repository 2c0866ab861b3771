package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/loadout"
)

// scoreFlags are the flags that say how hits become a score.
type scoreFlags struct {
	matcher  string
	minScore float64
}

func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.matcher, "matcher", "coverage", "the `DIALECT` that makes hits a score: "+dialectNames())
	flags.Float64Var(&f.minScore, "min-score", loadout.DefaultMinScore, fmt.Sprintf("`SCORE` from 0 to 1 from which an entry is included; with weighted %v unless given", loadout.WeightedMinScore))
}

// options checks the flags. Without --matcher the configuration chooses the matcher.
func (f *scoreFlags) options(a *app, flags *pflag.FlagSet) (loadout.MatchOptions, error) {
	var o loadout.MatchOptions
	if err := a.Load(); err != nil {
		return o, err
	}
	matcher := f.matcher
	if !flags.Changed("matcher") {
		matcher = a.Config.Matcher
	}
	if err := oneOf("--matcher", matcher, loadout.Dialects()...); err != nil {
		return o, err
	}
	if !(f.minScore >= 0 && f.minScore <= 1) { // true for NaN too
		return o, diag.WithHint(fmt.Errorf("--min-score %v is not a score", f.minScore), "write a number from 0 to 1")
	}
	o.Dialect, _ = loadout.NamedDialect(matcher) // oneOf has checked the name
	if flags.Changed("min-score") {
		o.MinScore = &f.minScore
	}
	return o, nil
}

// dialectNames lists the dialects as a sentence does.
func dialectNames() string {
	names := loadout.Dialects()
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
