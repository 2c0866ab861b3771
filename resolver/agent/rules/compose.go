package rules

import (
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/stem"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/agent/rules/vocabulary"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/loadout/scripts"
)

// Output is what a split would write, by path from the repository root.
type Output struct {
	Rules   []File // in the order of the sections
	Index   File
	Main    File // the instruction file as it will be
	Entries int  // of the index
	Before  int  // tokens of the instruction file
	After   int  // and of the new one, with the descriptions that load with it
	Ids     []string
}

// File is a path and its bytes.
type File struct {
	Path string
	Data []byte
}

// ComposeOptions steer Compose.
type ComposeOptions struct {
	Generated string // time stamp of the index
	Lazy      bool
	Old       *loadout.Index // the index of earlier splits; nil without one
	// Copied are proposals of another file that is not rewritten: they become
	// rule files too (loadout section 20.7, --memory).
	Copied []Proposal
}

const (
	indexHeading = "Rules Index"
	boldLine     = "**When a task matches a domain rule's keywords, read that rule file before planning or editing.**"
	lazyLine     = "**Rule files are NOT pre-loaded. When a task matches a domain rule's keywords, use the Read tool to load the rule file before planning or editing.**"
	tableHead    = "| Topic | Keywords | Priority | File |"
	tableRule    = "|-------|----------|----------|------|"
	splitLine    = "Rules are split into topic files under `"
	tableLine    = "The dispatch table is at `"
)

// Compose makes the files of a split from the proposals that were accepted; the
// others stay where they are (loadout section 20.6 and section 28, D1). Every
// line of the file that is not blank is in the new file or in exactly one rule
// file. An id or a keyword that cannot be written is an error.
func (r *Report) Compose(accepted []Proposal, o ComposeOptions) (*Output, error) {
	d := newDocument(r.text)
	out := &Output{Before: r.TotalTokens}
	gone := make([]bool, len(d.lines))
	var rows []string
	for _, p := range accepted {
		for i := p.Section.StartLine; i < p.Section.Next; i++ {
			gone[i] = true
		}
	}
	home := r.home(accepted)
	all := slices.Concat(accepted, o.Copied)
	for i := range all {
		if i < len(accepted) {
			all[i].home = home
		}
		all[i] = *all[i].placed(r.form)
		p := all[i]
		text, err := ruleFile(&p, r.form)
		if err != nil {
			return nil, fmt.Errorf("rule %s: %w", p.ID, err)
		}
		out.Rules = append(out.Rules, File{p.Path, []byte(text)})
		out.Ids = append(out.Ids, p.ID)
		rows = append(rows, tableRow(escapeCell(javascript.Line(p.Section.Heading)), p.Keywords, p.Priority, p.Path))
	}
	kept := r.kept(d, gone, home)
	var table []string
	if r.form.hasTable() { // otherwise the table of an earlier split stays as it is
		var old []string
		kept, old = withoutIndex(kept)
		// Rows of a split that was cut short already exist.
		old = slices.DeleteFunc(old, func(row string) bool { return slices.Contains(rows, row) })
		table = r.table(append(old, rows...), o.Lazy)
	}
	out.Main = File{r.FilePath, []byte(d.join(kept, table))}
	out.After = token.Estimate(out.Main.Data)
	if !r.form.hasIndex() {
		for _, p := range all { // the agent lists what it knows by a description in every session
			out.After += token.Estimate(p.ID + ": " + p.Description)
		}
		return out, nil
	}
	ix := r.index(all, o)
	kept, _ = withoutIndex(newDocument(string(out.Main.Data)).lines)
	ix.Budget.AlwaysLoaded = alwaysLoaded(kept)
	if o.Old != nil {
		ix = entryowner.Keep(ix, o.Old)
	}
	out.Entries = len(ix.Entries)
	out.Index = File{path.Join(r.form.dir, "index.json"), indexjson.Write(ix)}
	return out, nil
}

// alwaysLoaded is the estimate of the sections of an instruction file, the table of the
// rules aside.
func alwaysLoaded(kept []string) float64 {
	sum := 0
	for _, s := range parseSections(strings.Join(kept, "\n")) {
		sum += s.Tokens
	}
	return float64(sum)
}

// ruleFile is the text of a rule file: front matter, a blank line, the section.
func ruleFile(p *Proposal, as form) (string, error) {
	head, err := as.head(p)
	if err != nil {
		return "", err
	}
	if p.crlf {
		return strings.ReplaceAll(head+"\n\n", "\n", "\r\n") + p.Section.Content + "\r\n", nil
	}
	return head + "\n\n" + p.Section.Content + "\n", nil
}

