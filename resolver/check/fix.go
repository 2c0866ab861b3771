package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
)

// fixable names the rules whose findings Fix fixes, sorted.
func fixable() []string { return []string{idLoose, idUnused, idUntidy} }

// idUnused is a comment that switches off a rule which reports nothing there, and
// idLoose a link that works on the site alone.
const (
	idUnused = "suppression-unused"
	idLoose  = "link-loose"
)

// Fixed is a file that was fixed, or would be.
type Fixed struct {
	Path string   // relative to the pack root
	What []string // what was fixed, a phrase each
	Kept string   // why the file was left as it is; "" when it was fixed
}

// fix fixes what can be fixed without changing what a pack says: a byte-order
// mark, carriage returns, and line feeds missing or too many at the end of a
// file, comments that suppress nothing, and links that differ from the file they mean
// by case or by the ending of a published page. r is what a check of the pack found. In
// a dry run it only reports.
//
// A file with stale claims is left alone: any edit of it, however small, would
// make the next compile believe that the claims were reviewed (agent-knowledge
// section 6.9). So are sources, whose bytes are evidence, and links.
func fix(p *pack.Pack, r *Result, dryRun bool) ([]Fixed, error) {
	byPath := map[string][]diag.Diagnostic{}
	for _, d := range r.Diagnostics {
		if d.Pack == p.Meta.Name {
			byPath[d.Path] = append(byPath[d.Path], d)
		}
	}
	paths := slices.Clone(r.untidy)
	for name, list := range byPath {
		if slices.ContainsFunc(list, func(d diag.Diagnostic) bool { return slices.Contains(fixable(), d.ID) }) {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	stale := staleFiles(r)
	var all []Fixed
	for _, name := range paths {
		f, err := fixFile(p, name, byPath[name], stale[name], dryRun)
		if err != nil {
			return all, err
		}
		if f != nil {
			all = append(all, *f)
		}
	}
	return all, nil
}

// fixFile fixes one file; nil when there is nothing to fix in it.
func fixFile(p *pack.Pack, name string, findings []diag.Diagnostic, stale, dryRun bool) (*Fixed, error) {
	data, err := p.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	fixed, what := fixedText(data, findings)
	if len(what) == 0 || bytes.Equal(fixed, data) {
		return nil, nil
	}
	f := &Fixed{Path: name, What: what}
	if !saysTheSame(name, data, fixed) {
		f.Kept = "something else would be read in it afterwards"
		return f, nil
	}
	if stale {
		f.Kept = "it has stale claims, and any edit would pass for a review of them"
		return f, nil
	}
	if dryRun || p.Dir == "" {
		return f, nil
	}
	dir, at := p.Locate(name)
	if info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(at))); err != nil || !info.Mode().IsRegular() {
		f.Kept = "it is a link"
		return f, nil
	}
	if err := atomicfile.WriteBelow(dir, at, fixed, false); err != nil {
		return nil, fmt.Errorf("write %s: %w", name, err)
	}
	return f, nil
}

// fixedText fixes what is safe in a text, and says what.
func fixedText(data []byte, findings []diag.Diagnostic) (fixed []byte, what []string) {
	fixed, what = tidy(data)
	fixed, n := rewriteLinks(fixed, findings)
	if n > 0 {
		what = append(what, amount.Counted(n, "link"))
	}
	if without, dropped := dropUnused(fixed, findings); dropped {
		fixed = without
		what = append(what, "suppressions without effect")
	}
	return fixed, what
}

// saysTheSame reports whether two texts have the same headings and the same blocks
// of text with the same anchors. A comment may part what is read as one thing
// without it, such as a list and the code after it.
func saysTheSame(name string, before, after []byte) bool {
	texts := [2]string{}
	for i, data := range [2][]byte{before, after} {
		text, ok := frontmatter.Decode(data)
		if !ok {
			return false
		}
		doc := markdown.Parse(name, text)
		var b strings.Builder
		for _, h := range doc.Headings {
			fmt.Fprintf(&b, "%d %q %q\n", h.Level, h.ID, h.Text)
		}
		for _, u := range doc.Units {
			fmt.Fprintf(&b, "%d %q %q %t %t", u.Kind, u.Text, u.Marker, u.Boundary, u.Important)
			for _, a := range u.Anchors {
				fmt.Fprintf(&b, " %q", a.Written)
			}
			b.WriteByte('\n')
		}
		texts[i] = b.String()
	}
	return texts[0] == texts[1]
}

