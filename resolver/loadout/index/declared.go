package index

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/loadout"
)

// entryFile holds metadata.loadout.
const entryFile = "KNOWLEDGE.md"

// Rule ids of this package.
const (
	idUnreachable = "keyword-unreachable" // a keyword or pattern no task can hit
	idUnroutable  = "entry-unroutable"    // no keyword is left: loaded by name only
	idUnknown     = "loadout-unknown"     // an author names a split, view or section that does not exist
)

// declaration is what an author says about an entry. A nil list and an empty
// text are unsaid.
type declaration struct {
	keywords, patterns []string
	places             []where // of the keywords
	priority, summary  string
	triggers           *loadout.Triggers
	asked              []string          // the questions that its text answers and the names in its titles, as patterns
	askedWords         string            // of all of these, each once
	faults             []diag.Diagnostic // about this declaration, without the pack's name
}

// The keys an author may give.
const (
	keyKeywords = "keywords"
	keyPatterns = "patterns"
	keyPriority = "priority"
	keyTriggers = "triggers"
	keySummary  = "summary"
)

// readDeclaration reads the five keys from a mapping.
func readDeclaration(m frontmatter.Map, tokenizer loadout.Tokenizer, sink *[]diag.Diagnostic) *declaration {
	d := &declaration{}
	d.keywords, d.places = d.readWords(m, keyKeywords, tokenizer, sink)
	d.patterns, _ = d.readWords(m, keyPatterns, tokenizer, sink)
	if p, ok := m.String(keyPriority); ok {
		switch p {
		case loadout.PriorityCore, loadout.PriorityDomain, loadout.PriorityManual:
			d.priority = p
		default:
			hint := "write core, domain or manual"
			if near := nearest.Name(strings.ToLower(p), []string{loadout.PriorityCore, loadout.PriorityDomain, loadout.PriorityManual}); near != "" {
				hint = fmt.Sprintf(didYouMean+"%q?", near)
			}
			m.Report(keyPriority, frontmatter.ID, diag.Error, fmt.Sprintf("priority %q is not known", p), hint)
		}
	}
	if s, ok := m.String(keySummary); ok {
		d.summary = cut(oneLine(s))
		if hasHidden(s) {
			m.Report(keySummary, idControl, diag.Warning, "the summary has a line break, a control or an invisible character",
				"write it on one line, in plain characters; it is shown to agents as one line of a prompt")
		}
	}
	if m.Value(keyTriggers) != nil {
		d.triggers = readTriggers(m.Map(keyTriggers))
	}
	return d
}

// readTriggers reads the three phases; an unsaid one keeps its default.
func readTriggers(m frontmatter.Map) *loadout.Triggers {
	t := loadout.DefaultTriggers()
	for key, field := range map[string]*bool{"task": &t.Task, "plan": &t.Plan, "edit": &t.Edit} {
		if v, ok := m.Bool(key); ok {
			*field = v
		}
	}
	return &t
}

// readWords reads keywords or patterns, with their places, as the matcher needs
// them: lower case, each of them reachable and listed once. The others are
// reported and left out.
func (d *declaration) readWords(m frontmatter.Map, key string, tokenizer loadout.Tokenizer, sink *[]diag.Diagnostic) ([]string, []where) {
	list, items, ok := listOf(m, key)
	if !ok {
		return nil, nil
	}
	reachable := tokenizer.Reachable
	hint := "write words of at least two letters a to z or digits, separated by spaces or hyphens"
	if key == keyPatterns {
		reachable = tokenizer.ReachablePattern
		hint = "write words of at least two letters a to z or digits, joined by underscores"
	}
	out, places := make([]string, 0, len(list)), make([]where, 0, len(list))
	seen := make(map[string]bool, len(list))
	foreign := isForeign(m, key)
	for i, written := range list {
		word := strings.ToLower(oneLine(written))
		names := namesOf(word)
		d.asked = append(d.asked, names...)
		if foreign && (!reachable(word) || seen[word] || len(out) == maxForeign) {
			continue
		}
		fault := diag.Diagnostic{Severity: diag.Warning, Path: m.Path, Line: items[i].Line, Column: items[i].Column}
		switch {
		case !reachable(word):
			fault.ID, fault.Message, fault.Hint = idUnreachable, fmt.Sprintf("no task can ever match %q", written), hint
			*sink = append(*sink, []diag.Diagnostic{fault}[min(len(names), 1):]...) // a name leads here
		case seen[word]:
			fault.ID, fault.Message, fault.Hint = idRepeated, fmt.Sprintf("%q is listed twice", written), "list it once"
			*sink = append(*sink, fault)
		default:
			seen[word] = true
			out, places = append(out, word), append(places, where{m.Path, fault.Line, fault.Column})
		}
	}
	if m.At == "" && len(out) == 0 && (foreign || len(list) == 0) {
		return nil, nil // as other systems leave the key empty: nothing is said
	}
	if foreign {
		places = nil // nobody chose them for the matcher, so how they match is not reported
	}
	return out, places
}