// summaryKey begins the line of a front matter that holds a summary.
const summaryKey = "summary:"

// tableRow is the line of a rule in the table; the heading is escaped already.
func tableRow(heading string, keywords []string, priority, at string) string {
	return fmt.Sprintf("| %s | %s | %s | `%s` |", heading, escapeCell(strings.Join(keywords[:min(4, len(keywords))], ", ")), priority, at)
}

func escapeCell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// table is the end of the new file.
func (r *Report) table(rows []string, lazy bool) []string {
	bold := boldLine
	if lazy {
		bold = lazyLine
	}
	return append([]string{
		"---", "", "## " + indexHeading, "", splitLine + r.form.dir + "/`.", tableLine + r.form.dir + "/index.json`.", "", bold, "", tableHead, tableRule,
	}, rows...)
}

// join puts the kept lines and the table together, in the line ends of the file.
func (d *document) join(kept, table []string) string {
	for len(kept) > 0 && javascript.Trim(kept[len(kept)-1]) == "" {
		kept = kept[:len(kept)-1]
	}
	newline := "\n"
	if d.crlf {
		newline = "\r\n"
	}
	text := strings.Join(kept, "\n")
	if text != "" {
		text = strings.TrimSuffix(text, "\r") + newline
	}
	if len(table) == 0 {
		return text
	}
	if text != "" {
		text += newline
	}
	return text + strings.Join(table, newline) + newline
}

// isIndex reports whether a section is a table that a split wrote, untouched.
func isIndex(s *Section) bool {
	_, ok := indexRows(strings.Split(s.Content, "\n"))
	return s.Heading == indexHeading && ok
}

// indexRows returns the rows of a table that a split wrote; ok is false when any
// other line is among its lines.
func indexRows(lines []string) (rows []string, ok bool) {
	table := false
	for _, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		switch {
		case line == tableRule:
			table = true
		case table && strings.HasPrefix(line, "| "):
			rows = append(rows, line)
		case line == "", line == "## "+indexHeading, line == boldLine, line == lazyLine, line == tableHead,
			strings.HasPrefix(line, splitLine), strings.HasPrefix(line, tableLine):
		default:
			return nil, false
		}
	}
	return rows, table
}

// withoutIndex takes the table of an earlier split off the end of a file, with
// the rule above it, and returns its rows. A table that somebody wrote into, or
// that is not at the end, stays.
func withoutIndex(lines []string) (rest, rows []string) {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.TrimSuffix(lines[i], "\r") != "## "+indexHeading {
			continue
		}
		rows, ok := indexRows(lines[i:])
		if !ok {
			return lines, nil
		}
		for i > 0 && javascript.Trim(lines[i-1]) == "" {
			i--
		}
		if i > 0 && strings.TrimSuffix(lines[i-1], "\r") == "---" {
			i--
		}
		return lines[:i], rows
	}
	return lines, nil
}

// index is the index of all rule files, those of earlier splits first. An entry
// of one of these rule files is from a split that was cut short.
func (r *Report) index(accepted []Proposal, o ComposeOptions) *loadout.Index {
	ix := &loadout.Index{Version: loadout.Version, Generated: o.Generated, LazyLoad: o.Lazy}
	if o.Old != nil {
		written := map[string]bool{}
		for i := range accepted {
			written[accepted[i].Path] = true
		}
		for i := range o.Old.Entries {
			if e := &o.Old.Entries[i]; !written[e.Path] {
				ix.Entries = append(ix.Entries, *e)
			}
		}
	}
	for _, p := range accepted {
		ix.Entries = append(ix.Entries, loadout.Entry{
			ID: p.ID, Path: p.Path, Keywords: p.Keywords, Patterns: p.Patterns, Priority: p.Priority, Summary: p.Summary,
			Triggers: loadout.DefaultTriggers(), TokensEst: float64(p.Section.Tokens), Lines: p.Section.Lines,
		})
	}
	if slices.ContainsFunc(ix.Entries, func(e loadout.Entry) bool { return needsUnicode(e.Keywords) }) {
		ix.SetTokenizer(loadout.Unicode)
	}
	sumUp(ix)
	return ix
}

// sumUp computes the budget of rules, except for what always loads: whatever their
// priority, they load on demand.
func sumUp(ix *loadout.Index) {
	sum := 0.0
	for i := range ix.Entries {
		if t := ix.Entries[i].TokensEst; !math.IsNaN(t) {
			sum += t
		}
	}
	ix.Budget.OnDemandTotal, ix.Budget.AvgTaskLoad = sum, 0
	if n := len(ix.Entries); n > 0 {
		ix.Budget.AvgTaskLoad = math.Floor(sum/float64(n) + 0.5)
	}
}

