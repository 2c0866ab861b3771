package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

// parse reads the references of a MEMORY.md (loadout section 19.1). Prose are the lines that
// end in an arrow and a word which names no file (loadout section 28, D16). It never fails:
// what is neither a heading nor a reference is text.
func parse(content string) (refs, prose []Ref) {
	number := 0
	for line := range strings.SplitSeq(content, "\n") {
		number++
		text := javascript.Trim(line)
		level, _ := headingOf(text, 6)
		if ref, ok, isProse := parseRef(text); ok && level == 0 {
			ref.Line = number
			if isProse {
				prose = append(prose, ref)
			} else {
				refs = append(refs, ref)
			}
		}
	}
	return refs, prose
}

// headingOf reads an ATX heading of at most that level from the start of a
// line; level is 0 for other lines.
func headingOf(line string, most int) (level int, text string) {
	for level < len(line) && line[level] == '#' {
		level++
	}
	text = strings.TrimLeftFunc(line[level:], javascript.IsSpace)
	if level == 0 || level > most || len(text) == len(line)-level || text == "" {
		return 0, ""
	}
	return level, text
}

const arrow = "→"

// Ref is one reference of a MEMORY.md to a topic file (loadout section 19.2).
type Ref struct {
	Name        string
	Description string
	Path        string // as written
	Line        int    // from 1; 0 for a file that is not listed

	link bool // written as a link, which is how agents write it
}

// parseRef reads a reference from a trimmed line, or one of the links that agents write.
// prose says that the line ends in an arrow and a word which names no file: upstream treats
// it as a reference (loadout section 28, D16).
func parseRef(line string) (ref Ref, ok, prose bool) {
	if ref, ok := linkForm(line); ok {
		return ref, true, false
	}
	text, path, ok := arrowForm(line)
	prose = ok && !strings.Contains(path, ".md") && !strings.Contains(path, "/")
	if !ok {
		text, path, ok = inlineForm(line)
	}
	if !ok {
		return Ref{}, false, false
	}
	ref.Name, ref.Description = splitName(text)
	ref.Path = path
	return ref, true, prose
}

// issue is one about the reference.
func (r Ref) issue(severity loadout.Severity, code, message, hint string) Issue {
	return Issue{Severity: severity, Code: code, Message: message, Hint: hint, RefPath: r.Path, Line: r.Line}
}

// arrowForm reads "- Name — description → `path`".
func arrowForm(line string) (text, path string, ok bool) {
	rest := strings.TrimSuffix(line, "`")
	start := len(rest)
	for start > 0 {
		r, size := utf8.DecodeLastRuneInString(rest[:start])
		if r == '`' || javascript.IsSpace(r) {
			break
		}
		start -= size
	}
	path, rest = rest[start:], strings.TrimSuffix(rest[:start], "`")
	if path == "" {
		return "", "", false
	}
	before := javascript.TrimRight(rest)
	if len(before) == len(rest) || !strings.HasSuffix(before, arrow) {
		return "", "", false
	}
	before = strings.TrimSuffix(before, arrow)
	text = javascript.TrimRight(before)
	if len(text) == len(before) || text == "" || strings.ContainsAny(text, "\r\u2028\u2029") {
		return "", "", false
	}
	if bare, ok := bullet(text); ok && bare != "" {
		text = bare
	}
	return text, path, true
}

// inlineForm reads a bullet line with an arrow and a backticked path somewhere
// after it.
func inlineForm(line string) (text, path string, ok bool) {
	body, ok := bullet(line)
	if !ok || !strings.Contains(line, " "+arrow+" ") {
		return "", "", false
	}
	at, path := inlinePath(body)
	if path == "" || foreign(path) {
		return "", "", false
	}
	text = javascript.Trim(strings.TrimSuffix(javascript.Trim(body[:at]), arrow))
	if text == "" {
		return "", "", false
	}
	name, _ := splitName(text)
	id := nameID(name)
	if id == "" || id[0] == '-' || id[len(id)-1] == '-' {
		return "", "", false
	}
	return text, path, true
}

