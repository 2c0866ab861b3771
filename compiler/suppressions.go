package compiler

import (
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/store"
)

// suppressions collects what comments in files switch off, by file.
func suppressions(files []*file) map[string][]lint.Suppression {
	by := map[string][]lint.Suppression{}
	for _, f := range files {
		if len(f.suppress) > 0 {
			by[f.path] = f.suppress
		}
	}
	return by
}

func packSuppressions(w *store.Writer, list []lint.Suppression) {
	w.Uint(len(list))
	for i := range list {
		s := &list[i]
		w.Str(s.Rule)
		w.Str(s.Reason)
		w.Uint(s.Line)
		w.Uint(s.First)
		w.Uint(s.Last)
		w.Bool(s.InCode)
	}
}

func unpackSuppressions(r *store.Reader) []lint.Suppression {
	n := r.CountOf(6)
	if n == 0 {
		return nil
	}
	list := make([]lint.Suppression, n)
	for i := range list {
		list[i] = lint.Suppression{Rule: r.Str(), Reason: r.Str(), Line: r.Uint(), First: r.Uint(), Last: r.Uint(), InCode: r.Bool()}
	}
	return list
}
