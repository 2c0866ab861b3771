package context

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/context/escape"
)

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
