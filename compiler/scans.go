package compiler

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/secret"
)

// scan looks for instructions and secrets in a unit or the guide. A file with a secret is
// withheld (agent-knowledge section 18.4).
func (f *file) scan(doc *markdown.Document) {
	found := lint.Scan(f.path, doc.Text)
	f.diags = append(f.diags, found.Diagnostics...)
	for _, h := range found.Secrets {
		f.secrets = append(f.secrets, newSecret(doc.Text, h))
	}
	if len(found.Secrets) > 0 {
		f.info.Headings = slices.DeleteFunc(f.info.Headings, func(h HeadingInfo) bool { return f.masked(h.Text) != h.Text })
		f.info.Title = stemOf(f.path)
	}
}

// foundSecret is a likely secret with what may be shown of it.
type foundSecret struct{ text, shown string }

func newSecret(text []byte, h secret.Hit) foundSecret {
	return foundSecret{string(text[h.Start:h.End]), h.Shown + "…"}
}

// withhold marks all sections of a file that holds a secret: the page is off the site,
// and a split of it would lead there.
func (f *file) withhold() {
	for i := range f.sections {
		f.sections[i].withheld = len(f.secrets) > 0
	}
}

// minMasked is the length in bytes below which a secret is not looked for in
// messages: so short a text would match by chance.
const minMasked = 6

// masked returns a text of ours about the file with its secrets cut short.
func (f *file) masked(text string) string {
	if f.masks == nil {
		var pairs []string
		for _, s := range f.secrets {
			if len(s.text) >= minMasked {
				// A multi-line secret is on one line in messages.
				pairs = append(pairs, s.text, s.shown, strings.Join(strings.Fields(s.text), " "), s.shown)
			}
		}
		f.masks = strings.NewReplacer(pairs...)
	}
	return secret.Redact(f.masks.Replace(text))
}

// mask cuts the secrets of files out of what is said about them: messages quote
// their text.
func (m *material) mask(list []diag.Diagnostic) {
	for i := range list {
		d := &list[i]
		f := m.byPath[d.Path]
		if d.Path == entryFile {
			f = m.guide
		}
		if f != nil && len(f.secrets) > 0 && d.ID != gateSecretSuspect {
			d.Message, d.Hint, d.Recorded = f.masked(d.Message), f.masked(d.Hint), f.masked(d.Recorded)
		}
	}
}

// scanText looks through a file of the pack that is not a unit, text of an older
// encoding included. Pictures and the like are not text and hold no secret that a scan
// could find.
func scanText(name string, data []byte) lint.Scanned {
	text, ok := frontmatter.Legible(data)
	if !ok {
		return lint.Scanned{}
	}
	return lint.Scan(name, text)
}

// reachesView reports whether text of a file can reach a view or split: an
// instruction there is a gate, elsewhere a warning (agent-knowledge section
// 18.3).
func (m *material) reachesView(name string) bool {
	if f := m.byPath[name]; f != nil {
		return f.walked && f.role.getsSplits()
	}
	return name == entryFile || strings.HasPrefix(name, "compiled/")
}

// gated leaves out the findings that make nothing of a run although they have the
// id of a gate: instructions in text that reaches no view.
func (m *material) gated(found []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(slices.Clone(found), func(d diag.Diagnostic) bool {
		return d.ID == gateInjectionSuspect && d.Severity != diag.Error && !m.reachesView(d.Path)
	})
}
