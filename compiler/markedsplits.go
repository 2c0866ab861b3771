package compiler

import (
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/token"
)

// markSplits puts markers after the claims of splits that are stale or disputed: a split is
// what pointers lead to and what an archive carries, and whoever reads it sees no source
// map. It follows from claims and sources as the source map does. The claims that it finds
// are noted for the views.
func (j *joined) markSplits() error {
	doubts := newDoubts()
	j.doubts, j.leads = doubts, map[*file]schema.Status{}
	for _, f := range j.files {
		for i := range f.sections {
			s := &f.sections[i]
			if !f.walked || s.withheld {
				continue
			}
			for k := range s.statements {
				st := &s.statements[k]
				doubt := j.doubtOf(f, st)
				doubts.add(f.path, st.text, doubt)
				if doubt != "" && overlap(st.text, f.lead) {
					j.leads[f] = schema.Worse(j.leads[f], doubt)
				}
			}
		}
		if doubts.Any(f.path) {
			if err := j.markFile(f, doubts); err != nil {
				return err
			}
		}
	}
	return nil
}

// overlap reports whether one of two texts holds the other, in whatever case and punctuation.
func overlap(a, b string) bool {
	a, b = lint.FoldText(a), lint.FoldText(b)
	return a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// mark puts the markers of splits after the claims of a generated view.
func (v *view) mark(doubts *Doubts) {
	text := v.text.String()
	marked := string(doubts.Mark("", []byte(text)))
	v.text.Reset()
	v.text.WriteString(marked)
}

// doubtOf is "stale" or "disputed" for a statement with a claim that is one of the two.
func (j *joined) doubtOf(f *file, st *statement) schema.Status {
	if j.conflicts(st) {
		return schema.Disputed
	}
	status := st.marker.Doubt()
	for _, a := range st.anchors {
		status = schema.Worse(status, j.ownStatus(f, st, a))
	}
	return status
}

// markFile marks the splits of a file.
func (j *joined) markFile(f *file, doubts *Doubts) error {
	texts, err := j.textsOf(f)
	if err != nil {
		return err
	}
	byPath := map[string]*schema.Split{}
	for i := range f.sections {
		if s := &f.sections[i]; !s.shared {
			byPath[s.split.Path] = &s.split
		}
	}
	var marked []byte
	sizes := slices.Clone(f.info.Sizes)
	at := 0
	for i, size := range f.info.Sizes {
		from := at
		if at += size.Size; at > len(texts) {
			return fmt.Errorf("the splits of %s do not fit their record", f.path)
		}
		text := doubts.Mark(f.path, texts[from:at])
		marked, sizes[i].Size = append(marked, text...), len(text)
		if s := byPath[size.Path]; s != nil && len(text) != size.Size { // otherwise another file has taken the path
			s.SHA256, s.TokenEstimate = schema.SHA256(text), token.Estimate(string(text))
		}
	}
	if len(marked) == len(texts) {
		return nil
	}
	f.info.Sizes = sizes
	if f.texts != nil {
		f.texts = marked
	}
	if f.info.Texts.Known() {
		f.info.Texts = j.cache.store.SetBlob(marked)
	}
	return nil
}
