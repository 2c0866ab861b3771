package boot

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/boot/glob"
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

// Always returns what the boot of a role says whatever the task: its result with
// the sections always and, when they are named, the usecases, and the paths
// below the role directory of the items said there, in the order of the boot.
// In simple mode these are the items that boot.yml says. A role without curation
// has no such set: its boot says everything, so the list is empty. Nothing is
// said by a result that is refused.
//
// It is what the context resolver adds to every selection from a pack that
// carries a boot.yml.
func (r *Role) Always(ctx context.Context, usecases []string) (paths []string, res *Result, err error) {
	s := r.session(Options{Usecases: usecases, Uncapped: true})
	s.onlyAlways = usecases == nil
	res, err = s.boot(ctx)
	if err != nil || res.Refused() || res.Mode == ModeNone {
		return nil, res, err
	}
	for _, item := range items(res.Sections) {
		if item.said() {
			paths = append(paths, item.Path)
		}
	}
	return paths, res, nil
}

// Limits on what a role may hold. They are far above roles in use, and keep the
// cost of a hostile one bounded. Package glob has those of one glob.
const (
	maxConfigBytes = 4 << 20   // bytes of boot.yml
	maxAliasNodes  = 10_000    // YAML nodes that aliases may add to a document
	maxFaults      = 1000      // diagnostics about one boot.yml; what follows is only counted
	maxLines       = 2_000_000 // elements that one boot prints
	maxEntries     = 100_000   // files and folders visited below a role
	maxLinks       = 10_000    // links followed below a role
	maxDepth       = 64        // folders inside each other below a role
	maxItemBytes   = 16 << 20  // bytes of one brief or skill
	maxSaidBytes   = 256 << 20 // bytes of everything one boot says
)

// limits are those that depend on the role as a whole. Tests lower them.
type limits struct {
	lines, entries, links, depth, saidBytes int
}

func defaultLimits() limits {
	return limits{lines: maxLines, entries: maxEntries, links: maxLinks, depth: maxDepth, saidBytes: maxSaidBytes}
}

// Mode says which of its two forms a boot.yml uses (boot.yml section 3).
type Mode uint8

// The modes.
const (
	ModeNone    Mode = iota // no curation: everything is said
	ModeSimple              // top-level briefs and skills
	ModeSubject             // always and subject.<slug>
)

// String returns the mode's name as messages and JSON use it.
func (m Mode) String() string {
	switch m {
	case ModeSimple:
		return "simple"
	case ModeSubject:
		return "subject"
	}
	return "none"
}

// MarshalText makes JSON hold the name.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Config is a boot.yml that passed every check on the file alone.
type Config struct {
	Mode     Mode
	Sections []SectionRules // simple: one; subject: always first where it exists, then the subjects in file order
	Budget   int            // cap in tokens of the rendered boot; 0 when there is none
}

// SectionRules are the lists of one section.
type SectionRules struct {
	Kind  string   // "simple", "always" or "subject.<slug>"
	Slug  string   // the part after "subject."; "" for the other kinds
	Rules [2]Rules // by the type of item
}

// Rules are the say, ref and hide lists for one type of item in one section.
type Rules struct {
	HasSay bool // whether the key exists, even with an empty list (it matters in simple mode)
	Say    []Glob
	Ref    []Glob
	Hide   []Glob // from hide and its alias not
}

// listNames are the names of the three lists, in the order of reports.
var listNames = [3]string{"say", "ref", "hide"}

// placedGlob is a glob with where it is.
type placedGlob struct {
	glob    *Glob
	section *SectionRules
	kind    Kind
	list    string
}

// globs ranges over all globs of the file, booted or not, in the order of reports.
func (c *Config) globs() iter.Seq[placedGlob] {
	return func(yield func(placedGlob) bool) {
		for i := range c.Sections {
			for k, r := range c.Sections[i].Rules {
				for n, list := range [3][]Glob{r.Say, r.Ref, r.Hide} {
					for g := range list {
						if !yield(placedGlob{&list[g], &c.Sections[i], Kind(k), listNames[n]}) {
							return
						}
					}
				}
			}
		}
	}
}

// Glob is one entry of a list.
type Glob struct {
	Text    string
	Line    int // 1-based line in boot.yml
	Column  int // 1-based column in bytes
	pattern glob.Pattern
}

// Subjects returns the slugs of the subjects in file order.
func (c *Config) Subjects() []string {
	var slugs []string
	for i := range c.Sections {
		if c.Sections[i].Slug != "" {
			slugs = append(slugs, c.Sections[i].Slug)
		}
	}
	return slugs
}

// budget reads the top-level budget mapping (boot.yml section 11). Its keys are
// closed: in a flow mapping "tokens: 5,000" reads as tokens 5 and a key 000,
// and ignoring the latter would set a cap nobody wrote.
func (p *parser) budget(value *yaml.Node) int {
	if isNull(value) {
		return 0
	}
	if value.Kind != yaml.MappingNode {
		p.add(idSchema, diag.Error, value, p.schema+": budget must be a mapping, not "+describe(value), "write budget: {tokens: 20_000}")
		return 0
	}
	tokens := 0
	for i := 0; i+1 < len(value.Content); i += 2 {
		k, v := value.Content[i], deref(value.Content[i+1])
		if textOf(k) != "tokens" {
			p.add(idSchema, diag.Error, k, p.schema+": budget has no key "+quoteKey(k),
				"write its only key, tokens; quote a number with a comma inside { }")
			continue
		}
		n, ok := wholeNumber(v)
		if !ok {
			p.add(idSchema, diag.Error, v, p.schema+": budget tokens must be a positive whole number", "write a number such as 20000, 20_000 or \"20,000\"")
			continue
		}
		tokens = n
	}
	return tokens
}

// wholeNumber reads digits with _ or , between them.
func wholeNumber(n *yaml.Node) (int, bool) {
	if n.Kind != yaml.ScalarNode {
		return 0, false
	}
	text := n.Value
	if text == "" || !digit(text[0]) || !digit(text[len(text)-1]) || strings.ContainsAny(text, "xo") {
		return 0, false
	}
	v, ok := amount.Whole(strings.NewReplacer("_", "", ",", "").Replace(text))
	return int(v), ok && v > 0 && v <= math.MaxInt32
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// deref follows an alias to the node it stands for.
func deref(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// isMerge reports the key <<.
func isMerge(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!merge" }

// isNull reports whether a node is a key's missing value, or null written out.
func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}
