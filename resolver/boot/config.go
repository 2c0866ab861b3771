package boot

import (
	"iter"

	"github.com/packgen/packgen/resolver/boot/glob"
)

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
