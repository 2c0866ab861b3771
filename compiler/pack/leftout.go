package pack

import (
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
)

// IDDraft is the rule about pages of mapped folders that are drafts.
const IDDraft = "draft-left-out"

// holdBack takes the drafts out of the files of a mapped folder: pages that its own
// system does not publish either.
func (m *mapped) holdBack(files []File) []File {
	if m.Drafts {
		return files
	}
	isDraft := make([]bool, len(files))
	var readers sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), maxWalkers)
	for worker := range workers {
		readers.Go(func() {
			for i := worker; i < len(files); i += workers {
				isDraft[i] = m.isDraft(files[i].Path)
			}
		})
	}
	readers.Wait()
	kept := files[:0]
	m.draftNames = map[string]bool{}
	for i, f := range files {
		if isDraft[i] {
			m.drafts = append(m.drafts, f.Path)
			stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(f.Path), ".md"), ".mdx")
			m.draftNames[strings.ToLower(stem)] = true
			continue
		}
		kept = append(kept, f)
	}
	return kept
}

// isDraft reports a page that says so, or is in the folder that Jekyll keeps for drafts.
func (m *mapped) isDraft(listed string) bool {
	if path.Ext(listed) != ".md" {
		return false
	}
	if strings.Contains(listed[len(m.at):], "/_drafts/") {
		return true
	}
	f, _, err := m.pack.openFile(listed)
	if err != nil {
		return false // reading it later says why
	}
	defer f.Close()
	return frontmatter.IsDraft(f)
}

// maxDrafts is how many drafts a finding names.
const maxDrafts = 5

// reportDrafts says which pages of a mapped folder are drafts.
func (m *mapped) reportDrafts(found *findings) {
	if len(m.drafts) == 0 {
		return
	}
	names := make([]string, len(m.drafts))
	for i, name := range m.drafts {
		names[i] = strings.TrimPrefix(name, m.at+"/")
	}
	found.add(IDDraft, diag.Info, m.drafts[0], DraftsMessage(names, "left out"), "publish the page, or set drafts: true in that entry under documents: of packgen.yaml")
}

// DraftsMessage says once what happens to drafts, and names the first of them; there must
// be one.
func DraftsMessage(names []string, what string) string {
	list := strings.Join(names[:min(len(names), maxDrafts)], ", ")
	if more := len(names) - maxDrafts; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	if len(names) == 1 {
		return "a draft is " + what + ": " + list
	}
	return fmt.Sprintf("%d drafts are %s: %s", len(names), what, list)
}

// What a link that is broken does, as a message says it after the link; the last two are
// links to a path of a mapped folder that is not part of the pack.
const (
	NoFile    = "leads to no file"
	NoHeading = "leads to no heading"

	DraftLeftOut  = "leads to a draft, which is left out"
	ConfigLeftOut = "leads to what packgen.yaml leaves out of the pack"
)

// WhyLeftOut says why a path of a mapped folder is not part of the pack; "" for a path
// that nothing leaves out. What the configuration leaves out is known by its patterns
// alone.
func (p *Pack) WhyLeftOut(name string) string {
	if p.Has(name) {
		return ""
	}
	for _, m := range p.mapped {
		rest, ok := strings.CutPrefix(name, m.at+"/")
		if !ok {
			continue
		}
		for _, ending := range [...]string{"", ".md", ".mdx.md", "/index.md", "/README.md", "/_index.md"} {
			if _, ok := slices.BinarySearch(m.drafts, name+ending); ok {
				return DraftLeftOut
			}
		}
		for at := rest; at != "."; at = path.Dir(at) {
			for _, pattern := range m.Exclude {
				if ok, err := doublestar.Match(pattern, at); ok && err == nil {
					return ConfigLeftOut
				}
			}
		}
	}
	return ""
}

// HasDraft reports whether a draft has a name, without its folder and ending and in any
// case: what a wiki link may call it.
func (p *Pack) HasDraft(name string) bool {
	key := strings.ToLower(strings.TrimSuffix(path.Base(name), ".md"))
	return slices.ContainsFunc(p.mapped, func(m *mapped) bool { return m.draftNames[key] })
}

// LeftOutKey is a text that differs where something else is left out of mapped folders.
func (p *Pack) LeftOutKey() string {
	var b strings.Builder
	for _, m := range p.mapped {
		fmt.Fprintf(&b, "%q %q %q\n", m.at, m.Exclude, m.drafts)
	}
	return b.String()
}
