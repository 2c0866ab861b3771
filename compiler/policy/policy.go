package policy

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
)

// Level is what a finding becomes.
type Level uint8

// The levels. The zero value leaves findings out.
const (
	Off Level = iota
	Info
	Warning
	Error
)

// levels are the names of the levels.
var levels = [...]string{"off", diag.Info.String(), diag.Warning.String(), diag.Error.String()}

// Levels returns the names of the levels, mildest first.
func Levels() []string { return slices.Clone(levels[:]) }

// String returns the name of a level.
func (l Level) String() string { return levels[l] }

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, bool) {
	i := slices.Index(levels[:], name)
	return Level(max(i, 0)), i >= 0
}

// severity is that of a finding at this level, which must not be Off.
func (l Level) severity() diag.Severity { return diag.Severity(l - Info) }

// Rule is one decision of a repository. The tags are what the manual says of its keys
// in the configuration.
type Rule struct {
	Rule   string   `key:"rule" is:"rule id" or:"required" doc:"the rule whose findings are meant"`
	Level  Level    `key:"severity" is:"'off', 'info', 'warning', 'error'" or:"required" doc:"what they become"`
	Packs  []string `key:"packs" is:"list of patterns" or:"every pack, and what belongs to none" doc:"names of packs"`
	Files  []string `key:"files" is:"list of patterns" or:"every file" doc:"paths from the root of the repository, as findings print them; a directory means all below"`
	Reason string   `key:"reason" is:"text" or:"required" doc:"why; 'packgen check --explain' prints it"`
	Line   int      // 1-based line of the configuration
}

// covers reports whether a finding at a path is meant.
func (r *Rule) covers(d *diag.Diagnostic, place string) bool {
	if r.Rule != d.ID {
		return false
	}
	if len(r.Packs) > 0 && (d.Pack == "" || !matchesAny(r.Packs, d.Pack)) {
		return false
	}
	return len(r.Files) == 0 || matchesAny(r.Files, place)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimSuffix(p, "/")
		return doublestar.MatchUnvalidated(p, name) || doublestar.MatchUnvalidated(p+"/**", name)
	})
}

// Policy is all decisions of a repository, in order. A nil Policy changes nothing.
type Policy struct{ Rules []Rule }

// Change is a finding that a policy changed.
type Change struct {
	diag.Diagnostic       // as it was found
	To              Level // what became of it
	By              int   // index of the rule that decided
}

// Apply returns the findings as the policy wants them, in their order, and what it
// changed. place gives the path of a finding from the repository root. Of several
// rules that cover a finding the last decides. Errors stay errors.
func (p *Policy) Apply(list []diag.Diagnostic, place func(diag.Diagnostic) string) (kept []diag.Diagnostic, changed []Change) {
	if p == nil || len(p.Rules) == 0 {
		return list, nil
	}
	kept = make([]diag.Diagnostic, 0, len(list))
	for _, d := range list {
		by := p.decides(d, place)
		if by < 0 {
			kept = append(kept, d)
			continue
		}
		to := p.Rules[by].Level
		if to != Off && to.severity() == d.Severity {
			kept = append(kept, d)
			continue
		}
		changed = append(changed, Change{d, to, by})
		if to != Off {
			d.Severity = to.severity()
			kept = append(kept, d)
		}
	}
	return kept, changed
}

// Local is a policy for one pack. The zero value changes nothing.
type Local struct {
	Policy *Policy
	Dir    string // of the pack, from the repository root
}

// Apply is [Policy.Apply] for findings about the pack.
func (l Local) Apply(list []diag.Diagnostic) (kept []diag.Diagnostic, changed []Change) {
	return l.Policy.Apply(list, func(d diag.Diagnostic) string { return path.Join(l.Dir, d.Path) })
}

// Key is equal for policies that decide alike about the same pack.
func (l Local) Key() string {
	if key := l.Policy.Key(); key != "" {
		return l.Dir + "\n" + key
	}
	return ""
}

// decides returns the index of the rule that decides about a finding; -1 for none.
func (p *Policy) decides(d diag.Diagnostic, place func(diag.Diagnostic) string) int {
	if d.Severity == diag.Error {
		return -1
	}
	for i := len(p.Rules) - 1; i >= 0; i-- {
		if p.Rules[i].Rule == d.ID && p.Rules[i].covers(&d, place(d)) {
			return i
		}
	}
	return -1
}

// Key is equal for policies that decide alike.
func (p *Policy) Key() string {
	if p == nil {
		return ""
	}
	var b strings.Builder
	for _, r := range p.Rules {
		fmt.Fprintf(&b, "%q %d %q %q\n", r.Rule, r.Level, r.Packs, r.Files)
	}
	return b.String()
}
