package rules

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/repo"
)

// Load is a file that an agent loads in every session.
type Load struct {
	Path   string `json:"path"` // from the repository root
	Tokens int    `json:"tokens_est"`
	Why    string `json:"why"`
}

// importedFrom begins the reason of an imported file.
const importedFrom = "imported by "

// imported reports whether the file loads for an import.
func (l *Load) imported() bool { return strings.HasPrefix(l.Why, importedFrom) }

const (
	// maxImports is how deep imports are followed, as the agent does.
	maxImports = 5
	// maxAbove is how many directories above a project are looked at, and maxRemembered
	// how many lines of a memory an agent loads.
	maxAbove      = 30
	maxRemembered = 200
	// maxLoads is how many files are listed.
	maxLoads = 1_000
)

// AlwaysLoaded lists what an agent loads in every session beside and because of an
// instruction file: the file, what it imports, the files that load with it in a project
// and of a user, rules that no path calls, and the descriptions of skills. Home is the
// home directory, "" for none.
func AlwaysLoaded(w *repo.Repo, file, home string) ([]Load, error) {
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	l := loads{root: root, dir: w.Paths.Dir, home: home, seen: map[string]bool{}}
	user := l.claudeDir(w.Getenv)
	l.add(file, "the instruction file", 0)
	if readerOf(file) == agents {
		l.skills(skillDirs[1], "~/"+skillDirs[1])
		return l.list, nil
	}
	for _, name := range [...]string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"} {
		l.add(name, "of the project", 0)
	}
	l.above()
	l.add(path.Join(user, "CLAUDE.md"), "of the user", 0)
	l.memory(user)
	for _, dir := range [...]string{DefaultDir, path.Join(user, "rules")} {
		l.rules(dir)
	}
	l.skills(skillDirs[0], path.Join(user, "skills"))
	return l.list, nil
}

type loads struct {
	root      *os.Root
	dir, home string // of the project and of the user
	seen      map[string]bool
	list      []Load
}

// claudeDir is the directory in which Claude Code keeps what is of the user: below ~, or by
// the whole path where CLAUDE_CONFIG_DIR names another one.
func (l *loads) claudeDir(getenv func(string) string) string {
	if dir := hook.ClaudeDir("", getenv); dir != "" && dir != filepath.Join(l.home, ".claude") {
		return filepath.ToSlash(dir)
	}
	return "~/.claude"
}

// read reads a file by its path from the root, from the home directory or by the whole of it.
func (l *loads) read(name string) ([]byte, error) {
	below, isHome := strings.CutPrefix(name, "~/")
	switch {
	case isHome && l.home == "":
		return nil, fs.ErrNotExist
	case isHome:
		return atomicfile.Read(filepath.Join(l.home, filepath.FromSlash(below)), maxFile)
	case filepath.IsAbs(name), strings.HasPrefix(name, "../"):
		if !filepath.IsAbs(name) {
			name = filepath.Join(l.dir, filepath.FromSlash(name))
		}
		return atomicfile.Read(name, maxFile)
	}
	return repo.ReadIn(l.root, name, maxFile)
}

// add adds a file and what it imports. A file that cannot be read loads nothing.
func (l *loads) add(name, why string, depth int) {
	if l.seen[name] || len(l.list) >= maxLoads {
		return
	}
	l.seen[name] = true
	text, err := l.read(name)
	if err != nil {
		return
	}
	l.list = append(l.list, Load{name, token.Estimate(text), why})
	if depth == maxImports {
		return
	}
	for _, at := range importsIn(string(text)) {
		if !path.IsAbs(at) && !strings.HasPrefix(at, "~/") {
			at = path.Join(path.Dir(name), at)
		}
		l.add(at, importedFrom+name, depth+1)
	}
}