// staleFiles are the files with claims that the compile calls stale, whether a
// comment silences the finding or not.
func staleFiles(r *Result) map[string]bool {
	files := map[string]bool{}
	for _, d := range r.Compiled.Found {
		if d.ID == "source-changed" {
			files[d.Path] = true
		}
	}
	for _, c := range r.Compiled.SourceMap.Claims {
		if c.Status == schema.Stale {
			files[c.Document] = true
		}
	}
	return files
}

// untidyFiles reports Markdown files whose bytes tidy would change. Those of mapped folders
// belong to another system, with line ends of its own.
func untidyFiles(p *pack.Pack) ([]diag.Diagnostic, error) {
	var list []diag.Diagnostic
	for _, f := range slices.Concat([]pack.File{{Path: pack.EntryName}}, p.List("documents"), p.List("wiki")) {
		if dir, _ := p.Locate(f.Path); dir != p.Dir || !strings.HasSuffix(f.Path, ".md") {
			continue
		}
		data, err := p.ReadFile(f.Path)
		if errors.Is(err, pack.ErrTooLarge) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Path, err)
		}
		if _, what := tidy(data); len(what) > 0 {
			list = append(list, diag.Diagnostic{
				ID: idUntidy, Severity: diag.Info, Pack: p.Meta.Name, Path: f.Path,
				Message: fmt.Sprintf("the file has %s", strings.Join(what, " and ")), Hint: "run packgen check --fix",
			})
		}
	}
	return list, nil
}

// foldUntidy leaves one finding of those about files with the same untidiness, which one
// command fixes, of those about front matter that another system means in the same way,
// about long sections and about links with the same scheme. It returns the untidy files.
func foldUntidy(list []diag.Diagnostic) (kept []diag.Diagnostic, files []string) {
	first, more := map[string]int{}, map[int]int{}
	for _, d := range list {
		if d.ID == idUntidy {
			files = append(files, d.Path)
		}
		if manyAlike(d.ID) {
			key := fmt.Sprint(d.ID, d.Severity, d.Message)
			switch d.ID {
			case idOversize, idUntidy: // each has a title, or some faults, of its own
				key = d.ID
			}
			if at, ok := first[key]; ok {
				more[at]++
				continue
			}
			first[key] = len(kept)
		}
		kept = append(kept, d)
	}
	for at, n := range more {
		switch kept[at].ID {
		case idOversize:
			kept[at].Message += "; the pack has " + amount.Counted(n, "more section") + " above the cap"
		case idUntidy:
			kept[at].Message += "; " + amount.Counted(n, "more file") + " with such faults"
		case idDropped:
			kept[at].Message += "; " + amount.Counted(n, "more link") + " with the same"
		default:
			kept[at].Message += "; " + amount.Counted(n, "more file") + " with the same"
		}
	}
	return kept, files
}

// The ids of findings of compile of which the first explains itself.
const (
	idOversize = "split-oversize"
	idDropped  = "link-dropped"
	idEmpty    = "document-empty"
)

// manyAlike reports a kind of finding that a pack has once, with the number of others.
func manyAlike(id string) bool {
	switch id {
	case idUntidy, idOversize, idDropped, idEmpty, markdown.ForeignID:
		return true
	}
	return false
}

// tidy removes a byte-order mark and carriage returns and ends the text in one
// line feed, all of which compile reads past (agent-knowledge section 6.3). It
// names what it did. What is not text stays as it is.
func tidy(data []byte) (out []byte, what []string) {
	text, ok := frontmatter.Decode(data)
	if !ok || len(text) == 0 {
		return data, nil
	}
	if bytes.HasPrefix(data, []byte("\xEF\xBB\xBF")) {
		what = append(what, "a byte-order mark")
	}
	if bytes.IndexByte(data, '\r') >= 0 {
		what = append(what, "carriage returns")
	}
	trimmed := bytes.TrimRight(text, "\n")
	switch end := len(text) - len(trimmed); {
	case end == 0:
		what = append(what, "no line feed at its end")
	case end > 1:
		what = append(what, "empty lines at its end")
	}
	return append(slices.Clone(trimmed), '\n'), what
}