// namesOf are the patterns of a keyword that is one name. A letter in a phrase does not count.
func namesOf(keyword string) []string {
	if strings.Contains(keyword, " ") {
		return nil
	}
	return loadout.NamePatterns(keyword)
}

// maxForeign is how many such keywords count: as many as are derived otherwise.
const maxForeign = 8

// isForeign reports keywords as other systems write them in the front matter of a
// page: one text with commas.
func isForeign(m frontmatter.Map, key string) bool {
	v := m.Value(key)
	return m.At == "" && v != nil && strictyaml.Type(v) == strictyaml.String
}

// listOf reads a list of texts with the place of each.
func listOf(m frontmatter.Map, key string) ([]string, []*yaml.Node, bool) {
	v := m.Value(key)
	if v == nil || !isForeign(m, key) {
		list, ok := m.Strings(key)
		if !ok {
			return nil, nil, false
		}
		return list, v.Content, true
	}
	var list []string
	var items []*yaml.Node
	for part := range strings.SplitSeq(v.Value, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list, items = append(list, part), append(items, v)
		}
	}
	return list, items, true
}

// pageKeys are the front matter keys that make a page declare something.
var pageKeys = []string{keyKeywords, keyPatterns, keyPriority, keyTriggers, keySummary}

// The keys of metadata.loadout that the context resolver reads.
const (
	keyQuestions = "questions"
	keyBoundary  = "boundary"
)

// entryKeys are the keys of metadata.loadout.
var entryKeys = slices.Concat(pageKeys, []string{keyQuestions, keyBoundary})

// didYouMean is how the hint about a misspelt word begins.
const didYouMean = "did you mean "

// readPage reads what the front matter of a document or page declares; nil when
// it declares nothing. Other tools use the same keys in their own way, so a
// wrong type there is a remark, and the value is derived instead.
func readPage(u *compiler.Unit, tokenizer loadout.Tokenizer) *declaration {
	var faults []diag.Diagnostic
	m := frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, &faults)
	readSelection(m)
	unknown := unknownSections(u)
	if len(faults)+len(unknown) == 0 && !slices.ContainsFunc(pageKeys, func(k string) bool { return m.Value(k) != nil }) {
		return nil
	}
	d := readDeclaration(m, tokenizer, &faults)
	for i := range faults {
		if faults[i].ID == frontmatter.ID {
			faults[i].ID, faults[i].Severity = markdown.ForeignID, diag.Info
			if strings.HasPrefix(faults[i].Hint, didYouMean) {
				faults[i].Severity = diag.Warning
			}
		}
	}
	d.faults = append(faults, unknown...)
	return d
}

// readSelection reports questions and boundary of a page that the context resolver reads
// none in.
func readSelection(m frontmatter.Map) {
	if v := m.Value(keyQuestions); v != nil && strictyaml.Type(v) == strictyaml.Mapping {
		sections := m.Map(keyQuestions)
		for _, key := range sections.Keys() {
			sections.StringOrStrings(key.Value)
		}
	} else {
		m.StringOrStrings(keyQuestions)
	}
	if v := m.Value(keyBoundary); v != nil && strictyaml.Type(v) != strictyaml.Bool {
		m.StringOrStrings(keyBoundary)
	}
}

// unknownSections reports the sections that the front matter of a page names under
// questions and boundary, and that the page does not have: a question that finds
// nothing, a prohibition that goes along with nothing.
func unknownSections(u *compiler.Unit) (faults []diag.Diagnostic) {
	known := map[string]bool{}
	for i := range u.Splits {
		known[u.Splits[i].SectionID] = true
		for _, id := range u.Splits[i].Sections {
			known[id] = true
		}
	}
	m := frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil)
	report := func(key string, named []*yaml.Node) {
		for _, node := range named {
			if !known[node.Value] {
				faults = append(faults, diag.Diagnostic{
					ID: idUnknown, Severity: diag.Warning, Path: u.Doc.Path, Line: node.Line, Column: node.Column,
					Message: fmt.Sprintf("%s names %q, which is not a section of this page", key, node.Value),
					Hint:    "use an id from compiled/index.json",
				})
			}
		}
	}
	report(keyQuestions, m.Map(keyQuestions).Keys())
	if _, ok := m.Strings(keyBoundary); ok {
		report(keyBoundary, m.Value(keyBoundary).Content)
	} else if _, ok := m.String(keyBoundary); ok {
		report(keyBoundary, []*yaml.Node{m.Value(keyBoundary)})
	}
	return faults
}

