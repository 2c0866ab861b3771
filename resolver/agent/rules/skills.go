package rules

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// skillFile is the file of a skill in its directory.
const skillFile = "SKILL.md"

// skillDirs are where agents look for skills, below the repository root.
var skillDirs = [...]string{".claude/skills", ".agents/skills"}

// Limits of Agent Skills and of the agents that read them.
const (
	MaxSkillName   = 64
	MaxSkillLines  = 500
	MaxSkillTokens = 5_000

	MaxSkillDescription = 1024  // UTF-16 units
	maxListed           = 8_000 // UTF-16 units of all names and descriptions together
)

// SkillsCheck is what was found about the skills of a directory.
type SkillsCheck struct {
	Count  int
	Issues []Issue
}

// skillsIn lists the directories of skills.
func skillsIn(root *os.Root, dir string) (list []string) {
	entries, err := fs.ReadDir(regularfile.FS(root), dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if _, err := root.Lstat(path.Join(dir, e.Name(), skillFile)); err == nil {
			list = append(list, e.Name())
		}
	}
	return list
}

// checkSkills checks the skills of a directory: that agents can read what they know them
// by, and that all of it together is shown.
func checkSkills(root *os.Root, dir string) *SkillsCheck {
	c := &SkillsCheck{}
	listed := 0
	said := map[string]string{} // names by description
	for _, name := range skillsIn(root, dir) {
		file := path.Join(dir, name, skillFile)
		text, err := repo.ReadIn(root, file, maxFile)
		if err != nil && leadsOut(root, path.Dir(file), file) {
			continue // an agent follows the link, and whoever keeps the skill checks it
		}
		c.Count++
		if plain, ok := frontmatter.Decode(text); ok {
			text = plain
		}
		if err != nil {
			c.invalid(file, 0, "a skill is a text below the repository root", "the skill cannot be read: %s", regularfile.Reason(err))
			continue
		}
		description, ok := c.head(file, name, text)
		if !ok {
			continue
		}
		listed += token.Units(name + ": " + description)
		if other := said[description]; other != "" {
			c.invalid(file, lineOf(string(text), "description"), "say in each what the other is not for", "the skills %s and %s have the same description", other, name)
		}
		said[description] = name
	}
	if listed > maxListed {
		c.Issues = append(c.Issues, Issue{
			Severity: loadout.SeverityWarning, Code: "SKILL_LISTING", File: dir, Hint: "shorten descriptions, or join skills that a task needs together",
			Message: fmt.Sprintf("names and descriptions of the skills have %d characters: above %d agents leave out whole descriptions", listed, maxListed),
		})
	}
	c.Issues = audible(root, dir, c.Issues)
	return c
}

// leadsOut reports whether one of some paths is a link that leads out of the repository.
func leadsOut(root *os.Root, names ...string) bool {
	for _, name := range names {
		if info, err := root.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			_, err := root.Stat(name)
			return err != nil && !errors.Is(err, fs.ErrNotExist)
		}
	}
	return false
}

func (c *SkillsCheck) invalid(file string, line int, hint, format string, args ...any) {
	c.Issues = append(c.Issues, Issue{Severity: loadout.SeverityError, Code: "SKILL_INVALID", File: file, Line: line, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// skillNames are the names that a skill may have, 64 characters at most.
var skillNames = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// head checks a skill and returns its description; ok is false when an agent does not
// show one.
func (c *SkillsCheck) head(file, name string, text []byte) (description string, ok bool) {
	block, faults := frontmatter.Read(text, frontmatter.Options{Path: file, Required: true})
	for _, d := range faults {
		c.invalid(file, d.Line, d.Hint, "%s", d.Message)
	}
	if len(faults) > 0 {
		return "", false
	}
	head := frontmatter.NewMap(file, block.Node, nil)
	own, _ := head.String("name")
	description, _ = head.String("description")
	at := lineOf(string(text), "name")
	switch {
	case own != name:
		c.invalid(file, at, "a skill has the name of its directory", "the skill is called %q and lies in %s", own, name)
	case len(own) > MaxSkillName || !skillNames.MatchString(own):
		c.invalid(file, at, fmt.Sprintf("name the directory and the skill with at most %d of a-z, 0-9 and single hyphens between them", MaxSkillName), "%q cannot be the name of a skill", own)
	default:
		for _, word := range Makers {
			if strings.Contains(own, word) {
				c.invalid(file, at, "take the word out of the name and of the directory", "%q has the name of a maker, which is reserved: %s", own, word)
			}
		}
	}
	switch n := token.Units(description); {
	case n == 0:
		c.invalid(file, 1, `write description: "Use when …"`, "the skill has no description: no agent knows when to read it")
		return "", false
	case n > MaxSkillDescription:
		c.invalid(file, lineOf(string(text), "description"), "say first when it is needed, and leave out the rest", "the description has %d characters: a skill may have %d", n, MaxSkillDescription)
	}
	body := string(text[block.End:])
	if lines, tokens := strings.Count(body, "\n"), token.Estimate(body); lines > MaxSkillLines || tokens > MaxSkillTokens {
		c.Issues = append(c.Issues, Issue{
			Severity: loadout.SeverityWarning, Code: "SKILL_LENGTH", File: file, Hint: "move what only some tasks need to files beside it, and name these in it",
			Message: fmt.Sprintf("the skill has %d lines and %d tokens, which an agent reads as a whole: %d and %d are usual", lines, tokens, MaxSkillLines, MaxSkillTokens),
		})
	}
	return description, true
}

// Check checks the rule files of a directory: those with an index against it, skills for
// themselves. The directory is the one of the source, or the first that has any of them.
func Check(w *repo.Repo, f Source) (dir string, issues []Issue, err error) {
	dir, skills, err := f.Skills(w)
	if err != nil {
		return "", nil, err
	}
	if skills != nil {
		return dir, skills.Issues, nil
	}
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return "", nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if issues, err = validateRules(root, dir); err != nil {
		err = fmt.Errorf("check the rules in %s: %w", dir, err)
	}
	return dir, audible(root, dir, issues), err
}

// Skills checks the skills of a directory, the one of the source or the first where agents
// look. Skills is nil where rule files with an index are, or nothing.
func (f *Source) Skills(w *repo.Repo) (dir string, skills *SkillsCheck, err error) {
	if dir, err = f.indexedDir(w); err != nil {
		return "", nil, err
	}
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return "", nil, fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	candidates := []string{dir}
	if _, err := root.Stat(dir); f.Dir == "" && !f.Lazy && errors.Is(err, fs.ErrNotExist) {
		candidates = append(candidates, skillDirs[:]...)
	}
	for _, d := range candidates {
		// Agents read the descriptions of skills themselves, without an index.
		if _, err := root.Stat(path.Join(d, "index.json")); err != nil && len(skillsIn(root, d)) > 0 {
			return d, checkSkills(root, d), nil
		}
	}
	return dir, nil, nil
}
