package context

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

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
	raised   bool // it says that the budget was raised
}

// name is the pack's name, or its directory's when it has none.
func (c *candidate) name() string {
	if c.entry != nil && c.entry.Meta.Name != "" {
		return c.entry.Meta.Name
	}
	dir := strings.TrimRight(strings.ReplaceAll(c.Dir, `\`, "/"), "/")
	return dir[strings.LastIndexByte(dir, '/')+1:]
}

func (c *candidate) warn(severity, message string) {
	c.warnings = append(c.warnings, Warning{severity, pack.EntryName, message})
}

// block refuses the pack: it is named, and nothing of it is read.
func (c *candidate) block(message string) {
	c.blocked = true
	c.warn("error", message)
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
		if k.Name != "" && k.Description != "" && k.Type != "" && pack.KnownStatus(k.Status) {
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
		severity := "info"
		if winner.entry != nil && loser.entry != nil && pack.TrustRank(winner.trust()) < pack.TrustRank(loser.trust()) {
			severity = "warning"
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

// activate decides which packs are used, in activation order: those that the
// caller activated, then those whose catalog entry fits the query best.
func activate(list []*candidate, req *Request) []*candidate {
	var active, rest []*candidate
	for _, c := range unique(list) {
		if c.Activation != "" {
			active = append(active, c)
		} else if c.fault == "" {
			rest = append(rest, c)
		}
	}
	if len(active) == 0 {
		active = byCatalog(rest, req)
	}
	for _, c := range active {
		c.gate(req)
	}
	onePersona(active, req)
	return active
}

// byCatalog ranks packs by the words that the query shares with their name (two
// points), type and description (section 12.5). It keeps the best, and others
// with at least half its score. Packs that would be blocked do not compete unless
// there is no other; of two that fit alike a ready one comes first (section 14.1). The
// only pack there is needs to share no word: its sections decide.
func byCatalog(list []*candidate, req *Request) []*candidate {
	words := rank.NewWordSet(append([]string{req.Query}, req.Also...)...)
	var fitting, blocked []*candidate
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
		probe.gate(req)
		switch {
		case c.score == 0 && len(list) > 1 || k.Status == "archived" && probe.blocked:
		case probe.blocked:
			blocked = append(blocked, c)
		default:
			fitting = append(fitting, c)
		}
	}
	if len(fitting) == 0 {
		fitting = blocked // to say why they are not used
	}
	slices.SortStableFunc(fitting, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(severityOrder(ofPack(a.entry.Meta.Status)), severityOrder(ofPack(b.entry.Meta.Status))))
	})
	fitting = outranked(fitting)
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

// outranked drops stale packs where a ready one of the same type and scope fits
// too (section 14.1).
func outranked(list []*candidate) []*candidate {
	return slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool {
		return c.entry.Meta.Status == stale && slices.ContainsFunc(list, func(o *candidate) bool {
			return o.entry.Meta.Status == "ready" && o.entry.Meta.Type == c.entry.Meta.Type && o.entry.Meta.Scope == c.entry.Meta.Scope
		})
	})
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
	message := "Pack status is " + k.Status + "."
	switch {
	case k.Status == "ready":
	case k.Status == "draft" && c.Activation != Explicit && !slices.Contains(req.Allow, "draft"),
		k.Status == "archived" && !slices.Contains(req.Allow, "archived"),
		k.Status == disputed && !slices.Contains(req.Confirm, disputed):
		c.block(message)
	default:
		c.warn("warning", message)
	}
	unasked := c.Activation != Explicit && pack.TrustRank(c.trust()) == 0
	switch {
	case c.Own && (k.Trust == "unreviewed" || unasked):
		c.warn("warning", "Pack trust is unreviewed. Set trust: user-confirmed in its KNOWLEDGE.md when its pages have been read.")
	case k.Trust == "unreviewed":
		c.warn("warning", "Pack trust is unreviewed.")
	}
	untrusted := c.Unapproved || c.Scope == Workspace && !c.Own && unasked
	if untrusted && !req.AllowUntrusted {
		c.block("Pack is not trusted; only its metadata is used.")
	}
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