// packDeclarations reads metadata.loadout: declarations by split id, view name
// or, for the entry of the pack itself, the pack's name.
func packDeclarations(p *pack.Pack, tokenizer loadout.Tokenizer) (map[string]*declaration, map[string]*yaml.Node, []diag.Diagnostic) {
	var faults []diag.Diagnostic
	metadata := frontmatter.NewMap(entryFile, p.Meta.Metadata, &faults)
	metadata.At = "metadata"
	all := metadata.Map("loadout")
	declared, places := map[string]*declaration{}, map[string]*yaml.Node{}
	budget := nearest.Budget(mostCompared)
	for _, key := range all.Keys() {
		m := all.Map(key.Value)
		for _, k := range m.Keys() {
			if !slices.Contains(entryKeys, k.Value) {
				faults = append(faults, diag.Diagnostic{
					ID: frontmatter.ID, Severity: diag.Error, Path: entryFile, Line: k.Line, Column: k.Column,
					Message: fmt.Sprintf("key %q is not known in metadata.loadout", k.Value),
					Hint:    hintNearest(&budget, k.Value, entryKeys, "write one of "+strings.Join(entryKeys, ", ")),
				})
			}
		}
		m.StringOrStrings(keyQuestions) // a wrong type is a fault here too
		m.Bool(keyBoundary)
		declared[key.Value] = readDeclaration(m, tokenizer, &faults)
		places[key.Value] = key
	}
	return declared, places, faults
}

// pageQuestions are the questions that the front matter of a page says it answers, by the
// page and by its sections.
func pageQuestions(u *compiler.Unit) map[string][]string {
	return context.PageQuestions(u.Doc.Path, frontmatter.NewMap(u.Doc.Path, u.Doc.Meta, nil))
}

// questionsOf are those of one split: of its page, its sections and itself.
func questionsOf(questions map[string][]string, s *schema.Split) []string {
	list := slices.Clone(questions[s.Document])
	sections := s.Sections
	if len(sections) == 0 {
		sections = []string{s.SectionID}
	}
	for _, id := range sections {
		list = append(list, questions[s.Document+"#"+id]...)
	}
	if s.ID != s.Document {
		list = append(list, questions[s.ID]...)
	}
	return list
}

// answering returns a declaration that also has questions, their words and the names in
// titles; itself, which may be nil, when there are none.
func (d *declaration) answering(questions, titles []string, tokenizer loadout.Tokenizer) *declaration {
	out := declaration{}
	if d != nil {
		out = *d
	}
	c := newCounter(tokenizer)
	defer c.release()
	asked := slices.Clip(out.asked)
	words := strings.Fields(out.askedWords)
	for _, title := range titles {
		for _, name := range append(loadout.NamePatterns(title), c.wholeTitle(title)...) {
			if !slices.Contains(asked, name) {
				asked = append(asked, name)
			}
		}
	}
	for _, q := range questions {
		if pattern := loadout.QuestionPattern(q); pattern != "" && !slices.Contains(asked, pattern) {
			asked = append(asked, pattern)
		}
		c.eachWord([]byte(q), func(w []byte) {
			if !slices.Contains(words, string(w)) {
				words = append(words, string(w))
			}
		})
	}
	if len(asked) == len(out.asked) && len(words) == 0 {
		return d
	}
	out.asked, out.askedWords = asked, strings.Join(words, " ")
	return &out
}

// wholeTitle is the pattern of a title without a word that can lead to it, such as "for" and
// "Who we are": the task that is the title asks for it.
func (c *counter) wholeTitle(title string) []string {
	usable := false
	c.eachWord([]byte(title), func([]byte) { usable = true })
	if pattern := loadout.QuestionPattern(title); !usable && pattern != "" {
		return []string{pattern}
	}
	return nil
}

// withQuestions adds what an entry answers to its keywords and patterns: all words of its
// questions as one keyword, so that they make no other keyword count less, and each
// question as a pattern.
func (d *declaration) withQuestions(keywords, patterns []string) (k, p []string) {
	for _, pattern := range d.asked {
		if !slices.Contains(patterns, pattern) {
			patterns = append(slices.Clip(patterns), pattern)
		}
	}
	if d.askedWords != "" && !slices.Contains(keywords, d.askedWords) {
		keywords = append(slices.Clip(keywords), d.askedWords)
	}
	return keywords, patterns
}
