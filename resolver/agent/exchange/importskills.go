package exchange

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/resolver/agent/relink"
)

// importSkills makes a pack of each skill: of the folder itself when it is one.
func (t *tree) importSkills(name string) []*made {
	var dirs []string
	for _, f := range t.order {
		if path.Base(f) == skillFile {
			dirs = append(dirs, path.Dir(f))
		}
	}
	if slices.Contains(dirs, ".") {
		dirs = []string{"."}
	}
	return t.importEach(dirs, name, "skill", func(dir string) *made { return t.importSkill(dir, name) })
}

// importEach makes a pack of each folder; a name is for one alone.
func (t *tree) importEach(dirs []string, name, what string, one func(dir string) *made) (packs []*made) {
	if name != "" && len(dirs) > 1 {
		t.done.report(unusableID, diag.Error, "", "name the folder of one "+what, "--name is for one %s, and the folder has %d", what, len(dirs))
		return nil
	}
	for _, dir := range dirs {
		if m := one(dir); m != nil {
			packs = append(packs, m)
		}
	}
	return packs
}

// below lists the files of a folder, without its path.
func (t *tree) below(dir string) []string {
	var list []string
	for _, f := range t.order {
		if dir == "." {
			list = append(list, f)
		} else if rest, ok := strings.CutPrefix(f, dir+"/"); ok {
			list = append(list, rest)
		}
	}
	return list
}

// importSkill makes a pack of one skill.
func (t *tree) importSkill(dir, given string) *made {
	file := path.Join(dir, skillFile)
	text, ok := t.text(file)
	if !ok {
		return nil
	}
	h, ok := readHead(text)
	if !ok || len(h.lines) == 0 {
		t.done.report(unusableID, diag.Error, file, "correct the front matter", "the front matter cannot be read")
		return nil
	}
	m := &made{name: cmp.Or(given, packName(h.text("name"), path.Base(path.Join(t.base, dir))))}
	at := moved{}
	for _, f := range t.below(dir) {
		if to := t.admit(path.Join(dir, f), t.placeInPack(path.Join(dir, f), f, dir)); to != "" {
			at[f] = to
		}
	}
	leads := moved{skillFile: pack.EntryName}
	maps.Copy(leads, at)
	guide := withoutGenerated(string(h.body))
	doc := markdown.Parse(skillFile, []byte(guide))
	guide = string(relink.Apply(doc.Text, back(doc, pack.EntryName, "", leads)))
	guide = codePath().ReplaceAllStringFunc(guide, func(code string) string {
		parts := codePath().FindStringSubmatch(code)
		if to, ok := at[parts[1]]; ok {
			return "`" + to + parts[2] + "`"
		}
		return code
	})
	m.add(pack.EntryName, []byte(t.skillGuide(m.name, file, h)+strings.Trim(guide, "\n")+"\n"))
	for _, f := range t.below(dir) {
		to, ok := at[f]
		if !ok {
			continue
		}
		data := t.files[path.Join(dir, f)]
		if isMarkdown(f) {
			if text, ok := t.text(path.Join(dir, f)); ok {
				doc := markdown.Parse(f, text)
				data = relink.Apply(doc.Text, back(doc, to, "", leads))
			} else {
				continue
			}
		}
		m.add(to, data)
	}
	return m
}

// placeInPack says where a file of a skill is in a pack; "" for one that a pack has no
// place for.
func (t *tree) placeInPack(name, f, dir string) string {
	top, rest, _ := strings.Cut(f, "/")
	switch {
	case f == skillFile, path.Base(f) == skillFile:
		return ""
	case listPath().MatchString(f) && strings.HasPrefix(string(t.files[name]), generatedBegin):
		return "" // an export makes it again
	case top == "scripts":
		t.done.report(lostID, diag.Warning, name, "keep programs where they run", "a pack has no programs: the file is left out")
		return ""
	case isMarkdown(f) && top == "references":
		return "documents/" + rest
	case isMarkdown(f):
		to := "documents/" + f
		if _, taken := t.files[path.Join(dir, references+f)]; taken {
			to = "documents/" + strings.TrimSuffix(f, ".md") + "-" + mark(f) + ".md"
		}
		return to
	case top == "assets":
		return f
	}
	return "assets/" + f
}

// back returns the edits that make links right in the pack; root begins those that lead from
// the root of the folder.
func back(doc *markdown.Document, to, root string, at moved) []relink.Edit {
	return relink.Links(doc, func(l markdown.Link) (string, bool) {
		if l.Wiki {
			return "", false
		}
		place, ok := at[strings.TrimPrefix(reference.Join(doc.Path, relink.PathOf(l.Dest)), root)]
		return reference.Rewrite(to, l.Dest, place), ok
	})
}

// withoutGenerated is the text of a skill without what an export wrote below it.
func withoutGenerated(text string) string {
	i := strings.LastIndex("\n"+text, "\n"+generatedBegin+"\n")
	if i < 0 || !strings.HasSuffix(strings.TrimSpace(text), generatedEnd) {
		return text
	}
	return text[:max(i, 0)]
}

// plainKey is a key that needs no quotes.
var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`) })

// skillGuide is the front matter of the pack of a skill.
func (t *tree) skillGuide(name, file string, h *head) string {
	g := newGuide(name, h.text("description"))
	meta := h.keys["metadata"].value
	for _, key := range carriedFields {
		if v := metadataText(meta, "packgen-"+key); v != "" {
			g.set(key, v)
		}
	}
	g.set("license", h.text("license"))
	g.set("compatibility", h.text("compatibility"))
	if list := metadataText(meta, "packgen-maintainers"); list != "" {
		g.maintainers = strings.Split(list, ", ")
	}
	for k, v := range pairs(meta) {
		if !strings.HasPrefix(k, "packgen-") {
			g.skill = append(g.skill, [2]string{k, v.Value})
		}
	}
	for key, s := range h.keys {
		if slices.Contains([]string{"name", "description", "license", "compatibility", "metadata"}, key) {
			continue
		}
		g.other = append(g.other, strings.Join(h.lines[s.first:s.end], ""))
		t.done.report(lostID, diag.Warning, file, "leave it: it is kept below metadata.skill.fields", "the key %q has no meaning in a pack, and no export writes it", key)
	}
	slices.Sort(g.other)
	return g.text()
}
