package boot

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/token"
)

// body is the content of an item as a boot prints it.
type body struct {
	text  []byte // nil once it was only measured
	units int    // UTF-16 units of text, without the line break added at its end; bytes of a binary file
	open  bool   // text does not end in a line break
	tags  int    // escaped because they read as tags of the boot
	bad   int    // 1-based line of the first byte that is not UTF-8; 0 for none
	large bool   // the file is over maxItemBytes and was not read
	other int    // bytes of a binary file that are not text; it is not printed. 0 for text
}

// readSaid reads what the sections say and fills the token counts of their
// items. Content that had to be changed is a warning.
func (s *session) readSaid(ctx context.Context, res *Result) error {
	var said []*file // none is said twice
	for _, item := range items(res.Sections) {
		if item.said() {
			said = append(said, item.file)
		}
	}
	fits, err := s.load(ctx, said, true)
	if err != nil {
		return err
	}
	if !fits {
		most := s.role.limits.saidBytes
		s.add(res, idLimit, diag.Error, fmt.Sprintf("the boot would say more than %s", bytesize.Text(int64(most))), "say less, or boot fewer subjects")
		return nil
	}
	s.weigh(res.Sections)
	for _, f := range said {
		s.contentFaults(res, f, s.bodies[f])
	}
	return nil
}

// tokens counts an item whose content, when it is said, has been read.
func (s *session) tokens(item *Item) int {
	if item.said() {
		return token.Of(s.bodies[item.file].units)
	}
	return token.Of(lineUnits(item))
}

// lineUnits counts a path-only line, with its line break.
func lineUnits(item *Item) int {
	units := 0
	pathLine(item, counting(&units))
	return units
}

// contentFaults reports what was wrong with a said file.
func (s *session) contentFaults(res *Result, f *file, b *body) {
	report := func(id string, severity diag.Severity, line int, message, hint string) {
		d := s.role.fault(id, severity, f.path, message, hint)
		d.Line = line
		res.Diagnostics = append(res.Diagnostics, d)
	}
	if b.large {
		report(idLimit, diag.Error, 0, fmt.Sprintf("the file is larger than %s", bytesize.Text(maxItemBytes)), "move it from say to ref")
	}
	if b.other > 0 {
		report(idEncoding, diag.Error, 0, fmt.Sprintf("the file is binary and cannot be said: %d of its bytes are not text", b.other),
			"list it under ref in "+configName+", or remove it from the role")
	}
	if b.bad > 0 {
		report(idEncoding, diag.Warning, b.bad, "the file is not UTF-8; such bytes are printed as U+FFFD", "save it as UTF-8")
	}
	if b.tags > 0 {
		report(idTagEscaped, diag.Warning, 0, fmt.Sprintf("the content reads as a tag of the boot in %s; the < there is printed as &lt;", amount.Counted(b.tags, "place")), "write the tag in another way")
	}
}

// Reading many small files is waiting for the system, so it is done by several
// readers when it pays.
const (
	maxReaders     = 8
	filesPerReader = 32
)

// load reads files that have not been read. Keep says that their texts are
// needed, not only their sizes; fits is false when these are more bytes than a
// boot may say, in which case not all of them have been read.
func (s *session) load(ctx context.Context, files []*file, keep bool) (fits bool, err error) {
	files = slices.DeleteFunc(slices.Clone(files), func(f *file) bool {
		b := s.bodies[f]
		return b != nil && (b.text != nil || !keep || b.large || b.other > 0)
	})
	bodies := make([]*body, len(files))
	var kept atomic.Int64 // bytes of texts
	read := func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b, err := s.read(files[i])
		if err != nil {
			return err
		}
		if !keep {
			b.text = nil
		}
		kept.Add(int64(len(b.text)))
		bodies[i] = b
		return nil
	}
	readers, most := max(1, min(maxReaders, runtime.GOMAXPROCS(0), len(files)/filesPerReader)), int64(s.role.limits.saidBytes)
	errs := make([]error, readers)
	var wait sync.WaitGroup
	for n := range readers {
		wait.Go(func() {
			for i := n * len(files) / readers; i < (n+1)*len(files)/readers && errs[n] == nil && kept.Load() <= most; i++ {
				errs[n] = read(i)
			}
		})
	}
	wait.Wait()
	if kept.Load() > most {
		return false, nil
	}
	if err := cmp.Or(errs...); err != nil { // the first of them in the order of the files
		return true, err
	}
	for i, f := range files {
		s.bodies[f] = bodies[i]
	}
	return true, nil
}

