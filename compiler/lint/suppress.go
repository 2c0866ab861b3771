package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/prose"
	"github.com/packgen/packgen/compiler/rulebook"
)

// The ids of findings about suppressions.
const (
	idSuppressionInvalid = "suppression-invalid"
	idSuppressionUnused  = "suppression-unused"
)

// The two forms of a suppression, as they begin an HTML comment:
//
//	<!-- packgen-disable-next-line RULE: reason -->
//	<!-- packgen-disable RULE: reason -->
//
// RULE is one rule id, or several separated by commas. The first form covers the
// lines of the comment itself and those up to the next that is not blank, and where
// that line opens a code fence or a table, which can hold no comment of Markdown,
// all of it. The second covers everything from there to the end of the file and
// what is found about the file as a whole; above all text also the front matter.
//
// In a code fence, in front matter and in files that are not prose the first form is
// read from comments of that language too; see codeDirectives.
const (
	directiveLine = "packgen-disable-next-line"
	directiveFile = "packgen-disable"
)

// maxDirective is the longest suppression that is read, in bytes, and
// maxSuppressions how many of one file.
const (
	maxDirective    = 1024
	maxSuppressions = 1000
)

// Suppression is one rule that a comment in a file switches off.
type Suppression struct {
	Rule   string
	Reason string
	Line   int  // 1-based line of the comment
	First  int  // first line that is covered
	Last   int  // last line that is covered; 0 means all that follow
	InCode bool // in code, where it may also be there to be read: then it is not reported when it covers nothing
}

// Covers reports whether a finding is meant.
func (s *Suppression) Covers(d *diag.Diagnostic) bool {
	switch {
	case s.Rule != d.ID:
		return false
	case s.Last == 0:
		return d.Line == 0 || d.Line >= s.First
	}
	return d.Line >= s.First && d.Line <= s.Last
}

// refuseForSources takes out the suppressions of instructions, which a source may not
// switch off for itself, and reports them.
func refuseForSources(path string, by []Suppression, found []diag.Diagnostic) ([]Suppression, []diag.Diagnostic) {
	kept := by[:0:0]
	for _, s := range by {
		if s.Rule != idInjection {
			kept = append(kept, s)
			continue
		}
		if s.InCode {
			continue
		}
		found = append(found, diag.Diagnostic{
			ID: idSuppressionInvalid, Severity: diag.Warning, Path: path, Line: s.Line, Column: 1,
			Message: fmt.Sprintf("a source cannot switch off %q", s.Rule), Hint: "remove the comment; a source cannot vouch for itself",
		})
	}
	return kept, found
}

// Suppressions reads the suppressions of a decoded file, in order, and reports
// those that cannot be used: without a reason, of an unknown rule, or of one that
// may not be switched off in that form. In code it reports none: that may be there
// to be read.
//
// A scan of the text for instructions or secrets may be silenced line by line
// only: a comment at the top of a file must not cover all that follows.
func Suppressions(path string, text []byte) ([]Suppression, []diag.Diagnostic) {
	if !bytes.Contains(text, []byte(directiveFile)) {
		return nil, nil
	}
	if !isProse(path) {
		return codeDirectives(text, prose.Spans{{Start: 0, End: len(text)}}), nil
	}
	r := suppressionReader{path: path, text: text, about: prose.ReadQuoting(text), line: 1, head: prose.FrontMatterEnd(text)}
	for _, c := range r.about.Comments {
		if len(r.list) >= maxSuppressions || len(r.faults) >= maxSuppressions {
			break
		}
		if directive, ok := cutDirective(text[c.Start:c.End]); ok && !r.about.Code.Holds(c.Start, c.End) {
			r.directive(c, directive)
		}
	}
	code := r.about.Fences
	if end := prose.FrontMatterEnd(text); end > 0 {
		code = append(prose.Spans{{Start: 0, End: end}}, code...)
	}
	if inCode := codeDirectives(text, code); len(inCode) > 0 {
		r.list = append(r.list, inCode...)
		slices.SortStableFunc(r.list, func(a, b Suppression) int { return a.Line - b.Line })
	}
	return r.list, r.faults
}

// cutDirective returns what is in a comment that begins like a suppression.
func cutDirective(comment []byte) (string, bool) {
	if len(comment) > maxDirective {
		return "", false
	}
	inner := bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimPrefix(comment, []byte("<!--")), []byte("-->")))
	return string(inner), bytes.HasPrefix(inner, []byte(directiveFile))
}

