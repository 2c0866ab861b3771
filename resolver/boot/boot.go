package boot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
)

// Options choose what a boot says. The zero value boots everything.
type Options struct {
	Usecases []string // subjects to boot, in this order; nil boots all. Blanks around a slug do not count
	Headers  bool     // of a said skill, its leading comment is printed alone, with a note that the rest is hidden (section 12, row 6)
	Budget   int      // cap in tokens of the rendered boot; 0 takes the one of boot.yml
	Uncapped bool     // the budget of boot.yml refuses nothing
	Compact  bool     // path-only lines that follow each other share the folder of their paths
	Strict   bool     // unknown keys and globs that match nothing are errors
}

// Result is one boot: what it prints, and what it costs.
type Result struct {
	Mode        Mode              `json:"mode"`
	Usecases    []string          `json:"usecases,omitempty"` // the subjects booted by name, trimmed and without repeats; nil when all are
	Sections    []Section         `json:"sections"`
	Cost        Cost              `json:"cost"`
	Budget      *Budget           `json:"budget,omitempty"` // nil when there is no cap
	Diagnostics []diag.Diagnostic `json:"-"`
	bodies      map[*file]*body
	compact     bool
}

// Refused reports whether a diagnostic is an error, so that nothing is printed.
func (r *Result) Refused() bool { return diag.Count(r.Diagnostics, diag.Error) > 0 }

// Cost is the token estimate of one boot, each number rounded up once on its
// sum (boot.yml section 10).
type Cost struct {
	Said     int `json:"said"`     // the contents
	Refs     int `json:"refs"`     // the path-only lines
	Rendered int `json:"rendered"` // everything printed, tags included
	Items    int `json:"items"`    // elements printed
	Briefs   int `json:"briefs"`   // said briefs
	Skills   int `json:"skills"`   // said skills
}

// Boot checks the role and selects what it says. Faults of the role and of the
// selection are diagnostics of the Result, in the order of boot.yml section 7:
// those of the first stage that has any (YAML, mode, schema and globs, usecase,
// files, budget). The error is for a file that cannot be read, or a cancelled
// context.
func (r *Role) Boot(ctx context.Context, opts Options) (*Result, error) {
	return r.session(opts).boot(ctx)
}

// session is the work on one role with one set of options.
type session struct {
	role    *Role
	opts    Options
	planner *planner
	bodies  map[*file]*body
	stale   []StaleGlob

	onlyAlways bool // no subject is booted, although none was named
}

func (r *Role) session(opts Options) *session {
	return &session{role: r, opts: opts, bodies: map[*file]*body{}}
}

// boot runs the stages.
func (s *session) boot(ctx context.Context) (*Result, error) {
	res := &Result{Sections: []Section{}, bodies: s.bodies, compact: s.opts.Compact}
	cfg := s.check(res)
	if cfg == nil || res.Refused() {
		s.settle(res)
		return res, nil
	}
	s.planner = newPlanner(s.role, cfg)
	if !s.planner.matchAll() {
		s.add(res, idLimit, diag.Error, "the globs of "+configName+" take too long to match",
			"use fewer globs with several stars in one name")
		return res, nil
	}
	s.staleGlobs(res)
	if s.settle(res); res.Refused() {
		return res, nil
	}
	if s.onlyAlways {
		res.Usecases = []string{}
	}
	res.Sections = s.planner.plan(res.Usecases)
	if s.planner.overflow {
		s.add(res, idLimit, diag.Error, fmt.Sprintf("the boot would print more than %d elements", s.role.limits.lines), "choose fewer subjects with --usecase, or list fewer items in boot.yml")
		return res, nil
	}
	if err := s.readSaid(ctx, res); err != nil || res.Refused() {
		return res, err
	}
	res.Cost = s.price(res.Sections)
	s.checkBudget(res)
	diag.Sort(res.Diagnostics)
	return res, nil
}

// check runs the stages that need no content and no glob: the file, the
// selection, the role's files.
func (s *session) check(res *Result) *Config {
	r := s.role
	if len(r.ymlDiags) > 0 {
		res.Diagnostics = append(res.Diagnostics, r.ymlDiags...)
		return nil
	}
	cfg := &Config{}
	if r.hasYML {
		var found []diag.Diagnostic
		cfg, found = Parse(r.name+configName, r.yml)
		res.Diagnostics = append(res.Diagnostics, found...)
	}
	if s.strict(res); cfg == nil || res.Refused() {
		return nil
	}
	res.Mode = cfg.Mode
	slugs, fault, hint := selected(cfg, s.opts.Usecases)
	isUnread := !r.hasYML && slices.ContainsFunc(r.diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
	if fault != "" && !isUnread { // what a role says that cannot be read, nobody knows
		s.add(res, IDUsecase, diag.Error, fault, hint)
	} else {
		res.Usecases = slugs
		res.Diagnostics = append(res.Diagnostics, r.diags...)
	}
	return cfg
}

// settle applies strictness and sorts.
func (s *session) settle(res *Result) {
	s.strict(res)
	diag.Sort(res.Diagnostics)
}

// strict turns the warnings that hide a costly slip into errors.
func (s *session) strict(res *Result) {
	for i := range res.Diagnostics {
		if d := &res.Diagnostics[i]; s.opts.Strict && (d.ID == idKeyUnknown || d.ID == idGlobStale) {
			d.Severity = diag.Error
		}
	}
}

// add records a diagnostic about boot.yml as a whole.
func (s *session) add(res *Result, id string, severity diag.Severity, message, hint string) {
	res.Diagnostics = append(res.Diagnostics, s.role.fault(id, severity, configName, message, hint))
}

// selected reads the usecases (boot.yml section 7).
func selected(cfg *Config, given []string) (slugs []string, fault, hint string) {
	if given == nil {
		return nil, "", ""
	}
	if cfg.Mode != ModeSubject {
		return nil, "usecase requires subject mode", "this role's " + configName + " declares no always and no subject.<slug>"
	}
	known := cfg.Subjects()
	for _, slug := range given {
		slug = strings.TrimSpace(slug)
		switch {
		case slug == "" || slices.Contains(slugs, slug):
			continue
		case !slices.Contains(known, slug):
			fault = "subject not found: " + show(slug) + "; this role has no subjects"
			if len(known) > 0 {
				fault = "subject not found: " + show(slug) + "; the subjects are " + listed(known, show)
			}
			if near := nearestWord(slug, known); near != "" {
				hint = "did you mean " + show(near) + "?"
			}
			return nil, fault, hint
		}
		slugs = append(slugs, slug)
	}
	if len(slugs) == 0 {
		return nil, "usecase requires at least one subject", ""
	}
	return slugs, "", ""
}