// read reads one item and makes its content safe to print.
func (s *session) read(f *file) (*body, error) {
	b := &body{}
	data, err := f.src.read(maxItemBytes)
	if isTooLarge(err) {
		b.large = true
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", s.role.name+f.path, err)
	}
	if f.kind == skill && s.opts.Headers {
		data = skillHeader(data)
	}
	if b.other = binaryBytes(data); b.other > 0 {
		b.units = len(data) // what a byte for a character would cost
		return b, nil
	}
	if s.role.render != nil && f.src.root.dir != "" {
		data = s.role.render(f.src.real(), data)
	}
	data, b.tags, b.bad = guard(data)
	b.units = unitsOfValid(data)
	b.open = len(data) > 0 && data[len(data)-1] != '\n'
	if b.text = data; data == nil {
		b.text = []byte{} // read, and empty
	}
	return b, nil
}

// A text with slips has some bytes that are not UTF-8, such as the umlauts of an
// older encoding. One with more of them is not text that an agent could read.
const (
	fewForeign   = 32  // bytes that make no file binary
	foreignShare = 0.3 // of all bytes, above which a file is binary
	nulShare     = 0.1 // the same for NUL bytes among UTF-8, as in UTF-16
)

// binaryBytes counts what is not text in a binary file: control characters and
// bytes that are not UTF-8. It returns 0 for text.
func binaryBytes(data []byte) int {
	nul := bytes.Count(data, []byte{0})
	if utf8.Valid(data) {
		if float64(nul) > nulShare*float64(len(data)) {
			return nul
		}
		return 0
	}
	foreign := 0
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 || r < ' ' && !strings.ContainsRune("\t\n\r\f\b\x1b", r) {
			foreign++
		}
		rest = rest[size:]
	}
	if nul > 0 || foreign > fewForeign && float64(foreign) > foreignShare*float64(len(data)) {
		return foreign
	}
	return 0
}

// unitsOfValid is [token.Units] for text that is known to be UTF-8, several times
// as fast: each character counts one, those of four bytes two.
func unitsOfValid(text []byte) int {
	n := 0
	for _, c := range text {
		if c&0xc0 != 0x80 {
			n++
		}
		if c >= 0xf0 {
			n++
		}
	}
	return n
}

// layOut walks the text form of a boot (boot.yml section 10): one element after
// the other, a blank line between them, none inside a run of path-only lines. It gives the
// pieces to text and the contents, ending in a line break, to content: what writes them and
// what counts them get the same, so what a boot is said to cost is what it prints.
//
// The compact form puts path-only lines of one type that follow each other into one
// element, which says their folder once.
func layOut(sections []Section, compact bool, text func(string), content func(*file)) {
	started, inRun := false, false
	separate := func() {
		if started {
			text("\n")
		}
		started = true
	}
	for i := range sections {
		indent := ""
		if sections[i].Kind == "also" {
			separate()
			text("<also>\n")
			indent, inRun = "  ", true
		}
		for run := range runs(sections[i].Items, compact) {
			item := &run[0]
			if item.said() || !inRun {
				separate()
			}
			if inRun = !item.said(); inRun {
				pathLines(run, indent, text)
				continue
			}
			text("<" + item.Type + ` path="` + item.file.shown + "\">\n")
			content(item.file)
			text("</" + item.Type + ">\n")
		}
		if indent != "" {
			text("</also>\n")
			inRun = false
		}
	}
}

// runs ranges over the items that are laid out together: one that is said by itself, in the
// compact form refs of one type that follow each other.
func runs(items []Item, compact bool) iter.Seq[[]Item] {
	return func(yield func([]Item) bool) {
		for len(items) > 0 {
			n := 1
			for compact && n < len(items) && items[0].Type == typeRef && items[n].Type == typeRef && items[n].file.kind == items[0].file.kind {
				n++
			}
			if !yield(items[:n]) {
				return
			}
			items = items[n:]
		}
	}
}

// pathLines lays out refs that belong together, or one line.
func pathLines(items []Item, indent string, text func(string)) {
	if len(items) == 1 {
		text(indent)
		pathLine(&items[0], text)
		return
	}
	base := items[0].file.shown[:strings.LastIndexByte(items[0].file.shown, '/')+1]
	for i := range items {
		for !strings.HasPrefix(items[i].file.shown, base) {
			base = base[:strings.LastIndexByte(base[:len(base)-1], '/')+1]
		}
	}
	tag := items[0].file.kind.String() + "s.ref"
	text(indent + "<" + tag + ` base="` + base + "\">\n")
	for i := range items {
		text(indent + items[i].file.shown[len(base):] + "\n")
	}
	text(indent + "</" + tag + ">\n")
}

