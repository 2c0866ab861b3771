package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/schema"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/context/rank"
)

// openAtOnce is how many packs are read at the same time.
const openAtOnce = 16

// candidate is a pack as the catalog knows it.
type candidate struct {
	Pack
	entry    *pack.Pack // front matter only; nil when the pack cannot be used
	fault    string     // why it cannot
	place    int        // among the packs given
	score    int        // against the query, for packs that nobody named
	warnings []Warning
	blocked  bool
	kept     string // why the resolver may not choose it
	raised   bool   // it says that the budget was raised
	whole    bool   // what is kept of it does not hold: it is read as a whole
}

// name is the pack's name, or its directory's when it has none.
func (c *candidate) name() string {
	if c.entry != nil && c.entry.Meta.Name != "" {
		return c.entry.Meta.Name
	}
	dir := strings.TrimRight(strings.ReplaceAll(c.Dir, `\`, "/"), "/")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

func (c *candidate) warn(severity diag.Severity, message string) {
	c.warnings = append(c.warnings, Warning{severity, pack.EntryName, message})
}

// block refuses the pack: it is named, and nothing of it is read.
func (c *candidate) block(message string) {
	c.blocked = true
	c.warn(diag.Error, message)
}

// trust is the declared trust, capped.
func (c *candidate) trust() string {
	declared := c.entry.Meta.Trust
	if c.MaxTrust != "" && pack.TrustRank(declared) > pack.TrustRank(c.MaxTrust) {
		return c.MaxTrust
	}
	return declared
}

// catalog reads the front matter of every pack and nothing else (agent-knowledge
// section 13.2 rule 1).
func catalog(ctx context.Context, packs []Pack) ([]*candidate, error) {
	list := make([]*candidate, len(packs))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(openAtOnce)
	for i, p := range packs {
		group.Go(func() error {
			if err := running.Err(); err != nil {
				return err
			}
			c := &candidate{Pack: p, place: i}
			list[i] = c
			entry, found, err := pack.ReadEntry(p.FS, p.Dir)
			if err != nil {
				return fmt.Errorf("read pack %s: %w", p.Dir, err)
			}
			c.entry, c.fault = entry, faultOf(entry, found)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return list, ctx.Err()
}

// faultOf says why a pack cannot be selected (section 3.8): a field without
// which it is not a pack, or front matter that cannot be read. "" means it can.
func faultOf(entry *pack.Pack, found []diag.Diagnostic) string {
	if entry != nil {
		k := &entry.Meta
		if k.Name != "" && k.Description != "" && k.Type != "" && slices.Contains(schema.PackStatuses(), k.Status) {
			return ""
		}
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			return d.Message
		}
	}
	return "The pack cannot be read."
}

// unique drops packs whose name another one has that takes precedence (section
// 12.2): a named one, then by scope, then by path. The winner says so.
func unique(list []*candidate) []*candidate {
	byName := map[string]*candidate{}
	var names []string
	for _, c := range list {
		name := c.name()
		first, taken := byName[name]
		if !taken {
			byName[name] = c
			names = append(names, name)
			continue
		}
		winner, loser := first, c
		if precedence(c, first) < 0 {
			winner, loser = c, first
			c.warnings = append(c.warnings, first.warnings...)
			byName[name] = c
		}
		severity := diag.Info
		if winner.entry != nil && loser.entry != nil && pack.TrustRank(winner.trust()) < pack.TrustRank(loser.trust()) {
			severity = diag.Warning
		}
		winner.warn(severity, fmt.Sprintf("The pack in %s shadows the one of the same name in %s.", orHere(winner.Dir), orHere(loser.Dir)))
	}
	kept := make([]*candidate, len(names))
	for i, name := range names {
		kept[i] = byName[name]
	}
	return kept
}

func orHere(dir string) string { return cmp.Or(dir, ".") }

func precedence(a, b *candidate) int {
	named := func(c *candidate) int {
		if c.Activation == Explicit {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(named(a), named(b)), cmp.Compare(a.Scope, b.Scope), strings.Compare(a.Dir, b.Dir))
}

// activated are the packs that the caller activated, gated, and those that it left to the
// resolver.
func activated(list []*candidate, req *Request) (active, rest []*candidate) {
	for _, c := range unique(list) {
		if c.Activation != "" {
			active = append(active, c)
		} else if c.fault == "" {
			rest = append(rest, c)
		}
	}
	for _, c := range active {
		c.gate(req)
	}
	onePersona(active, req)
	return active, rest
}

// gated tells packs that may be used from those that status, trust or type keep out. Of
// archived packs nothing is said. It notes how a query activates each, and how well the catalog
// fits it: by the words that the query shares with the name (two points), type and
// description of a pack (section 12.5).
func gated(list []*candidate, req *Request) (usable, blocked []*candidate) {
	words := rank.NewWordSet(append([]string{req.Query}, req.Also...)...)
	for _, c := range list {
		k := &c.entry.Meta
		name, body := rank.NewWordSet(k.Name), rank.NewWordSet(k.Description, k.Type)
		for w := range words {
			switch {
			case name[w]:
				c.score += 2
			case body[w]:
				c.score++
			}
		}
		c.Activation = ResolverDriven
		if !slices.ContainsFunc(rank.Words(k.Name), func(w string) bool { return !words[w] }) {
			c.Activation = Implicit
		}
		probe := *c
		switch probe.gate(req); {
		case !probe.blocked:
			usable = append(usable, c)
		case k.Status != schema.Archived:
			at := slices.IndexFunc(probe.warnings, func(w Warning) bool { return w.Severity == diag.Error })
			c.kept = probe.warnings[at].Message
			blocked = append(blocked, c)
		}
	}
	return usable, blocked
}

// fittingBest are the packs that the catalog fits best, and others with at least half the
// best score; of two that fit alike a ready one comes first (section 14.1). A pack that is
// alone needs to share no word.
func fittingBest(list []*candidate, req *Request, alone bool) []*candidate {
	fitting := slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool { return c.score == 0 && !alone })
	slices.SortStableFunc(fitting, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.severity(), b.severity()))
	})
	all := slices.Clone(fitting)
	fitting = slices.DeleteFunc(fitting, func(c *candidate) bool { return slices.ContainsFunc(all, c.yields) })
	end, persona := 0, false
	for end < len(fitting) && end < maxActivated && 2*fitting[end].score >= fitting[0].score {
		end++
	}
	return slices.DeleteFunc(fitting[:end:end], func(c *candidate) bool {
		second := c.isPersona() && persona && !slices.Contains(req.Confirm, "personas")
		persona = persona || c.isPersona()
		return second
	})
}

// severity orders packs by what their status makes of an answer.
func (c *candidate) severity() int { return ofPack(c.entry.Meta.Status).Rank() }

// yields reports a stale pack and a ready one of the same type and scope, which outranks it
// (section 14.1).
func (c *candidate) yields(o *candidate) bool {
	own, other := &c.entry.Meta, &o.entry.Meta
	return own.Status == schema.Stale && other.Status == schema.Ready && other.Type == own.Type && other.Scope == own.Scope
}

// gate applies status and trust (sections 12.6 and 14.1).
func (c *candidate) gate(req *Request) {
	if c.fault != "" {
		c.block(c.fault)
		return
	}
	k := &c.entry.Meta
	if !pack.KnownType(k.Type) && c.Activation != Explicit {
		c.block(fmt.Sprintf("Pack type %q is not known; name the pack to use it.", k.Type))
	}
	message := "Pack status is " + string(k.Status) + "."
	switch {
	case k.Status == schema.Ready:
	case k.Status == schema.Draft && c.Activation != Explicit && !slices.Contains(req.Allow, schema.Draft),
		k.Status == schema.Archived && !slices.Contains(req.Allow, schema.Archived),
		k.Status == schema.Disputed && !slices.Contains(req.Confirm, schema.Disputed):
		c.block(message)
	default:
		c.warn(diag.Warning, message)
	}
	unasked := c.Activation != Explicit && pack.TrustRank(c.trust()) == 0
	switch {
	case c.Own && (k.Trust == "unreviewed" || unasked):
		c.warn(diag.Warning, "Pack trust is unreviewed. Set trust: user-confirmed in its KNOWLEDGE.md when its pages have been read.")
	case k.Trust == "unreviewed":
		c.warn(diag.Warning, "Pack trust is unreviewed.")
	}
	if !req.AllowUntrusted && (c.Unapproved || unasked && c.needsAsking()) {
		c.block("Pack is not trusted; only its metadata is used.")
	}
}

// needsAsking reports a pack of the workspace that nobody has approved: it is not one's own,
// and locked by nobody: a lock is approval.
func (c *candidate) needsAsking() bool {
	return c.Scope == Workspace && !c.Own && c.MaxTrust == ""
}

func (c *candidate) isPersona() bool {
	return c.entry != nil && c.entry.Meta.EffectiveMode() == pack.ModePersona
}

// onePersona blocks persona packs when there are several, unless the caller
// confirms (section 13.5).
func onePersona(list []*candidate, req *Request) {
	var personas []*candidate
	for _, c := range list {
		if !c.blocked && c.isPersona() {
			personas = append(personas, c)
		}
	}
	if len(personas) < 2 || slices.Contains(req.Confirm, "personas") {
		return
	}
	for _, c := range personas {
		c.block("Several persona packs are active; confirm personas to use them together.")
	}
}