// above adds the files of the directories that a project is in.
func (l *loads) above() {
	dir, err := filepath.Abs(l.dir)
	if err != nil {
		return
	}
	for up, at := "../", filepath.Dir(dir); at != dir && len(up) < 3*maxAbove; up, dir, at = up+"../", at, filepath.Dir(at) {
		l.add(up+"CLAUDE.md", "of a directory above", 0)
		l.add(up+"CLAUDE.local.md", "of a directory above", 0)
	}
}

// memory adds the beginning of what the agent remembers of the project in a directory.
func (l *loads) memory(user string) {
	dir, err := filepath.Abs(l.dir)
	if err != nil {
		return
	}
	for _, project := range hook.ProjectNames(dir) {
		name := path.Join(user, "projects", project, "memory/MEMORY.md")
		text, err := l.read(name)
		if err != nil || l.seen[name] {
			continue
		}
		l.seen[name] = true
		lines := strings.SplitAfterN(string(text), "\n", maxRemembered+1)
		l.list = append(l.list, Load{name, token.Estimate(strings.Join(lines[:min(len(lines), maxRemembered)], "")), "the agent's memory of the project"})
	}
}

// below is a directory as a file system; nil when there is none.
func (l *loads) below(dir string) fs.FS {
	if name, isHome := strings.CutPrefix(dir, "~/"); isHome {
		if l.home == "" || filepath.Clean(l.home) == filepath.Clean(l.dir) {
			return nil
		}
		return regularfile.Dir(filepath.Join(l.home, filepath.FromSlash(name)))
	}
	if filepath.IsAbs(dir) {
		return regularfile.Dir(dir)
	}
	sub, err := fs.Sub(regularfile.FS(l.root), dir)
	if err != nil {
		return nil
	}
	return sub
}

// rules adds the rules of a directory that load in every session.
func (l *loads) rules(dir string) {
	files := l.below(dir)
	if files == nil {
		return
	}
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".md" || len(l.list) >= maxLoads {
			return nil
		}
		name = path.Join(dir, name)
		if text, err := l.read(name); err == nil && headValue(string(text), "paths") == "" {
			l.add(name, "a rule without paths", maxImports)
		}
		return nil
	})
}

// skills adds the names and descriptions of the skills of directories, which an agent
// shows a model in every session.
func (l *loads) skills(dirs ...string) {
	for _, dir := range dirs {
		files := l.below(dir)
		if files == nil {
			continue
		}
		names, _ := fs.Glob(files, "*/"+skillFile)
		sum, n := 0, 0
		for _, name := range names[:min(len(names), maxLoads)] {
			text, err := l.read(path.Join(dir, name))
			if err != nil || headValue(string(text), "disable-model-invocation") == "true" {
				continue
			}
			block, faults := frontmatter.Read(text, frontmatter.Options{Path: name, Required: true})
			if len(faults) > 0 {
				continue
			}
			description, _ := frontmatter.NewMap(name, block.Node, nil).String("description")
			sum += token.Estimate(path.Dir(name) + ": " + description)
			n++
		}
		if n > 0 {
			l.list = append(l.list, Load{dir, sum, "the descriptions of " + amount.Counted(n, "skill")})
		}
	}
}

// headValue is the value of a key of the front matter on its line; "" without the
// key, and "-" for what is on the lines below it.
func headValue(text, key string) string {
	head, found := strings.CutPrefix(strings.ReplaceAll(text, "\r\n", "\n"), "---\n")
	if !found {
		return ""
	}
	for line := range strings.SplitSeq(head, "\n") {
		if line == "---" {
			return ""
		}
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return cmp.Or(strings.TrimSpace(value), "-")
		}
	}
	return ""
}

