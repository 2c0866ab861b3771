package compiler

import "strings"

// Standings says which views and splits are built on stale or disputed material:
// "stale" or "disputed", the worse of the two, by path. Whoever shows or loads one
// says so (agent-knowledge section 14.1). A split rests on its file and its claims,
// a list of facts on the files of its lines and the claims it took over, any other
// view on its files with all their claims.
func (r *Result) Standings() map[string]string {
	out := map[string]string{}
	add := func(path, status string) {
		if status = Worse(out[path], status); status != "" {
			out[path] = status
		}
	}
	files, claims := map[string]string{}, map[string]string{}
	for i := range r.Units {
		u := &r.Units[i]
		files[u.Path] = u.Standing()
	}
	for i := range r.SourceMap.Claims {
		c := &r.SourceMap.Claims[i]
		if Worse("", c.Status) == "" {
			continue
		}
		claims[c.Document] = Worse(claims[c.Document], c.Status)
		for _, path := range c.CompiledInto {
			if strings.HasPrefix(path, "compiled/") {
				add(path, c.Status)
			}
		}
	}
	for i := range r.Index.Splits {
		s := &r.Index.Splits[i]
		add(s.Path, files[s.Document])
	}
	for i := range r.Index.Views {
		v := &r.Index.Views[i]
		for _, name := range v.DerivedFrom {
			add(v.Path, files[name])
			if v.Kind != "facts" {
				add(v.Path, claims[name])
			}
		}
	}
	return out
}

// Standing is "stale" or "disputed" for a file of that status, "disputed" for an
// open page of wiki/contradictions/ whatever it says, otherwise "".
func (u *UnitInfo) Standing() string {
	if strings.HasPrefix(u.Path, wikiContradictions) && u.Status != "ready" {
		return disputed
	}
	return Worse("", u.Status)
}

// Worse returns the worse of two statuses; statuses other than stale and disputed
// are ignored.
func Worse(a, b string) string {
	switch {
	case a == disputed || b == disputed:
		return disputed
	case a == stale || b == stale:
		return stale
	}
	return ""
}