// suppressesInjection reports a comment that suppresses the scan for
// instructions: its reason may well name what it is about.
func suppressesInjection(comment []byte) bool {
	directive, ok := cutDirective(comment)
	rules, _, _ := strings.Cut(directive, ":")
	return ok && strings.Contains(rules, idInjection)
}

type suppressionReader struct {
	path   string
	text   []byte
	about  *prose.Quoting
	at     int // offset whose line is known
	line   int // 1-based line of at
	start  int // offset where that line starts
	column int // 1-based column of the comment that is read, in bytes
	reach  int // last line that a suppression on the line of the comment that ended last covers
	ended  int // 1-based line on which that was
	head   int // offset after front matter and the suppressions right below it
	list   []Suppression
	faults []diag.Diagnostic
}

// lineOf returns the 1-based line of an offset; offsets come in order.
func (r *suppressionReader) lineOf(offset int) int {
	passed := r.text[r.at:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		r.line += n
		r.start = r.at + bytes.LastIndexByte(passed, '\n') + 1
	}
	r.at = offset
	return r.line
}

// directive reads one suppression.
func (r *suppressionReader) directive(c prose.Span, directive string) {
	start := r.lineOf(c.Start)
	r.column = c.Start - r.start + 1
	end := r.lineOf(c.End)
	name, rest, _ := strings.Cut(directive, " ")
	ids, reason, _ := strings.Cut(strings.Join(strings.Fields(rest), " "), ":")
	reason = strings.TrimSpace(reason)
	s := Suppression{Reason: reason, Line: start, First: start}
	top := c.Start >= r.head && len(bytes.TrimSpace(r.text[r.head:c.Start])) == 0
	if top {
		r.head = c.End
	}
	switch name {
	case directiveLine:
		if r.ended != end { // comments may share a line
			r.ended, r.reach = end, end+r.linesAfter(c.End)
		}
		s.Last = r.reach
	case directiveFile:
		if top {
			s.First = 1 // no comment of this form can be in front matter
		}
	default:
		r.fault(start, fmt.Sprintf("%q is not a suppression", name), "write "+directiveLine+" or "+directiveFile)
		return
	}
	if reason == "" {
		r.fault(start, "a suppression needs a reason", "write <!-- "+name+" RULE: why it does not apply here -->")
		return
	}
	for id := range strings.SplitSeq(ids, ",") {
		s.Rule = strings.TrimSpace(id)
		if message, hint := unusable(s.Rule, s.Last == 0); message != "" {
			r.fault(start, message, hint)
			continue
		}
		r.list = append(r.list, s)
	}
}

// unusable says why a rule cannot be switched off; "" when it can.
func unusable(id string, wholeFile bool) (message, hint string) {
	rule, ok := rulebook.Find(id)
	switch {
	case !ok:
		return fmt.Sprintf("there is no rule %q", id), cmp.Or(rulebook.Nearest(id), "name a rule that packgen check reports, or remove the comment")
	case rule.Suppress == rulebook.Never:
		return fmt.Sprintf("rule %q cannot be suppressed", id), "correct what it reports"
	case rule.Suppress == rulebook.ByLine && wholeFile:
		return fmt.Sprintf("rule %q cannot be suppressed for a whole file", id), "write " + directiveLine + " above each place"
	}
	return "", ""
}

func (r *suppressionReader) fault(line int, message, hint string) {
	r.faults = append(r.faults, diag.Diagnostic{
		ID: idSuppressionInvalid, Severity: diag.Warning, Path: r.path, Line: line, Column: r.column, Message: message, Hint: hint,
	})
}

// linesAfter counts the lines after that of an offset which a suppression there
// covers: blank ones, and the first that is not or the fence or table it opens.
func (r *suppressionReader) linesAfter(offset int) int {
	n, at := 1, lineEnd(r.text, offset)
	for at < len(r.text) {
		end := lineEnd(r.text, at)
		if len(bytes.TrimSpace(r.text[at:end])) > 0 {
			break
		}
		n++
		at = end
	}
	if fence, ok := r.about.Fences.Find(at); ok && fence.Start == at {
		return n + bytes.Count(bytes.TrimSuffix(r.text[at:fence.End], []byte("\n")), []byte("\n"))
	}
	for isTableRow(r.text[at:lineEnd(r.text, at)]) {
		at = lineEnd(r.text, at)
		if !isTableRow(r.text[at:lineEnd(r.text, at)]) {
			break
		}
		n++
	}
	return n
}

// lineEnd returns the offset after the line of an offset.
func lineEnd(text []byte, at int) int {
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(text)
}