// pathLine lays out a ref or a mention.
func pathLine(item *Item, text func(string)) {
	text(`<ref path="` + item.file.shown + `"/>`)
	if item.Type == TypeMention {
		text(" (as mentioned earlier in " + escapeAttribute(item.Of) + ")")
	}
	text("\n")
}

// errRefused is returned by Render for a boot that a diagnostic of error
// severity refuses.
var errRefused = errors.New("the boot is refused")

// Render writes the text form. It writes nothing and returns [errRefused] when a
// diagnostic is an error, since every check comes before anything is printed.
func (r *Result) Render(w io.Writer) error {
	if r.Refused() {
		return errRefused
	}
	out := bufio.NewWriter(w) // which keeps an error until the end
	text := func(s string) { _, _ = out.WriteString(s) }
	layOut(r.Sections, r.compact, text, func(f *file) {
		b := r.bodies[f]
		_, _ = out.Write(b.text)
		if b.open {
			text("\n")
		}
	})
	return out.Flush()
}

// Notes in place of what the header form leaves out.
const (
	hiddenNote        = "# [implementation hidden - use skill to execute]\n"
	undocumentedNote  = "# [no documentation found]\n"
	headerLineStarts  = "#/*" // # and #!, // and /*, *
	headerLineSlashes = "/*"  // what may follow a / that starts a comment
)

// skillHeader returns the leading comment block of a skill: the lines from the
// top that are blank or start a comment, without the blank lines around them.
func skillHeader(content []byte) []byte {
	at, end := 0, 0
	for line := range bytes.Lines(content) {
		at += len(line)
		if text := bytes.TrimSpace(line); len(text) > 0 {
			if !commentLine(text) {
				break
			}
			end = at
		}
	}
	block := bytes.TrimSpace(content[:end])
	if len(block) == 0 {
		return []byte(undocumentedNote + "\n" + hiddenNote)
	}
	return append(append(bytes.Clone(block), "\n\n"...), hiddenNote...)
}

// commentLine reports whether a line without blanks at its ends is a comment.
func commentLine(text []byte) bool {
	if bytes.IndexByte([]byte(headerLineStarts), text[0]) < 0 {
		return false
	}
	return text[0] != '/' || len(text) > 1 && bytes.IndexByte([]byte(headerLineSlashes), text[1]) >= 0
}

// StaleGlob is a glob that matches nothing.
type StaleGlob struct {
	Section string `json:"section"` // kind of the section
	List    string `json:"list"`    // such as "briefs.say"
	Glob    string `json:"glob"`
	Line    int    `json:"line"`              // 1-based, in boot.yml
	Column  int    `json:"column"`            // 1-based, in bytes
	Nearest string `json:"nearest,omitempty"` // the path or folder that may have been meant, below the base of the glob
	Hint    string `json:"hint,omitempty"`
}

// maxStaleReported is how many stale globs become diagnostics of their own.
const maxStaleReported = 100

// staleGlobs finds the globs of the whole file that match nothing and warns of
// each (boot.yml section 11). A boot.yml outlives the files it names, and a
// stale line is silent otherwise.
func (s *session) staleGlobs(res *Result) {
	work := nearest.Budget(maxNearestWork)
	for g := range s.planner.cfg.globs() {
		s.staleGlob(g, &work)
	}
	for i, stale := range s.stale {
		if i == maxStaleReported {
			s.add(res, idGlobStale, diag.Warning, fmt.Sprintf("%d more globs match nothing", len(s.stale)-i), "correct or remove them")
			break
		}
		d := s.role.fault(idGlobStale, diag.Warning, configName, fmt.Sprintf("glob %s in %s of %s matches nothing", quote(stale.Glob), stale.List, show(stale.Section)), cmp.Or(stale.Hint, "correct the glob, or remove it"))
		d.Line, d.Column = stale.Line, stale.Column
		res.Diagnostics = append(res.Diagnostics, d)
	}
}

// staleGlob records one glob if it matches nothing.
func (s *session) staleGlob(g placedGlob, work *nearest.Budget) {
	match, near, k := &s.planner.match, &s.planner.near, g.kind
	if len(match[k].Match(g.glob.pattern)) > 0 {
		return
	}
	stale := StaleGlob{Section: g.section.Kind, List: k.String() + "s." + g.list, Glob: g.glob.Text, Line: g.glob.Line, Column: g.glob.Column}
	if len(s.stale) < maxStaleReported {
		if found := match[1-k].Match(g.glob.pattern); len(found) > 0 {
			stale.Nearest = near[1-k].paths[found[0]]
			stale.Hint = fmt.Sprintf("list it under %ss: it matches a %s", 1-k, 1-k)
		} else {
			stale.Nearest, stale.Hint = near[k].hint(g.glob.Text, work)
		}
	}
	s.stale = append(s.stale, stale)
}
