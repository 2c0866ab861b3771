package rules

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Issue is one finding about rule files (loadout section 20.8).
type Issue struct {
	Severity loadout.Severity `json:"severity"`
	Code     string           `json:"code"`
	Message  string           `json:"message"`
	File     string           `json:"file,omitempty"` // from the repository root; "" when the finding is about none
	Line     int              `json:"line,omitempty"` // from 1; 0 when there is none
	Hint     string           `json:"hint,omitempty"`
}

const driftHint = "run packgen rules index, which makes index.json again from the rule file"

// validateRules checks the rule files of a directory against their index (loadout
// section 20.8). The front matter and the text of a rule file are the truth: all
// that the index derives from them is compared: patterns, triggers, summary,
// tokens and lines too. Entries that a build keeps in the same index are not rules.
// Paths are relative to the root. An error means that the files could not be looked at.
func validateRules(root *os.Root, dir string) ([]Issue, error) {
	name := path.Join(dir, "index.json")
	text, err := repo.ReadIn(root, name, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return []Issue{{Severity: loadout.SeverityError, Code: "MISSING_INDEX", File: name, Message: "index.json not found at " + name, Hint: "run packgen rules split, which writes it, or packgen rules index, which makes it from rule files"}}, nil
	}
	if err != nil {
		return nil, err
	}
	invalid := func(message string, line int) []Issue {
		return []Issue{{Severity: loadout.SeverityError, Code: "INVALID_INDEX", File: name, Message: message, Hint: "correct it, or move it away and split again", Line: line}}
	}
	ix, err := indexjson.Read(text)
	var syntax *indexjson.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return invalid("Failed to parse index.json: "+syntax.Problem, syntax.Line), nil
	case err != nil:
		return nil, err
	case ix.Check() != nil:
		return invalid("index.json is missing an `entries` array — split again", 0), nil
	case ix.Head.Get("budget").Kind() != loadout.Object:
		return invalid("index.json is missing a `budget` object — split again", 0), nil
	}
	built, _ := entryowner.BuildOf(ix)
	own := *ix
	own.Entries = slices.DeleteFunc(slices.Clone(ix.Entries), func(e loadout.Entry) bool { return !entryowner.IsRule(&e, dir) && built.Owns(&e) })
	var list []Issue
	for i := range own.Entries {
		list = append(list, validateEntry(root, &own.Entries[i])...)
	}
	orphans, err := orphans(root, dir, ix)
	return slices.Concat(list, orphans, duplicateIDs(ix), sharedKeywords(&own)), err
}

// validateEntry checks one entry against its rule file.
func validateEntry(root *os.Root, e *loadout.Entry) []Issue {
	now, text, fault := entryOf(root, e.Path)
	switch {
	case fault == nil:
	case errors.Is(fault.err, fs.ErrNotExist):
		fault.Message, fault.Hint = "Rule file not found: "+e.Path, "restore the file, or run packgen rules index to take the entry out"
	case fault.err != nil:
		fault.Hint = "put a text file below the repository root in its place"
	}
	if fault != nil {
		return []Issue{fault.Issue}
	}
	d := drift{file: e.Path, text: text}
	d.same("ID", "ID", "id", e.ID, now.ID)
	d.same("PRIORITY", "Priority", "priority", e.Priority, now.Priority)
	d.sets("KEYWORDS", "keywords", e.Keywords, now.Keywords)
	d.sets("PATTERNS", "patterns", e.Patterns, now.Patterns)
	d.same("TRIGGERS", "Triggers", "triggers", triggers(e.Triggers), triggers(now.Triggers))
	if e.Summary != "" && e.Summary != now.Summary {
		d.add("SUMMARY", "summary", fmt.Sprintf("Summary mismatch in %s: index has %q, the file has %q", e.Path, e.Summary, now.Summary))
	}
	d.number("TOKENS", "tokens_est", e.TokensEst, int(now.TokensEst))
	d.number("LINES", "lines", float64(e.Lines), now.Lines)
	return slices.Concat(d.list, slips(e.Path, text), entryIssues(e))
}