// errPlan says that a plan cannot be applied to a file.
var errPlan = errors.New("it does not fit")

// Apply reads proposals back that somebody reviewed: a JSON list as Analyze's
// report has it, of which items may be gone, and ids, keywords, patterns,
// priorities and summaries changed. Each section must be in the file as the
// plan has it; otherwise it is an error.
func (r *Report) Apply(proposals loadout.Value) ([]Proposal, error) {
	var accepted []Proposal
	ids := map[string]bool{}
	last := -1
	n := 0
	for item := range proposals.Items {
		n++
		p, err := r.proposal(item)
		if err != nil {
			return nil, fmt.Errorf("proposal %d: %w", n, err)
		}
		if p.Section.StartLine < last {
			return nil, fmt.Errorf("proposal %d: %w: the sections are out of order or overlap", n, errPlan)
		}
		if ids[p.ID] {
			return nil, fmt.Errorf("proposal %d: %w: the id %s is given twice", n, errPlan, p.ID)
		}
		ids[p.ID], last = true, p.Section.Next
		accepted = append(accepted, *p)
	}
	return accepted, nil
}

func (r *Report) proposal(v loadout.Value) (*Proposal, error) {
	s := v.Get("section")
	line, _ := s.Get("startLine").Num()
	heading, _ := s.Get("heading").Str()
	content, _ := s.Get("content").Str()
	section := r.find(int(line), heading, content)
	if section == nil {
		return nil, fmt.Errorf("%w: the file has no section %q at line %d with this text", errPlan, javascript.Line(heading), int(line)+1)
	}
	p := &Proposal{Section: *section, crlf: strings.Contains(r.text, "\r\n"), links: r.links}
	var err error
	text := func(key string) string {
		t, ok := v.Get(key).Str()
		if !ok && err == nil {
			err = fmt.Errorf("%w: %s is not text", errPlan, key)
		}
		return t
	}
	list := func(key string) []string {
		t, fault := texts(key, v.Get(key))
		if fault != nil && err == nil {
			err = fmt.Errorf("%w: %s is not a list of strings", errPlan, key)
		}
		return t
	}
	p.ID, p.Priority, p.Summary = text("suggestedId"), text("suggestedPriority"), javascript.Cut(javascript.Line(text("suggestedSummary")), 120)
	p.Keywords, p.Patterns = list("suggestedKeywords"), list("suggestedPatterns")
	switch {
	case err != nil:
		return nil, err
	case !isID(p.ID), r.form.as == Skills && !loadout.Kebab(p.ID):
		return nil, fmt.Errorf("%w: the id %q is not kebab-case", errPlan, p.ID)
	case len(p.ID) > 2*maxID:
		return nil, fmt.Errorf("%w: an id of %d bytes is too long for a file name", errPlan, len(p.ID))
	case p.Priority == loadout.PriorityDomain && len(p.Keywords) == 0:
		return nil, fmt.Errorf("%w: the rule %s has no keywords, and only the priorities core and manual go without", errPlan, p.ID)
	case p.Priority != loadout.PriorityCore && p.Priority != loadout.PriorityDomain && p.Priority != loadout.PriorityManual:
		return nil, fmt.Errorf("%w: there is no priority %q", errPlan, p.Priority)
	}
	for _, word := range slices.Concat(p.Keywords, p.Patterns) {
		if word == "" || strings.ContainsAny(word, ",[]") || javascript.Line(word) != word {
			return nil, fmt.Errorf("%w: the keyword or pattern %q is empty, or has a comma, a bracket or a line end", errPlan, javascript.Line(word))
		}
	}
	p.Globs = GlobsIn(p.Section.Content, r.exists)
	if !r.form.routes(p) {
		return nil, fmt.Errorf("%w: the rule %s names no paths, and --as paths has nothing to load it by", errPlan, p.ID)
	}
	p.Path = r.form.path(p.ID)
	if !r.form.hasIndex() {
		p.Description = r.form.describe(p, nil) // of the keywords as they are now
		if d, ok := v.Get("suggestedDescription").Str(); ok {
			p.Description = javascript.Line(d)
		}
		if n := token.Units(p.Description); n == 0 || n > MaxSkillDescription {
			return nil, fmt.Errorf("%w: the description of %s is empty or longer than %d characters", errPlan, p.ID, MaxSkillDescription)
		}
	}
	return p, nil
}

