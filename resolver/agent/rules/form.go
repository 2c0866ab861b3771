package rules

import (
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/resolver/loadout"
)

// As says how an agent comes to load a section that was moved out.
type As string

// The ways. The zero value is the layout of the format (loadout section 20.6), in
// which an agent that reads the directory of its rules loads them all.
const (
	Skills As = "skills" // by the description of a skill
	Paths  As = "paths"  // by the path of the file it works on
	Lazy   As = "lazy"   // by a table in the instruction file
)

// Ways lists the ways by which sections can be split.
func Ways() []string { return []string{string(Skills), string(Paths), string(Lazy)} }

// reader is the agent that an instruction file is for.
type reader string

const (
	claude reader = "claude"
	agents reader = "agents" // all that read AGENTS.md
)

// readerOf recognises the agent by the path of an instruction file from the root. Cursor and
// Copilot read AGENTS.md and its skills beside the files of their own.
func readerOf(file string) reader {
	if name := path.Base(file); name == "AGENTS.md" || name == "copilot-instructions.md" || path.Ext(name) == ".mdc" {
		return agents
	}
	return claude
}

// form is what the files of a split look like.
type form struct {
	as     As
	reader reader
	dir    string // of the files, from the repository root

	descriptions int // of sections that may move, which an agent shows together
}

// usualDir is where files of a form go.
func (f form) usualDir() string {
	switch {
	case f.as == Lazy:
		return LazyDir
	case f.as == Skills && f.reader == agents:
		return ".agents/skills"
	case f.as == Skills:
		return ".claude/skills"
	}
	return DefaultDir
}

// path is where the file of an id goes.
func (f form) path(id string) string {
	if f.as == Skills {
		return path.Join(f.dir, id, "SKILL.md")
	}
	return path.Join(f.dir, id+".md")
}

// hasTable reports whether the instruction file says which file to read when.
func (f form) hasTable() bool { return f.as == "" || f.as == Lazy }

// hasIndex reports whether the files have a loadout index, which only files with the
// front matter of the format can have. Others have a description, by which an agent knows
// them.
func (f form) hasIndex() bool { return f.as != Skills }

// routes reports whether anything would load the file of a proposal.
func (f form) routes(p *Proposal) bool {
	return f.as != Paths || len(p.Globs) > 0
}

// head is the front matter of a file.
func (f form) head(p *Proposal) (string, error) {
	if f.as == Skills {
		return fmt.Sprintf("---\nname: %s\ndescription: %s\n---", p.ID, Quoted(p.Description)), nil
	}
	fm := loadout.FrontMatter{ID: p.ID, Keywords: p.Keywords, Patterns: p.Patterns, Priority: p.Priority, Triggers: loadout.DefaultTriggers()}
	head, err := fm.Serialize()
	if err != nil {
		return "", err
	}
	head = strings.TrimSuffix(head, "---")
	// A summary that is not the section's own is kept where it can be checked.
	if p.Summary != summary(&p.Section) {
		head += summaryKey + " " + p.Summary + "\n"
	}
	if !f.hasTable() {
		head += QuotedList("paths", p.Globs)
	}
	return head + "---", nil
}

// Quoted writes a text as YAML takes it on one line.
func Quoted(text string) string { return string(loadout.AppendString(nil, text)) }

// QuotedList writes a key of YAML with a list of texts.
func QuotedList(key string, texts []string) string {
	list := key + ":\n"
	for _, text := range texts {
		list += "  - " + Quoted(text) + "\n"
	}
	return list
}

// FirstSentence cuts a text after its first sentence.
func FirstSentence(text string) string {
	for i, r := range text {
		switch r {
		case '。', '！', '？':
			return text[:i+utf8.RuneLen(r)]
		case '.', '!', '?', '؟':
			if end := i + utf8.RuneLen(r); end == len(text) || text[end] == ' ' {
				return text[:end]
			}
		}
	}
	return text
}

// Makers are words that the name of a skill may not have: names of makers of models.
var Makers = [...]string{"anthropic", "claude"}

// skillName makes the id of a section fit for the name of a skill, which has letters
// of ASCII alone. A heading in another script gets a name made of its hash: agents
// know the skill by its description, which has the heading.
func skillName(id, heading string) string {
	if id == unnamed { // words such as these are all that the heading has
		id = strings.Join(loadout.Words(heading), "-")
	}
	words := slices.DeleteFunc(strings.Split(id, "-"), func(w string) bool { return slices.Contains(Makers[:], w) })
	id = strings.Join(words, "-")
	for _, word := range Makers {
		id = strings.Trim(strings.ReplaceAll(id, word, ""), "-")
	}
	for strings.Contains(id, "--") {
		id = strings.ReplaceAll(id, "--", "-")
	}
	if id != "" && id != unnamed && strings.IndexFunc(id, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return id
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(heading))
	return fmt.Sprintf("rule-%08x", h.Sum32())
}