// sectionOf is what a rule file holds after its front matter, as split wrote it.
func sectionOf(body string) string {
	body = strings.TrimPrefix(strings.TrimPrefix(body, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(body, "\n"), "\r")
}

// summaryIn is the summary of a rule file: that of its front matter, otherwise what its
// section begins with.
func summaryIn(file, content string) string {
	if value, line := headLine(file, summaryKey); line > 0 {
		return value
	}
	if list := parseSections(content); len(list) > 0 && list[0].Level > 0 {
		return summary(&Section{Heading: list[0].Heading, Content: content, head: list[0].head})
	}
	return summary(&Section{Heading: javascript.Trim(strings.TrimLeft(firstLine(content), "#")), Content: content})
}

// firstLine is the first line of a text that a reader sees: no comment.
func firstLine(content string) string {
	outline := javascript.NewOutline(content)
	for line := range strings.SplitSeq(content, "\n") {
		if outline.Next(line) != javascript.Inert && javascript.Trim(line) != "" {
			return line
		}
	}
	return ""
}

// drift collects where an entry and its file differ.
type drift struct {
	file, text string
	list       []Issue
}

func (d *drift) add(code, key, message string) {
	severity := loadout.SeverityWarning
	if code == "ID" {
		severity = loadout.SeverityError
	}
	d.list = append(d.list, Issue{Severity: severity, Code: "DRIFT_" + code, File: d.file, Message: message, Hint: driftHint, Line: lineOf(d.text, key)})
}

func (d *drift) same(code, name, key, index, front string) {
	if index != front {
		d.add(code, key, fmt.Sprintf("%s mismatch: index says %q but frontmatter says %q in %s", name, index, front, d.file))
	}
}

func (d *drift) sets(code, key string, index, front []string) {
	if !slices.Equal(sorted(index), sorted(front)) {
		d.add(code, key, fmt.Sprintf("%s mismatch in %s: index has [%s], frontmatter has [%s]",
			strings.ToUpper(key[:1])+key[1:], d.file, strings.Join(index, ", "), strings.Join(front, ", ")))
	}
}

func (d *drift) number(code, key string, index float64, file int) {
	if index != float64(file) {
		d.add(code, key, fmt.Sprintf("%s mismatch in %s: index has %v, the file has %d", key, d.file, index, file))
	}
}

func sorted(list []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(list)))
}

func triggers(t loadout.Triggers) string {
	return fmt.Sprintf("task %t, plan %t, edit %t", t.Task, t.Plan, t.Edit)
}

// headLine is the value of a key in a front matter, and its line, 0 when it does not exist.
// The key comes with its colon.
func headLine(text, key string) (value string, n int) {
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = javascript.Trim(line)
		if n > 1 && line == "---" {
			break
		}
		if value, ok := strings.CutPrefix(line, key); ok {
			return javascript.Trim(value), n
		}
	}
	return "", 0
}

// lineOf is the line of a key in a front matter, 0 when it does not exist.
func lineOf(text, key string) int {
	_, n := headLine(text, key+":")
	return n
}

func entryIssues(e *loadout.Entry) []Issue {
	var list []Issue
	switch n := token.Units(e.Summary); {
	case n == 0:
		list = append(list, Issue{Severity: loadout.SeverityError, Code: "MISSING_SUMMARY", File: e.Path, Message: fmt.Sprintf("Rule %q has no summary", e.ID), Hint: "write summary: in its front matter, then packgen rules index: the prompt hook shows it"})
	case n > 120:
		list = append(list, Issue{Severity: loadout.SeverityWarning, Code: "LONG_SUMMARY", File: e.Path, Message: fmt.Sprintf("Rule %q summary exceeds 120 chars (%d)", e.ID, n), Hint: "shorten summary: in its front matter, then packgen rules index"})
	}
	if e.Priority == loadout.PriorityDomain && len(e.Keywords) == 0 {
		list = append(list, Issue{Severity: loadout.SeverityError, Code: "EMPTY_KEYWORDS", File: e.Path, Message: fmt.Sprintf("Domain rule %q has no keywords — agent cannot route to it", e.ID), Hint: "name keywords in its front matter, or make it manual, then packgen rules index"})
	}
	return list
}

