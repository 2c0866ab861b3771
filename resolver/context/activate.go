package context

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/context/escape"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/resolver/loadout"
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

// Renderer makes the texts of a pack fit for an agent that reads them elsewhere than in a
// wrapper of a resolution: in an export, a published skill, a boot. Stale and disputed
// claims are marked as by [Resolve], a text that is not ready says so in its first line,
// what reads as a tag of packgen's is escaped, and hidden text and invisible characters are left out.
type Renderer struct {
	contents *contents
	claims   map[schema.Status]int // how many are stale and how many are disputed
}

// NewRenderer returns the renderer of a pack that was just compiled, with its
// doubtful claims.
func NewRenderer(p *pack.Pack, doubts *compiler.Doubts) *Renderer {
	return &Renderer{&contents{pack: p, meta: &p.Meta, doubts: doubts, runs: &runs{pack: p}}, map[schema.Status]int{}}
}

// OpenRenderer returns the renderer of a pack as it is on disk. A source that has changed
// since the newest run makes the claims on it stale.
func OpenRenderer(fsys fs.FS, dir string) (*Renderer, error) {
	s, err := openContents(&Pack{FS: fsys, Dir: dir}, nil)
	if err != nil {
		return nil, err
	}
	return &Renderer{s, map[schema.Status]int{}}, nil
}

// Text returns a Markdown file of the pack as an agent is to read it.
func (r *Renderer) Text(name string, text []byte) []byte {
	u := r.contents.markedFile(name, string(text))
	for _, c := range u.claims {
		r.claims[c.Status]++
	}
	out := withStatus(u.text, r.contents.meta.Status)
	return []byte(escape.Text(out))
}

// markedFile returns a file of the pack as a unit with its doubtful claims marked.
func (s *contents) markedFile(name, text string) *unit {
	return s.marked(&unit{kind: wikiPage, path: name, document: name, text: string(markdown.Visible(name, []byte(text)))})
}

// Marked says how many claims of the texts so far are stale and how many are disputed.
func (r *Renderer) Marked() (stale, disputed int) {
	return r.claims[schema.Stale], r.claims[schema.Disputed]
}

// Summary returns the summary of a text, which begins with what its worst claim is, as that
// of an entry of the index does.
func Summary(text []byte, summary string) string {
	status := schema.Status("")
	for _, s := range [...]schema.Status{schema.Stale, schema.Disputed} {
		if strings.Contains(string(text), "[status: "+string(s)+"]") {
			status = s
		}
	}
	return loadout.MarkSummary(string(status), summary)
}

// withStatus returns a text with its status in the first line when it is not ready: its
// own, otherwise that of its pack.
func withStatus(text string, ofPack schema.Status) string {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	status := ofPack
	own, _ := frontmatter.NewMap("", block.Node, nil).String("status")
	if escape.IsNotReady(own) {
		status = schema.Worse(schema.Status(own), ofPack.Doubt())
	}
	text, _ = CutStatus(text)
	if !escape.IsNotReady(string(status)) {
		return text
	}
	return text[:block.End] + "\n" + escape.StatusLine(string(status)) + text[block.End:]
}

// CutStatus returns a text without the line that says its status, and the status; "" when
// it says none. An import needs the status, and an export writes the line again.
func CutStatus(text string) (plain string, status schema.Status) {
	block, _ := frontmatter.Read([]byte(text), frontmatter.Options{})
	body := strings.TrimPrefix(text[block.End:], "\n")
	for _, status := range [...]schema.Status{schema.Draft, schema.NeedsReview, schema.Stale, schema.Disputed} {
		if rest, ok := strings.CutPrefix(body, escape.StatusLine(string(status))); ok {
			return text[:block.End] + rest, status
		}
	}
	return text, ""
}

// reasonBoot is the reason of a file that the pack's boot.yml adds to every
// answer.
const reasonBoot = "boot"

// always puts the files that go with every answer before what was picked, in
// their order, and drops the picks that are parts of them. Boundaries keep their
// reserved place in the budget.
func (p *picker) always(paths []string) {
	var files []pick
	whole := map[string]bool{}
	for _, name := range paths {
		if whole[name] {
			continue
		}
		u := &unit{kind: wikiPage, path: name, title: stem(name), document: name}
		if p.read(u); u.absent {
			p.warn(diag.Warning, name, "boot.yml says this file, and it cannot be read.")
			continue
		}
		whole[name] = true
		files = append(files, pick{unit: u, reason: reasonBoot})
	}
	p.picks = slices.DeleteFunc(p.picks, func(have pick) bool { return whole[have.path] || whole[have.document] })
	p.picks = append(files, p.picks...)
}

// Guide returns what a dedicated activation gives (agent-knowledge section
// 12.5): the guide inside a knowledge_pack_guide element, the pack root, and the
// resources of the pack, listed and not loaded; a view that depends on a run or on
// material in doubt is listed with its status (section 13.7). Root is shown as the pack
// root; "" shows the pack's directory. Ask says how a reader asks for more; "" is by the
// command. It ends with a line end.
//
// Status and trust are gated as by Resolve, with what the request allows; a
// refusal is a *RefusedError.
func Guide(ctx context.Context, p Pack, root, ask string, req Request) (string, error) {
	if p.FS == nil {
		return "", errors.New("activate: the pack has no file system")
	}
	list, err := catalog(ctx, []Pack{p})
	if err != nil {
		return "", fmt.Errorf("activate: %w", err)
	}
	c := list[0]
	if c.Activation == "" {
		c.Activation = Explicit
	}
	c.gate(&req)
	if c.blocked {
		return "", &RefusedError{Pack: c.name(), Warnings: c.warnings}
	}
	s, err := openContents(&p, nil)
	if err != nil {
		return "", fmt.Errorf("activate %s: %w", p.Dir, err)
	}
	if root == "" {
		root = orHere(p.Dir)
	}
	return s.guideText(c.trust(), root, cmp.Or(ask, howToAsk)), nil
}