// importsIn returns the paths that an instruction file imports: words that begin with
// an @, outside of code.
func importsIn(text string) []string {
	var list []string
	outline := javascript.NewOutline(text)
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if outline.Next(line) == javascript.Inert {
			continue
		}
		for i, span := range strings.Split(line, "`") {
			if i%2 == 1 {
				continue
			}
			for word := range strings.FieldsSeq(span) {
				name, ok := strings.CutPrefix(word, "@")
				name = strings.TrimRight(name, ".,;:)")
				if ok && name != "" && (name[0] != '~' || strings.HasPrefix(name, "~/")) {
					list = append(list, path.Clean(name))
				}
			}
		}
	}
	return list
}

// imports reports whether a section of a file imports a file.
func imports(file, content string, exists func(name string) (dir, ok bool)) bool {
	return slices.ContainsFunc(importsIn(content), func(name string) bool {
		if strings.HasPrefix(name, "~/") {
			return true
		}
		if exists == nil {
			return false
		}
		if !path.IsAbs(name) {
			name = path.Join(path.Dir(file), name)
		}
		dir, ok := exists(name)
		return ok && !dir
	})
}

// onlyImports returns the first Markdown file that a file imports which says nothing
// itself; "" for any other.
func onlyImports(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "# ") && !strings.HasPrefix(line, "<!--") {
			return ""
		}
	}
	for _, name := range importsIn(text) {
		if path.Ext(name) == ".md" && fs.ValidPath(name) {
			return name
		}
	}
	return ""
}

// home says where each line of the instruction file will be.
func (r *Report) home(accepted []Proposal) func(line int) string {
	return func(line int) string {
		for i := range accepted {
			if s := &accepted[i].Section; s.StartLine <= line && line < s.Next {
				return accepted[i].Path
			}
		}
		return r.FilePath
	}
}

// kept are the lines that stay, with the definitions that they need of those that do not.
// A heading with a line below it would continue from what comes before a section that is
// gone, so a blank line parts them.
func (r *Report) kept(d *document, gone []bool, home func(line int) string) []string {
	blank := ""
	if d.crlf {
		blank = "\r"
	}
	lines, needed := r.stays(d, gone, home)
	underlined := map[int]bool{}
	for i := range r.Sections {
		if s := &r.Sections[i]; s.head > 1 {
			underlined[s.StartLine] = true
		}
	}
	var kept []string
	for i := range d.lines {
		if gone[i] {
			continue
		}
		if last := len(kept) - 1; underlined[i] && last >= 0 && gone[i-1] && javascript.Trim(kept[last]) != "" {
			kept = append(kept, blank)
		}
		kept = append(kept, lines[0])
		lines = lines[1:]
	}
	if len(needed) == 0 {
		return kept
	}
	rest, _ := withoutIndex(kept)
	table := slices.Clone(kept[len(rest):])
	for len(rest) > 0 && javascript.Trim(rest[len(rest)-1]) == "" {
		rest = rest[:len(rest)-1]
	}
	return slices.Concat(rest, []string{blank}, withEnds(needed, blank), table)
}

// stays are the lines that stay, and those of definitions that they need. Links in them
// lead where they led.
func (r *Report) stays(d *document, gone []bool, home func(line int) string) (lines, needed []string) {
	var numbers []int
	for i, line := range d.lines {
		if !gone[i] {
			numbers = append(numbers, i)
			lines = append(lines, line)
		}
	}
	if r.links == nil {
		return lines, nil
	}
	return r.links.Part(r.FilePath, numbers, home)
}

// withEnds ends lines as those of their file, which end in the line end less its line feed.
func withEnds(lines []string, end string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line + end
	}
	return out
}

