package compiler

import (
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// indexSplits takes the splits of a file over from its sections, which go with that: of all
// files together they are as much as the index.
func (j *joined) indexSplits(f *file) {
	x, first := &j.index, len(j.index.Splits)
	for i := range f.sections {
		s := &f.sections[i]
		switch {
		case s.split.Path == "":
		case s.shared:
			last := &j.coverage[len(j.coverage)-1]
			*last = sharedCoverage(*last, s.coverage)
		default:
			s.split.Order = len(x.Splits) + 1
			x.TotalTokenEstimate += s.split.TokenEstimate
			x.Splits = append(x.Splits, s.split)
			j.coverage = append(j.coverage, s.coverage)
		}
	}
	f.splits, f.sections = x.Splits[first:len(x.Splits):len(x.Splits)], nil
}

// describeIndex completes compiled/index.json, which has the splits.
func (j *joined) describeIndex(views []schema.View) {
	x := &j.index
	x.SchemaVersion, x.Pack, x.Profile, x.RuntimeMode = 1, j.pack.Meta.Name, j.profile, j.mode
	x.PrimaryDocument, x.Views = secret.RedactPath(j.pack.Meta.PrimaryDocument), views
	for _, v := range views {
		x.TotalTokenEstimate += v.TokenEstimate
	}
}
