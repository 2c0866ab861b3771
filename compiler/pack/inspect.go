package pack

import (
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
)

// Inspect opens a pack that has errors so that one run can report the errors of all
// its files: also one for which Open gives no pack. What its front matter still
// says counts; where it says nothing, profile and grounding are guessed. Such a
// pack is for a compile that writes nothing. Diagnostics and error are those of
// Open, and more faults of KNOWLEDGE.md where it can be read; the pack is nil only
// without a KNOWLEDGE.md.
func Inspect(dir string, mappings ...Mapping) (*Pack, []diag.Diagnostic, error) {
	return openDir(dir, true, mappings)
}

// salvage takes what can be read of a KNOWLEDGE.md with faults.
func (p *Pack) salvage(text []byte, block frontmatter.Block, name string, found *findings) {
	p.EntryText, p.Guide = text, block.End
	if block.Suspect != nil {
		p.Meta = readKnowledge(block.Suspect, name, found)
	}
}

// guess fills in what decides about the files to look at, where the front matter
// does not say: from a line that says it, otherwise from the directories.
func (p *Pack) guess() {
	k := &p.Meta
	if k.places == nil { // nothing was read
		k.Profile, k.Grounding = p.lineValue("profile", profiles()), p.lineValue("grounding", Groundings())
		k.unsure = k.Profile == ""
	}
	if !k.unsure {
		return
	}
	switch documents, wiki := p.HasDir("documents"), p.HasDir("wiki"); {
	case documents && !wiki:
		k.Profile = documentFirst
	case wiki && !documents:
		k.Profile = WikiFirst
	default:
		k.Profile = Hybrid
	}
}

// lineValue returns what a line "key: value" at the top of KNOWLEDGE.md says, when
// it is one of the values that the key may have.
func (p *Pack) lineValue(key string, all []string) string {
	top := p.EntryText[:min(len(p.EntryText), frontmatter.MaxBytes)]
	for line := range strings.Lines(string(top)) {
		value, ok := strings.CutPrefix(line, key+":")
		if value = strings.Trim(value, " \t\n\"'"); ok && slices.Contains(all, value) {
			return value
		}
	}
	return ""
}
