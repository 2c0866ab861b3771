package pack

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/nearest"
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

// suggest returns a hint that names the nearest of the known words, or the
// other hint when none is near: at most a third of the letters may differ.
func suggest(word string, all []string, otherwise string) string {
	best := nearest.Within(word, all, len(word)/3)
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// suggestFile returns a hint that names the file of the same layer that a path was most
// likely meant to be, or the other hint when none is like it: the only one of its name, or one
// of a similar path.
func suggestFile(files []File, wrong, otherwise string) string {
	layer, _, _ := strings.Cut(wrong, "/")
	var near, named []string
	for _, f := range files {
		if !strings.HasPrefix(f.Path, layer+"/") {
			continue
		}
		if strings.EqualFold(path.Base(f.Path), path.Base(wrong)) {
			named = append(named, f.Path)
		}
		if len(near) < maxCompared {
			near = append(near, f.Path)
		}
	}
	found := nearest.Name(wrong, near)
	if len(named) == 1 {
		found = named[0]
	}
	if found == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", found)
}

// maxCompared is how many paths a wrong one is compared with.
const maxCompared = 64