// rewriteLinks writes links as their files are named, where a finding says how, and
// returns how many. Of one that is defined elsewhere than it is used, the definition is.
func rewriteLinks(text []byte, findings []diag.Diagnostic) (out []byte, n int) {
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	starts := lineStarts(text)
	defined := sync.OnceValue(func() map[string][]int { return definitions(text) })
	for _, d := range findings {
		if d.ID != idLoose || d.Line < 1 || d.Line > len(starts) || d.Column < 1 {
			continue
		}
		old, new := quoted(d.Message), quoted(d.Hint)
		at := starts[d.Line-1] + d.Column - 1
		if old == "" || new == "" || at > len(text) {
			continue
		}
		window := text[at:min(len(text), at+maxLink)]
		for from := 0; ; {
			i := bytes.Index(window[from:], []byte(old))
			if i < 0 {
				for _, from := range defined()[old] {
					edits = append(edits, edit{from, from + len(old), new})
				}
				break
			}
			from += i
			end := from + len(old)
			before := at+from > 0 && strings.IndexByte("(<\"'=:) \t", text[at+from-1]) >= 0
			after := end == len(window) || strings.IndexByte(")>\"' \t\n", window[end]) >= 0
			if before && after {
				edits = append(edits, edit{at + from, at + end, new})
				break
			}
			from = end
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.from - b.from })
	edits = slices.CompactFunc(edits, func(later, before edit) bool { return later.from < before.to })
	for _, e := range slices.Backward(edits) {
		text = slices.Concat(text[:e.from], []byte(e.text), text[e.to:])
	}
	return text, len(edits)
}

// definitions finds the lines that define destinations, [label]: destination, and returns
// where each destination is.
func definitions(text []byte) map[string][]int {
	list := map[string][]int{}
	at := 0
	for line := range bytes.Lines(text) {
		label, rest, found := bytes.Cut(line, []byte("]:"))
		if found && bytes.HasPrefix(bytes.TrimLeft(label, " "), []byte("[")) && len(line) <= maxLink {
			value := bytes.TrimLeft(bytes.TrimLeft(rest, " \t"), "<")
			dest := value
			if end := bytes.IndexAny(value, "> \t\r\n"); end >= 0 {
				dest = value[:end]
			}
			list[string(dest)] = append(list[string(dest)], at+len(line)-len(value))
		}
		at += len(line)
	}
	return list
}

// maxLink is how far after its start the destination of a link is looked for, in
// bytes.
const maxLink = 4 << 10

// quoted is the first text between double quotes.
func quoted(s string) string {
	_, s, _ = strings.Cut(s, `"`)
	s, _, _ = strings.Cut(s, `"`)
	return s
}

// lineStarts are the offsets of the lines of a text.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for i, c := range text {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// dropUnused removes the lines that hold nothing but a suppression which findings
// call unused. Numbers of lines are those of the decoded text. A line between two
// others stays: without it they could become one paragraph.
func dropUnused(text []byte, findings []diag.Diagnostic) (out []byte, dropped bool) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	blank := func(i int) bool { return i < 0 || i >= len(lines) || len(bytes.TrimSpace(lines[i])) == 0 }
	for _, d := range findings {
		if d.ID != idUnused || d.Line < 1 || d.Line > len(lines) {
			continue
		}
		line := bytes.TrimSpace(lines[d.Line-1])
		whole := bytes.HasPrefix(line, []byte("<!-- packgen-disable")) && bytes.HasSuffix(line, []byte("-->")) &&
			bytes.Count(line, []byte("<!--")) == 1 && !bytes.Contains(line[:len(line)-3], []byte("-->"))
		// A comment for several rules may be needed for the others.
		rule, _, _ := bytes.Cut(line, []byte(":"))
		if whole && !bytes.Contains(rule, []byte(",")) && (blank(d.Line-2) || blank(d.Line)) {
			lines[d.Line-1] = nil
			dropped = true
		}
	}
	if !dropped {
		return text, false
	}
	return bytes.Join(lines, nil), true
}

// Editing checks one pack while it is written: its own rules, without the index, goldens
// and roles of the repository. Outputs that are older than the texts are not reported
// then, nor a source map that does not say what they say. Opened is what opening it reported.
func Editing(ctx context.Context, p *pack.Pack, opened []diag.Diagnostic, local policy.Local) ([]diag.Diagnostic, error) {
	r, err := checkPack(ctx, p, options{Opened: opened, Policy: local})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == idOutdated || d.ID == idMapContradicts }), nil
}

