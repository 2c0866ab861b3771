package compiler

import (
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
)

// indexPath is the manifest of views and splits (agent-knowledge section 6.7).
const indexPath = "compiled/index.json"

// indexSplits builds compiled/index.json; splits get their order here, and chapters
// their coverage. From then on the sections of files are not needed any more.
func (j *joined) indexSplits(views []schema.View) {
	n := 0
	for _, f := range j.files {
		n += len(f.sections)
	}
	x := schema.Index{
		SchemaVersion: 1, Pack: j.pack.Meta.Name, Profile: j.profile, RuntimeMode: j.mode,
		PrimaryDocument: secret.RedactPath(j.pack.Meta.PrimaryDocument), Views: views, Splits: make([]schema.Split, 0, n),
	}
	for _, v := range views {
		x.TotalTokenEstimate += v.TokenEstimate
	}
	for _, f := range j.files {
		first := len(x.Splits)
		for i := range f.sections {
			s := &f.sections[i]
			if s.split.Path == "" {
				continue
			}
			if s.shared {
				last := &j.coverage[len(j.coverage)-1]
				*last = sharedCoverage(*last, s.coverage)
				continue
			}
			s.split.Order = len(x.Splits) + 1
			x.TotalTokenEstimate += s.split.TokenEstimate
			x.Splits = append(x.Splits, s.split)
			j.coverage = append(j.coverage, s.coverage)
		}
		f.splits, f.sections = x.Splits[first:len(x.Splits):len(x.Splits)], nil
	}
	j.index = x
}