// RefusedError says why a pack may not be used.
type RefusedError struct {
	Pack     string
	Warnings []Warning
}

// Error joins the reasons.
func (e *RefusedError) Error() string {
	var reasons []string
	for _, w := range e.Warnings {
		if w.Severity == diag.Error {
			reasons = append(reasons, w.Message)
		}
	}
	return "pack " + e.Pack + " is refused: " + strings.Join(reasons, " ")
}

// viewDoubts are the view statuses of section 13.7 of the compiled files that are
// not passed, by path.
func (s *contents) viewDoubts() map[string]schema.Status {
	units := slices.Concat(s.splits, s.views)
	for i, u := range units {
		units[i] = s.marked(u)
	}
	statuses, _ := s.viewStatuses(units)
	out := map[string]schema.Status{}
	for i, u := range units {
		if statuses[i] != schema.Passed {
			out[u.path] = statuses[i]
		}
	}
	return out
}

// howToAsk says how an agent is to search packs: with words of its own, and with one
// question for each part of a question.
const howToAsk = "Search: packgen resolve \"QUESTION\" --also \"search words, synonyms\" --also \"one question\" for each part of QUESTION."

// guideText formats the guide; a resource in doubt has that as its status. A
// compiled file that is not what compile wrote is not a resource.
func (s *contents) guideText(trust, root, ask string) string {
	var b strings.Builder
	p, viewDoubts := s.pack, s.viewDoubts()
	k := &p.Meta
	b.WriteString("<knowledge_pack_guide")
	attribute(&b, "name", k.Name)
	attribute(&b, "status", string(k.Status))
	if trust != "" {
		attribute(&b, "trust", trust)
	}
	attribute(&b, "profile", k.EffectiveProfile())
	attribute(&b, "runtime_mode", k.EffectiveMode())
	b.WriteString(">\n")
	if k.EffectiveMode() == pack.ModePersona {
		b.WriteString(guardPersona)
	} else {
		b.WriteString(guardData)
	}
	b.WriteString("\nPack root: " + escape.Comment(root) + "\nPaths are relative to the pack root.\n")
	if k.EffectiveMode() != pack.ModePersona {
		b.WriteString(ask + "\n")
	}
	if guide := escape.TrimBlankLines(strings.TrimLeft(string(p.EntryText[p.Guide:]), "\n")); guide != "" {
		b.WriteString("\n" + escape.Fence(secret.RedactKnown(s.markedFile(pack.EntryName, guide).text)) + "\n")
	}
	b.WriteString("\n<knowledge_resources>\n")
	for _, f := range p.Files {
		if kind := resourceKind(p, f.Path); kind != "" && !s.isLost(f.Path) {
			b.WriteString("  <file")
			attribute(&b, "kind", kind)
			if status := viewDoubts[f.Path]; status != "" {
				attribute(&b, "status", string(status))
			}
			b.WriteString(">" + escape.XML(f.Path) + "</file>\n")
		}
	}
	b.WriteString("</knowledge_resources>\n</knowledge_pack_guide>\n")
	return b.String()
}

// resourceKind is "runtime" for compiled views and splits, "primary" for the
// side that the profile declares as fact source, "evidence" for sources, and ""
// for what an agent does not load.
func resourceKind(p *pack.Pack, name string) string {
	markdown := path.Ext(name) == ".md"
	switch top, _, _ := strings.Cut(name, "/"); {
	case top == "compiled" && markdown:
		return "runtime"
	case top == "documents" && p.Meta.HasDocuments(), top == "wiki" && p.Meta.HasWiki():
		return "primary"
	case top == "sources":
		return "evidence"
	}
	return ""
}

// Catalog lists packs for a consumer that chooses among them (agent-knowledge
// section 12.4), in the order given. It reads front matter only. Packs that
// cannot be selected and archived ones are left out; of packs with one name, the
// one that takes precedence stays.
func Catalog(ctx context.Context, packs []Pack) ([]schema.CatalogEntry, error) {
	list, err := catalog(ctx, packs)
	if err != nil {
		return nil, fmt.Errorf("read the catalog: %w", err)
	}
	var entries []schema.CatalogEntry
	for _, c := range unique(list) {
		if c.fault == "" && c.entry.InCatalog() {
			e := c.entry.CatalogEntry(path.Join(c.Dir, pack.EntryName))
			e.Trust, e.Description = c.trust(), secret.RedactKnown(e.Description)
			showEntry(&e)
			entries = append(entries, e)
		}
	}
	return entries, nil
}

// CatalogXML returns the XML form of a catalog (section 12.4). Only declared
// values are in it; without packs it is empty, for then the catalog is left
// out. It ends with a line end.
func CatalogXML(entries []schema.CatalogEntry) string {
	if len(entries) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<available_knowledge_packs>\n")
	for _, e := range entries {
		b.WriteString("  <knowledge_pack>\n")
		for _, field := range [][2]string{
			{"name", e.Name}, {"description", e.Description}, {"type", e.Type}, {"status", string(e.Status)}, {"trust", e.Trust},
			{"profile", e.Profile}, {"runtime_mode", e.RuntimeMode}, {"primary_document", e.PrimaryDocument}, {"location", e.Location},
		} {
			if field[1] != "" {
				fmt.Fprintf(&b, "    <%s>%s</%s>\n", field[0], escape.XML(field[1]), field[0])
			}
		}
		b.WriteString("  </knowledge_pack>\n")
	}
	b.WriteString("</available_knowledge_packs>\n")
	return b.String()
}