// placed is the proposal with the text that its file will have: its links lead where they
// led, and what it refers to is defined in it.
func (p *Proposal) placed(as form) *Proposal {
	if p.links == nil {
		return p
	}
	to := *p
	to.links = nil
	s := &to.Section
	numbers := make([]int, 0, s.Lines)
	for n := s.StartLine; n < s.EndLine; n++ {
		numbers = append(numbers, n)
	}
	name, blank := as.path(p.ID), ""
	if p.crlf {
		blank = "\r"
	}
	home := p.home
	if home == nil { // the rest stays
		home = func(line int) string {
			if s.StartLine <= line && line < s.Next {
				return name
			}
			return p.links.Path
		}
	}
	lines, needed := p.links.Part(name, numbers, home)
	if len(needed) > 0 {
		lines = slices.Concat(lines, []string{blank}, withEnds(needed, blank))
	}
	s.Content = strings.TrimSuffix(strings.Join(lines, "\n"), "\r")
	s.Lines, s.Tokens = len(lines), token.Estimate(s.Content)
	if p.Summary == summary(&p.Section) {
		to.Summary = summary(s)
	}
	return &to
}

// maxGlobs is how many globs a section is loaded by.
const maxGlobs = 20

// GlobsIn returns the globs that a section names in code: patterns such as `*.ts`, and
// files and directories that exist reports to be in the repository, those that links lead
// to included. Code blocks are not looked at.
func GlobsIn(content string, exists func(name string) (dir, ok bool)) []string {
	var globs []string
	outline := javascript.NewOutline(content)
	for line := range strings.SplitSeq(content, "\n") {
		if outline.Next(strings.TrimSuffix(line, "\r")) == javascript.Inert {
			continue
		}
		names := linked().FindAllStringSubmatch(line, maxGlobs)
		for i, span := range strings.Split(line, "`") {
			if i%2 == 1 {
				names = append(names, []string{"", strings.TrimSpace(span)})
			}
		}
		for _, m := range names {
			if _, ok := existing(exists, m[1]); m[0] != "" && !ok {
				continue // a link leads to a file, and not to a pattern
			}
			glob, ok := globOf(m[1], exists)
			if ok && !slices.Contains(globs, glob) && len(globs) < maxGlobs {
				globs = append(globs, glob)
			}
		}
	}
	return globs
}

// linked finds where the links of a line lead.
var linked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(<?([^)\s#?>]+)`) })

// existing is exists for a path as a text writes it; nothing exists without it.
func existing(exists func(name string) (dir, ok bool), name string) (dir, ok bool) {
	if exists == nil || path.IsAbs(name) || strings.Contains(name, ":") {
		return false, false
	}
	return exists(path.Clean(name))
}

// globOf is the glob that a word names.
func globOf(word string, exists func(name string) (dir, ok bool)) (string, bool) {
	name := strings.TrimPrefix(word, "./")
	if name == "" || len(name) > 200 || strings.ContainsAny(name, " \t\"'$<>|;&=()\\,:@~#!?") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") {
		return "", false
	}
	clean := path.Clean(name)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", false
	}
	if strings.ContainsAny(name, "*{") {
		return patternOf(name, exists)
	}
	if exists == nil {
		return "", false
	}
	dir, ok := exists(clean)
	if !ok {
		return "", false
	}
	if dir {
		return clean + "/**", true
	}
	return clean, true
}

// patternOf reads a pattern: one without a directory counts at any depth. One that is
// no more than stars would load always, and one below a directory that does not exist
// never: that is the name of a branch or of a module.
func patternOf(name string, exists func(name string) (dir, ok bool)) (string, bool) {
	if strings.Trim(name, "*/.") == "" || strings.Count(name, "{") != strings.Count(name, "}") {
		return "", false
	}
	if rest, star := strings.CutPrefix(name, "*"); star && strings.Trim(rest[:1], "*/._-{") != "" {
		return "", false // such as *time.Time or *args
	}
	if !strings.Contains(name, "/") {
		if !strings.Contains(name, ".") {
			return "", false // such as 2*x or **bold**
		}
		return "**/" + name, true
	}
	if before, _, _ := strings.Cut(name, "*"); exists != nil && !strings.Contains(before, "{") {
		if dir := path.Dir(before + "x"); dir != "." {
			if is, ok := exists(dir); !ok || !is {
				return "", false
			}
		}
	}
	return name, true
}