// inlinePath finds the first backticked token that names a topic file, and the
// offset of its first backtick.
func inlinePath(body string) (at int, path string) {
	for at = 0; at < len(body); at++ {
		if body[at] != '`' {
			continue
		}
		end := strings.IndexByte(body[at+1:], '`')
		if end < 0 {
			return 0, ""
		}
		word := body[at+1 : at+1+end]
		topic := strings.HasPrefix(word, "memory/") && len(word) > len("memory/") || strings.HasSuffix(word, ".md") && len(word) > len(".md")
		if topic && !strings.ContainsFunc(word, javascript.IsSpace) {
			return at, word
		}
		at += end // the next round looks at the closing backtick: it may open the next token
	}
	return 0, ""
}

// foreign reports whether a path cannot be one of the store: a glob, or absolute.
func foreign(path string) bool {
	return strings.Contains(path, "*") || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) ||
		len(path) > 2 && path[1] == ':' && (path[2] == '/' || path[2] == '\\')
}

// bullet takes a list marker and the white space after it off a line.
func bullet(line string) (rest string, ok bool) {
	if line == "" || line[0] != '-' && line[0] != '*' {
		return line, false
	}
	rest = strings.TrimLeftFunc(line[1:], javascript.IsSpace)
	return rest, len(rest) < len(line)-1
}

// splitName cuts a text into name and description at the first dash.
func splitName(text string) (name, description string) {
	name, description, found := strings.Cut(text, "—")
	if !found {
		name, description, _ = strings.Cut(text, "--")
	}
	return javascript.Trim(name), javascript.Trim(description)
}