const (
	// maxOwn is how many words of its own call a section, beside those of its heading
	// and the signals.
	maxOwn = 16
	// maxKeywords is how many keywords a rule gets: a hit of one of more is too little
	// for the matcher that counts shares of them.
	maxKeywords = 10
	// maxHeading, maxParts and maxSentence are how much a description has of the heading, of
	// the headings in the section and of its first sentence, and
	// maxDescription how long it is, both in UTF-16 units. Agents leave out whole
	// descriptions when all of them together take too much, 8,000 at the least: so those
	// of a file share maxListing, unless each would have less than minDescription.
	maxHeading     = 80
	maxParts       = 120
	maxSentence    = 60
	maxDescription = 350
	minDescription = 160
	maxListing     = 7_000
	// maxShownGlobs is how many globs a description names.
	maxShownGlobs = 3
)

// ownWords lists the words that tell each section from the others, as the layout of the
// format does not.
func ownWords(sections []Section, as form) [][]string {
	if as.as == "" {
		return make([][]string, len(sections))
	}
	texts := make([]vocabulary.Text, len(sections))
	for i := range sections {
		_, body, _ := strings.Cut(sections[i].Content, "\n")
		texts[i] = vocabulary.Text{Heading: sections[i].Heading, Body: body}
	}
	return vocabulary.Words(texts, maxOwn)
}

// without leaves out the words of a section that say nothing, and forms of those that
// call it already.
func (s *Signals) without(own, keywords []string) []string {
	had := stems(strings.Join(keywords, " "))
	return slices.DeleteFunc(own, func(w string) bool { return had[stemOf(w)] || slices.Contains(s.Stop, w) })
}

// markup is code, which stays as it is, links and pictures, of which the text stays, and
// the marks of footnotes, of tags and of what is emphasised.
var markup = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("(`[^`]*`)" + `|!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])|\[\^[^\]]*\]|</[A-Za-z][^>]*>|<[A-Za-z]+ [^>]*=[^>]*>|\*\*`)
})

// describe says when an agent needs a section: its heading, what it begins with, and the
// words by which a task for it can be known.
func (f form) describe(p *Proposal, own []string) string {
	heading := javascript.Line(p.Section.Heading)
	text := javascript.Shorten(heading, maxHeading)
	if above := javascript.Line(p.Section.within); above != "" {
		text = javascript.Shorten(above, maxHeading) + ", " + text
	}
	if parts := strings.Join(p.Section.parts(), ", "); parts != "" {
		text += " (" + javascript.Shorten(parts, maxParts) + ")"
	}
	if s := p.Summary; s != "" && s != heading {
		text += ": " + javascript.Shorten(FirstSentence(markup().ReplaceAllString(s, "$1$2")), maxSentence)
	}
	text = strings.NewReplacer("<", "(", ">", ")").Replace(text)
	if text = strings.TrimRight(text, ":： "); !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "…") && !strings.HasSuffix(text, "。") {
		text += "."
	}
	const use = " Use when the task is about "
	room := min(maxDescription, max(minDescription, maxListing/max(1, f.descriptions))) - token.Units(text) - token.Units(use)
	files := ""
	if globs := p.Globs[:min(maxShownGlobs, len(p.Globs))]; len(globs) > 0 {
		if files = ", or works on " + strings.Join(globs, ", "); token.Units(files) > room/2 {
			files = ""
		}
	}
	room -= token.Units(files) + 1
	said, folded := stems(text), map[string]bool{}
	for _, w := range scripts.Words(text) {
		folded[w] = true
	}
	var words []string
	for _, w := range slices.Concat(p.Keywords, own) {
		if s := stemOf(w); !said[s] && !(needsUnicode([]string{w}) && (folded[w] || strings.Contains(strings.ToLower(text), w))) && token.Units(w)+2 <= room {
			said[s] = true
			words = append(words, w)
			room -= token.Units(w) + 2
		}
	}
	if len(words) == 0 {
		words = []string{javascript.Shorten(heading, maxHeading)} // nothing else calls it
	}
	return text + use + strings.Join(words, ", ") + files + "."
}

// parts are the headings in a section, without its own.
func (s *Section) parts() (list []string) {
	for i, p := range newDocument(s.Content).headings() {
		if i > 0 && p.level >= s.Level {
			list = append(list, javascript.Line(p.text))
		}
	}
	return list
}

func stemOf(word string) string { return string(stem.Of([]byte(strings.ToLower(word)))) }

// stems are the stems of the words of a text.
func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(text, isBetweenWords) {
		set[stemOf(w)] = true
	}
	return set
}