func isTableRow(line []byte) bool { return bytes.HasPrefix(bytes.TrimLeft(line, " \t>"), []byte("|")) }

// Suppressed is a finding that a comment switched off.
type Suppressed struct {
	diag.Diagnostic
	Reason string
	By     int // 1-based line of the comment
}

// Suppress takes the findings that comments in their files cover out of a list; by holds
// the comments of each file. Both lists stay in their order.
func Suppress(list []diag.Diagnostic, by map[string][]Suppression) (kept []diag.Diagnostic, out []Suppressed) {
	if len(by) == 0 {
		return list, nil
	}
	for _, d := range list {
		i := slices.IndexFunc(by[d.Path], func(s Suppression) bool { return s.Covers(&d) })
		if i < 0 {
			kept = append(kept, d)
			continue
		}
		out = append(out, Suppressed{d, by[d.Path][i].Reason, by[d.Path][i].Line})
	}
	return kept, out
}

// suppress takes the findings of one file that its suppressions cover out of a
// list. It reports suppressions that covered nothing.
func suppress(path string, list []diag.Diagnostic, by []Suppression) (kept []diag.Diagnostic, out []Suppressed) {
	used := make([]bool, len(by))
	for _, d := range list {
		i := slices.IndexFunc(by, func(s Suppression) bool { return s.Covers(&d) })
		if i < 0 {
			kept = append(kept, d)
			continue
		}
		used[i] = true
		out = append(out, Suppressed{d, by[i].Reason, by[i].Line})
	}
	for i, s := range by {
		if !used[i] && !s.InCode {
			kept = append(kept, diag.Diagnostic{
				ID: idSuppressionUnused, Severity: diag.Info, Path: path, Line: s.Line,
				Message: fmt.Sprintf("the comment suppresses nothing: rule %q has no finding there", s.Rule), Hint: "remove the comment",
			})
		}
	}
	return kept, out
}

// codeDirectives reads the suppressions in code: lines that are nothing but a
// comment of any common language, such as
//
//	# packgen-disable-next-line RULE: reason
//	// packgen-disable-next-line RULE: reason
//
// Each covers itself and what follows up to the next line that is not blank, within
// its span. One that cannot be used is skipped.
func codeDirectives(text []byte, spans prose.Spans) []Suppression {
	var list []Suppression
	at, line := 0, 1
	for _, span := range spans {
		for from := span.Start; len(list) < maxSuppressions; {
			i := bytes.Index(text[from:span.End], []byte(directiveLine))
			if i < 0 {
				break
			}
			start := bytes.LastIndexByte(text[:from+i], '\n') + 1
			end := lineEnd(text[:span.End], from+i)
			line += bytes.Count(text[at:start], []byte("\n"))
			at, from = start, end
			directive, ok := cutComment(text[max(start, span.Start):end])
			if !ok {
				continue
			}
			last := line
			for next := end; next < span.End; {
				stop := lineEnd(text[:span.End], next)
				last++
				if len(bytes.TrimSpace(text[next:stop])) > 0 {
					break
				}
				next = stop
			}
			list = append(list, codeSuppressions(directive, line, last)...)
		}
	}
	return list
}

// codeSuppressions are those of one directive in code.
func codeSuppressions(directive string, line, last int) []Suppression {
	ids, reason, _ := strings.Cut(directive, ":")
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return nil
	}
	var list []Suppression
	for id := range strings.SplitSeq(ids, ",") {
		if id = strings.TrimSpace(id); unusableID(id) {
			continue
		}
		list = append(list, Suppression{Rule: id, Reason: reason, Line: line, First: line, Last: last, InCode: true})
	}
	return list
}

func unusableID(id string) bool {
	message, _ := unusable(id, false)
	return message != ""
}

// commentMarks begin the comments of common languages, longer ones first.
var commentMarks = [...]string{"<!--", "/*", "//", "--", "#", ";", "%", "'", "*"}

// cutComment returns what follows the name of the directive on a line of code that
// is nothing but a comment.
func cutComment(line []byte) (string, bool) {
	inner := strings.TrimSpace(strings.TrimLeft(string(line[:min(len(line), maxDirective)]), " \t>"))
	marked := false
	for _, mark := range commentMarks {
		if rest, ok := strings.CutPrefix(inner, mark); ok {
			inner, marked = strings.TrimLeft(rest, "#/-;*! \t"), true
			break
		}
	}
	rest, ok := strings.CutPrefix(inner, directiveLine+" ")
	for _, end := range [...]string{"-->", "*/"} {
		rest = strings.TrimSuffix(rest, end)
	}
	return rest, marked && ok
}