// stopWords are never keywords (loadout section 19.4).
var stopWords = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for are not but with from this that have has had was were been will can may should
		would could about into than then when where which what how all each every both few more most other some such only own same
		just also very often once here there why use used using note notes`) {
		words[w] = true
	}
	return words
})

// IsStopWord reports a word that is never made a keyword.
func IsStopWord(word string) bool { return stopWords()[word] }

// nameID makes an id of a name (loadout section 19.3). It may be empty, and may
// start or end with a hyphen.
func nameID(name string) string {
	var b strings.Builder
	for _, r := range javascript.Trim(strings.Map(func(r rune) rune {
		if r == '-' || javascript.IsSpace(r) || asciiWord(r) {
			return r
		}
		return -1
	}, strings.ToLower(name))) {
		if javascript.IsSpace(r) {
			r = '-'
		}
		if r == '-' && strings.HasSuffix(b.String(), "-") {
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func asciiWord(r rune) bool { return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' }

// headingWords takes the keywords of the headings of a topic file, sorted.
func headingWords(content string) (list []string) {
	outline := javascript.NewOutline(content)
	before := ""
	for line := range strings.SplitSeq(content, "\n") {
		level, text := headingOf(line, 3)
		switch outline.Next(line) {
		case javascript.Inert:
			level = 0
		case javascript.Underline:
			level, text = 2, before
		}
		before = line
		if level > 0 {
			list = append(list, wordsOf(text)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// keywordsOf joins the keywords of a name and those of headings, sorted.
func keywordsOf(name string, headings []string) []string {
	list := append(wordsOf(name), headings...)
	slices.Sort(list)
	return slices.Compact(list)
}

// wordsOf are the words of a text that the matcher can compare.
func wordsOf(text string) []string {
	return slices.DeleteFunc(loadout.Words(text), func(w string) bool { return len(w) <= 2 || stopWords()[w] })
}

// Source says how a store is read.
type Source struct {
	Lazy    bool // its index is marked as loaded lazily
	Outside bool // files beside the store are read too
	Written bool // its index is written: references without a file are left out
}

// Store is a store that was read, and what is wrong with it.
type Store struct {
	*Analysis
	Shown    string
	Index    *loadout.Index
	Issues   []loadout.Issue // of the index
	Findings []diag.Diagnostic
}

// Read reads a store, by its MEMORY.md or the directory of that.
func Read(ctx context.Context, w *repo.Repo, f Source, name string) (*Store, error) {
	at, err := repo.IndexTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	name = w.Paths.Given(name)
	if info, err := os.Stat(w.Paths.Abs(name)); err == nil && info.IsDir() {
		name = filepath.Join(name, FileName)
	}
	got, err := Analyze(ctx, w.Paths.Abs(name), f.Outside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("MEMORY.md", name, "name the MEMORY.md of a store, or its directory")
	}
	if err != nil {
		return nil, diag.WithHint(err, "make it UTF-8 text of at most %s that refers to each file once", amount.Size(maxFile))
	}
	got.FilePath = name
	if f.Written {
		got.LeaveOut()
	}
	s := &Store{Analysis: got, Shown: w.Paths.Rel(w.Paths.Abs(name)), Index: got.Index(layers.Stamp(at), f.Lazy)}
	s.Issues = got.IndexIssues(check.Issues(s.Index))
	s.Findings = Findings(s.Shown, got, s.Issues)
	return s, nil
}

// Findings turns the issues of a store and of its index into diagnostics
// at the lines of MEMORY.md.
func Findings(file string, a *Analysis, index []loadout.Issue) []diag.Diagnostic {
	var lines []int // of the reference of each entry
	for _, i := range a.listed() {
		lines = append(lines, a.Refs[i].Line)
	}
	list := IssueFindings(file, moved(a.Validate()))
	for _, d := range IssueFindings(file, a.Notes()) {
		d.Severity = diag.Info
		list = append(list, d)
	}
	for _, i := range index {
		if i.Code == "BAD_ID_FORMAT" && hasOtherLetters(i.Message) {
			continue // kebab-case is for ASCII letters; an id may have others
		}
		d := check.OfIssue(i.Severity, i.Code, i.Message, i.Hint)
		d.Path = file
		if i.Code == "EMPTY_KEYWORDS" {
			d.Hint += ", as a list: keywords: [release, publish]"
		}
		if i.Position >= 0 && i.Position < len(lines) {
			d.Line = lines[i.Position]
		}
		list = append(list, d)
	}
	for _, d := range a.silence.Faults {
		d.Path = file
		list = append(list, d)
	}
	check.SortByPlace(list)
	return list
}

// moved names, for a missing topic file, the one that no line leads to and that it was most
// likely renamed to. The two are one fault.
func moved(issues []Issue) []Issue {
	const orphaned = "ORPHAN_TOPIC_FILE"
	var orphans []string
	for _, i := range issues {
		if i.Code == orphaned {
			orphans = append(orphans, i.RefPath)
		}
	}
	found := map[string]bool{}
	budget := nearest.Budget(mostCompared)
	for n := range issues {
		i := &issues[n]
		if i.Code != "MISSING_TOPIC_FILE" {
			continue
		}
		near := budget.Within(i.RefPath, orphans, (len(i.RefPath)+1)/4)
		if same := slices.IndexFunc(orphans, func(o string) bool { return strings.EqualFold(path.Base(o), path.Base(i.RefPath)) }); same >= 0 {
			near = orphans[same]
		}
		if near != "" {
			i.Hint, found[near] = fmt.Sprintf("did you mean %q?", near), true
		}
	}
	return slices.DeleteFunc(issues, func(i Issue) bool { return i.Code == orphaned && found[i.RefPath] })
}

// mostCompared bounds what the search for renamed files may cost.
const mostCompared = 20_000_000

// IssueFindings turns issues of a store into diagnostics.
func IssueFindings(file string, list []Issue) (findings []diag.Diagnostic) {
	for _, i := range list {
		d := check.OfIssue(i.Severity, i.Code, i.Message, i.Hint)
		d.Path, d.Line = file, i.Line
		findings = append(findings, d)
	}
	return findings
}