// GrowsNote is for a file so short that a split makes it longer.
const GrowsNote = "what is written in place of the sections costs more than they do: a file this short is better left whole"

// Text is the report for people. Loads are what the agent loads in every session;
// strong makes a heading stand out.
func (r *Report) Text(loads []Load, strong func(string) string) string {
	var b strings.Builder
	always, onDemand := r.Tokens()
	fmt.Fprintf(&b, "%s: %s, %s tokens\n", diag.Printable(r.FilePath), amount.Counted(r.TotalLines, "line"), amount.Grouped(r.TotalTokens))
	loadsText(&b, loads)
	if len(r.Proposals) == 0 {
		return b.String() + r.UnroutedText() + "nothing to split: every section is short or always needed\n"
	}
	b.WriteString("\nwould move:\n")
	for i := range r.Proposals {
		b.WriteString(r.Proposals[i].Text(strong))
	}
	b.WriteString("\nwould stay:\n")
	for _, s := range r.CoreCandidate {
		fmt.Fprintf(&b, "  %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	b.WriteString(r.UnroutedText())
	// The table of the rules or the descriptions of skills always load too.
	if out, err := r.Compose(r.Proposals, ComposeOptions{Lazy: r.form.as == Lazy}); err == nil {
		always = out.After
	}
	others := 0
	for _, l := range loads {
		if l.Path != r.FilePath {
			others += l.Tokens
		}
	}
	fmt.Fprintf(&b, "\n%s tokens would always load, %s included, %s on demand\n", amount.Grouped(others+always), r.extra(), amount.Grouped(onDemand))
	if always >= r.TotalTokens {
		b.WriteString(GrowsNote + "\n")
	}
	return b.String()
}

// loadsText lists what the agent loads in every session, when that is more than the
// file itself.
func loadsText(b *strings.Builder, loads []Load) {
	if len(loads) < 2 {
		return
	}
	sum := 0
	for _, l := range loads {
		sum += l.Tokens
	}
	fmt.Fprintf(b, "\nloads in every session: %s tokens\n", amount.Grouped(sum))
	for _, l := range loads {
		fmt.Fprintf(b, "  %s  %s tokens  %s\n", diag.Printable(l.Path), amount.Grouped(l.Tokens), diag.Printable(l.Why))
	}
}

// UnroutedText lists the sections that stay because nothing would load them, and the
// imported files with sections that are split by themselves.
func (r *Report) UnroutedText() string {
	var b strings.Builder
	for _, s := range r.Unrouted {
		fmt.Fprintf(&b, "stays, for it names no path of this repository: %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	for _, s := range r.Importing {
		fmt.Fprintf(&b, "stays, for it imports a file, which only an instruction file does: %s  %s tokens\n", diag.Printable(s.Heading), amount.Grouped(s.Tokens))
	}
	for _, f := range r.Imported {
		name := diag.Printable(f.Path)
		fmt.Fprintf(&b, "%s, which it imports, has %s that would move, %s tokens: packgen rules split %s\n", name, amount.Counted(f.Sections, "section"), amount.Grouped(f.Tokens), name)
	}
	return b.String()
}

// extra names what loads with the file because of a split.
func (r *Report) extra() string {
	switch r.form.as {
	case Skills:
		return "the descriptions of the skills"
	case Lazy:
		return "the table of the rules"
	}
	return "the sections without paths"
}

// Text is the proposal for people: where it goes, why, and by what it is found there.
func (p *Proposal) Text(strong func(string) string) string {
	by := "keywords [" + strings.Join(p.Keywords, ", ") + "]"
	if p.Description != "" {
		by = "description " + p.Description
	}
	return fmt.Sprintf("  %s  %s tokens\n      to %s: %s\n      %s\n", strong(diag.Printable(p.Section.Heading)), amount.Grouped(p.Section.Tokens),
		diag.Printable(p.Path), diag.Printable(p.Reason), diag.Printable(by))
}