// FixText makes of a text what check --fix would make of its file, and says what it did.
// It returns nil where nothing is to be fixed, or what it says would change.
func FixText(name string, text []byte, findings []diag.Diagnostic) (fixed []byte, what []string) {
	fixed, what = fixedText(text, findings)
	if len(what) == 0 || !saysTheSame(name, text, fixed) {
		return nil, nil
	}
	return fixed, what
}

// Slip is what the front matter of a topic file or a rule file says without an effect.
type Slip struct {
	Code, Message, Hint string
	Line                int // from 1
}

// The codes of slips.
const (
	CodeKey      = "UNKNOWN_FIELD"
	CodePriority = "INVALID_PRIORITY"
)

// routingKeys are the keys of a topic file or a rule file that mean something. The first
// shortKeys are too short to be suggested.
var routingKeys = []string{"id", "name", "type", "summary", "description", "keywords", "patterns", "priority", "triggers"}

const shortKeys = 4

var priorities = []string{loadout.PriorityCore, loadout.PriorityDomain, loadout.PriorityManual}

// maxFrontLines is how many lines of front matter are looked at.
const maxFrontLines = 200

// Settle returns a topic file or a rule file with the keys of its front matter and the word of
// its priority in lower case, and what of them has no effect. Its length stays the same.
func Settle(content string) (settled string, slips []Slip) {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(content) {
		n++
		switch mark := strings.TrimRight(line, " \t\r\n"); {
		case n == 1 && strings.TrimPrefix(mark, "\ufeff") != "---" || n > maxFrontLines:
			return content, nil
		case n == 1:
		case mark == "---":
			return b.String() + content[b.Len():], slips
		default:
			line = settleLine(line, n, &slips)
		}
		b.WriteString(line)
	}
	return content, nil // it is never closed
}

// settleLine is Settle for a line of front matter and its number.
func settleLine(line string, n int, slips *[]Slip) string {
	key, value, ok := strings.Cut(line, ":")
	lower := strings.ToLower(key)
	if !ok || len(lower) != len(key) || key == "" || strings.ContainsAny(key[:1], " \t#-") {
		return line
	}
	if !slices.Contains(routingKeys, lower) {
		if near := nearest.Within(lower, routingKeys[shortKeys:], min(2, len(lower)/4)); near != "" {
			*slips = append(*slips, Slip{CodeKey, fmt.Sprintf("has the key %q, which has no effect", key), fmt.Sprintf("did you mean %q?", near), n})
		}
		return line
	}
	if lower != "priority" {
		return lower + ":" + value
	}
	written, _, _ := strings.Cut(value, " #")
	word := strings.ToLower(strings.Trim(strings.TrimSpace(written), `"'`))
	if slices.Contains(priorities, word) {
		return lower + ":" + strings.ToLower(value)
	}
	if word != "" {
		hint := "write core, domain or manual"
		if near := nearest.Name(word, priorities); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		*slips = append(*slips, Slip{CodePriority, fmt.Sprintf("has the priority %q, which counts as domain", word), hint, n})
	}
	return lower + ":" + value
}

// Silence says which findings the comments of their own files switch off. It is for files
// outside of packs, such as memories and rule files. A file is read when the first finding
// in it is asked about.
type Silence struct {
	Read func(path string) ([]byte, error)
	by   map[string][]lint.Suppression
	// Faults are the comments in those files that cannot be used.
	Faults []diag.Diagnostic
}

// Covers reports whether a comment switches a finding off.
func (s *Silence) Covers(d *diag.Diagnostic) bool {
	by, known := s.by[d.Path]
	if !known {
		by = s.read(d.Path)
	}
	for i := range by {
		if by[i].Covers(d) {
			return true
		}
	}
	return false
}

// read reads the comments of a file. One that cannot be read has none.
func (s *Silence) read(path string) (by []lint.Suppression) {
	if s.by == nil {
		s.by = map[string][]lint.Suppression{}
	}
	if data, err := s.Read(path); err == nil {
		if text, ok := frontmatter.Decode(data); ok {
			var faults []diag.Diagnostic
			by, faults = lint.Suppressions(path, text)
			s.Faults = append(s.Faults, faults...)
		}
	}
	s.by[path] = by
	return by
}