// orphans reports the rule files that the index does not name.
func orphans(root *os.Root, dir string, ix *loadout.Index) ([]Issue, error) {
	named := map[string]bool{}
	for i := range ix.Entries {
		named[path.Clean(ix.Entries[i].Path)] = true
	}
	var list []Issue
	names, err := unnamedIn(root, dir, named)
	for _, name := range names {
		list = append(list, Issue{Severity: loadout.SeverityWarning, Code: "ORPHAN_FILE", File: name, Message: "Rule file exists but not in index.json: " + name, Hint: "run packgen rules index to add it, or delete the file"})
	}
	return list, err
}

func duplicateIDs(ix *loadout.Index) []Issue {
	var list []Issue
	seen := map[string]int{}
	for i := range ix.Entries {
		id := ix.Entries[i].ID
		if seen[id]++; seen[id] == 2 {
			list = append(list, Issue{Severity: loadout.SeverityError, Code: "DUPLICATE_ID", Message: fmt.Sprintf("Duplicate rule ID: %q", id), Hint: "rename one rule's id"})
		}
	}
	return list
}

// maxNamed is how many rules a message names.
const maxNamed = 20

func sharedKeywords(ix *loadout.Index) []Issue {
	var list []Issue
	overlaps, err := loadout.FindOverlaps(ix, false)
	if err != nil {
		return nil
	}
	for _, o := range overlaps {
		if more := len(o.Entries) - maxNamed; more > 0 {
			o.Entries = append(slices.Clone(o.Entries[:maxNamed]), fmt.Sprintf("and %d more", more))
		}
		list = append(list, Issue{
			Severity: loadout.SeverityWarning, Code: "DUPLICATE_KEYWORD",
			Message: fmt.Sprintf("Keyword %q appears in multiple rules: %s", o.Keyword, strings.Join(o.Entries, ", ")),
			Hint:    "keep it where it fits best, unless a task needs all of them",
		})
	}
	return list
}

// Findings turns the issues of rule files into diagnostics.
func Findings(dir string, issues []Issue) []diag.Diagnostic {
	var findings []diag.Diagnostic
	for _, i := range issues {
		findings = append(findings, i.finding(dir))
	}
	return findings
}

func (i *Issue) finding(dir string) diag.Diagnostic {
	d := check.OfIssue(i.Severity, ruleCode(i.Code), i.Message, i.Hint)
	d.Path, d.Line = i.File, i.Line
	if d.Path == "" {
		d.Path = path.Join(dir, "index.json")
	}
	return d
}

// codeComment is the code of a comment that cannot switch off a rule.
const codeComment = "SUPPRESSION_INVALID"

// ruleCode is the code of an issue among those of all readers. All drift is one rule.
func ruleCode(code string) string {
	switch {
	case code == codeComment, code == check.CodeKey, code == check.CodePriority:
		return code
	case strings.HasPrefix(code, "DRIFT_"):
		return "RULE_DRIFT"
	}
	return "RULE_" + code
}

// audible leaves out the issues that comments of the rule files switch off, and adds
// those comments that cannot be used.
func audible(root *os.Root, dir string, issues []Issue) []Issue {
	silence := check.Silence{Read: func(name string) ([]byte, error) { return repo.ReadIn(root, name, maxFile) }}
	issues = slices.DeleteFunc(issues, func(i Issue) bool {
		d := i.finding(dir)
		return silence.Covers(&d)
	})
	for _, d := range silence.Faults {
		issues = append(issues, Issue{Severity: loadout.SeverityWarning, Code: codeComment, File: d.Path, Line: d.Line, Message: d.Message, Hint: d.Hint})
	}
	return issues
}

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
