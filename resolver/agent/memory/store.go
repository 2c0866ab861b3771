package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/javascript"
	"github.com/packgen/packgen/resolver/loadout/layers"
	"github.com/packgen/packgen/resolver/repo"
)

const (
	// FileName is the name of a store's table of contents.
	FileName = "MEMORY.md"
	// maxFile is the largest MEMORY.md or topic file that is read, in bytes.
	maxFile = 4 << 20 // 4 MiB
	// maxRefs is how many references of a MEMORY.md are followed.
	maxRefs = 100_000
	// maxWeight bounds what the entries of an index hold together, in bytes: a
	// file that is referred to a thousand times counts a thousand times.
	maxWeight = 64 << 20 // 64 MiB
	// keywordWeight is what a keyword counts beside its own bytes.
	keywordWeight = 64
	// maxListed is how many files and directories of a store are looked at for
	// topic files that nothing refers to.
	maxListed = 200_000
)

// Issue is one finding about a store (loadout sections 19.5 to 19.7), in the original's shape.
type Issue struct {
	Severity loadout.Severity `json:"severity"`
	Code     string           `json:"code"`
	Message  string           `json:"message"`
	RefPath  string           `json:"refPath,omitempty"` // the path as written in MEMORY.md, or of the file; may be empty
	Line     int              `json:"line,omitempty"`    // of MEMORY.md, from 1; 0 for the file as a whole
	Hint     string           `json:"hint,omitempty"`
}

// Topic is a topic file that was read.
type Topic struct {
	Path     string // relative to the store, with slashes; may start with ".."
	Front    *loadout.FrontMatter
	Said     *loadout.FrontMatter // front matter that has keywords and the like without an id
	Note     Note                 // front matter as agents write it
	Keywords []string             // of its headings, sorted
	Tokens   int                  // estimate of the whole file
	Lines    int                  // line feeds plus one
	slips    []check.Slip         // of its front matter
}

// weight is what an entry of the topic holds, about, in bytes.
func (t *Topic) weight() int {
	n := 0
	lists := [][]string{t.Keywords}
	if fm := t.Front; fm != nil {
		n, lists = len(fm.ID), [][]string{fm.Keywords, fm.Patterns}
	} else if t.Said != nil {
		lists = append(lists, t.Said.Keywords, t.Said.Patterns)
	}
	for _, list := range lists {
		for _, word := range list {
			n += keywordWeight + len(word)
		}
	}
	return n
}

// Analysis is a store as it was found.
type Analysis struct {
	FilePath string // as given
	Refs     []Ref
	Prose    []Ref // lines that upstream takes for references
	// Topics holds for each reference its topic file, nil where there is none.
	Topics       []*Topic
	OrphanFiles  []string
	MissingFiles []string // as written, repeats kept
	Diagnostics  []Issue
	InlineTokens int // of MEMORY.md
	TopicTokens  int // of the files, once for each reference

	joined  bool          // of several stores, of which it has the diagnostics alone
	silence check.Silence // the comments of MEMORY.md that switch off rules
}

// Analyze reads a MEMORY.md and the topic files it refers to (loadout section
// 19.5). It returns an error when MEMORY.md cannot be read or is not text; what
// is wrong with the rest are Diagnostics. References to files beside the store, below the
// directory above it, are followed when outside says so; otherwise nothing outside the store is
// opened.
func Analyze(ctx context.Context, file string, outside bool) (*Analysis, error) {
	data, err := atomicfile.Read(file, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if !isText(data) {
		return nil, fmt.Errorf("read %s: it is not UTF-8 text", file)
	}
	s, err := openStore(filepath.Dir(file), outside)
	if err != nil {
		return nil, fmt.Errorf("open the store of %s: %w", file, err)
	}
	defer s.root.Close()
	text := plainText(data)
	a := &Analysis{FilePath: file, InlineTokens: token.Estimate(text)}
	a.Refs, a.Prose = parse(text)
	a.silence.Read = func(string) ([]byte, error) { return data, nil }
	if len(a.Refs) > maxRefs {
		return nil, fmt.Errorf("read %s: it has more than %d references", file, maxRefs)
	}
	weight := 0
	for _, r := range a.Refs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		topic, issue := s.topic(r)
		a.Topics = append(a.Topics, topic)
		if topic != nil {
			a.TopicTokens += topic.Tokens
			if weight += topic.weight(); weight > maxWeight {
				return nil, fmt.Errorf("read %s: the keywords of its topics would fill more than %d MiB; line %d passes the limit", file, maxWeight>>20, r.Line)
			}
			continue
		}
		a.MissingFiles = append(a.MissingFiles, r.Path)
		a.Diagnostics = append(a.Diagnostics, *issue)
	}
	orphans, err := s.orphans(ctx, a.Refs)
	if err != nil {
		return nil, fmt.Errorf("list the store of %s: %w", file, err)
	}
	a.OrphanFiles = s.addUnlisted(a, orphans)
	for _, name := range a.OrphanFiles {
		a.Diagnostics = append(a.Diagnostics, Ref{Path: name}.issue(loadout.SeverityWarning, "ORPHAN_TOPIC_FILE", "Topic file not referenced in MEMORY.md: "+name, "Add a reference in MEMORY.md or delete the file"))
	}
	return a, nil
}

// LeaveOut makes what is wrong with single references warnings: they are left out of an index
// of the others. Where no reference has a file, nothing changes.
func (a *Analysis) LeaveOut() {
	if !slices.ContainsFunc(a.Topics, func(t *Topic) bool { return t != nil }) {
		return
	}
	for i := range a.Diagnostics {
		if d := &a.Diagnostics[i]; d.Severity == loadout.SeverityError {
			d.Severity, d.Message = loadout.SeverityWarning, d.Message+"; it is left out"
		}
	}
}

// store reads the files of a store. Nothing can lead it out of its root.
type store struct {
	root    *os.Root
	dir     string           // of MEMORY.md, below the root; "." when it is the root
	name    string           // of the directory of MEMORY.md: references may start with it
	outside bool             // files beside its directory count too
	seen    map[string]found // by path below the root: no file is read twice
}

// found is a file that was read, or why it could not be.
type found struct {
	topic *Topic
	err   error
}

func openStore(dir string, outside bool) (*store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &store{dir: ".", name: filepath.Base(dir), outside: outside, seen: map[string]found{}}
	if outside {
		s.dir, dir = s.name, filepath.Dir(dir)
	}
	s.root, err = regularfile.Root(dir)
	return s, err
}

// candidates are the places below the root a reference may mean: beside
// MEMORY.md, then beside its directory.
func (s *store) candidates(ref string) []string {
	ref = strings.TrimLeft(filepath.ToSlash(ref), "/")
	var list []string
	if p := path.Join(s.dir, ref); inside(p) {
		list = append(list, p)
	}
	if s.outside {
		if p := path.Join(path.Dir(s.dir), ref); inside(p) {
			list = append(list, p)
		}
	} else if p, ok := strings.CutPrefix(path.Clean(ref), s.name+"/"); ok && inside(p) {
		list = append(list, p)
	}
	return list
}

// inside reports whether a clean path stays below where it starts.
func inside(p string) bool {
	return p != "." && p != ".." && !strings.HasPrefix(p, "../") && !strings.ContainsRune(p, 0)
}

// topic reads the file of a reference, or says why it cannot.
func (s *store) topic(r Ref) (*Topic, *Issue) {
	unusable := func(code, message, hint string) (*Topic, *Issue) {
		issue := r.issue(loadout.SeverityError, code, message, hint)
		return nil, &issue
	}
	list := s.candidates(r.Path)
	if len(list) == 0 {
		return unusable("TOPIC_OUTSIDE", "Reference leads out of the store: "+r.Path, "move the file into the store, or allow files beside it with --outside")
	}
	for _, p := range list {
		had, ok := s.seen[p]
		if !ok {
			had.topic, had.err = s.read(p)
			s.seen[p] = had
		}
		if had.err == nil {
			return had.topic, nil
		}
		if err := had.err; !errors.Is(err, fs.ErrNotExist) {
			return unusable("TOPIC_UNREADABLE", "Referenced topic file cannot be used: "+r.Path+": "+reason(err), fmt.Sprintf("make it UTF-8 text of at most %d MiB inside the store", maxFile>>20))
		}
	}
	return unusable("MISSING_TOPIC_FILE", "Referenced topic file not found: "+r.Path, "Create the file or remove the reference from MEMORY.md")
}

// reason is the text of an error without the path, which the message has named.
func reason(err error) string {
	if errors.As(err, new(*atomicfile.TooLargeError)) {
		return "it is too large"
	}
	return regularfile.Reason(err)
}

func (s *store) read(name string) (*Topic, error) {
	data, err := repo.ReadIn(s.root, name, maxFile)
	if err != nil {
		return nil, err
	}
	if !isText(data) {
		return nil, errors.New("it is not UTF-8 text")
	}
	content, slips := check.Settle(plainText(data))
	front, _ := loadout.ParseFrontMatter(content, false)
	var said *loadout.FrontMatter
	if front == nil {
		said = saidIn(content)
	}
	rel, err := filepath.Rel(filepath.FromSlash(s.dir), filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	return &Topic{
		Path: filepath.ToSlash(rel), Front: front, Said: said, Note: noteOf(content), Keywords: headingWords(content),
		Tokens: token.Estimate(content), Lines: strings.Count(content, "\n") + 1, slips: slips,
	}, nil
}

// plainText is a file with LF where it has CRLF, as git leaves it on Windows, and without the mark
// that editors there put first: that changes nothing of what is said of it.
func plainText(data []byte) string {
	return strings.ReplaceAll(strings.TrimPrefix(string(data), "\ufeff"), "\r\n", "\n")
}

// isText reports whether bytes are UTF-8 text. A NUL is in no text.
func isText(data []byte) bool {
	return !slices.Contains(data, 0) && utf8.Valid(data)
}

// orphans lists the topic files that no reference names, in byte order of their
// paths (loadout section 19.5). Links are not followed.
func (s *store) orphans(ctx context.Context, refs []Ref) ([]string, error) {
	named := map[string]bool{}
	for _, r := range refs {
		named[r.Path] = true
		named[path.Base(r.Path)] = true
	}
	fsys, err := fs.Sub(regularfile.FS(s.root), s.dir)
	if err != nil {
		return nil, err
	}
	var list []string
	listed := 0
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if listed++; listed > maxListed {
			return fmt.Errorf("there are more than %d files", maxListed)
		}
		switch {
		case err != nil && name == ".":
			return err
		case err != nil: // unreadable items are skipped
			return nil
		case !d.Type().IsRegular() || path.Ext(name) != ".md" || name == FileName:
		case !named[name] && !named[path.Base(name)]:
			list = append(list, name)
		}
		return nil
	})
	return list, err
}

// summaryOf is the summary of a reference: one line of at most 120 UTF-16 units.
func summaryOf(r Ref) string {
	return javascript.Cut(javascript.Line(cmp.Or(r.Description, "Memory: "+r.Name)), maxSummary)
}

// RefreshFound is Refresh; where no store was named and the directory has none, it
// publishes the stores that agents keep.
func RefreshFound(ctx context.Context, o RefreshOptions, unnamed bool) (*Refreshed, error) {
	if unnamed {
		if _, err := os.Stat(filepath.Join(o.Store, FileName)); err != nil {
			if r, err := RefreshAgents(ctx, o); r != nil || err != nil {
				return r, err
			}
		}
	}
	return Refresh(ctx, o)
}

// RefreshAgents publishes the stores that agents keep as one index; nil when there are none.
// The store of the options does not count. Nothing is written
// into a store. What is wrong with one takes none of the others down: a reference
// without its file is left out and reported as a warning.
func RefreshAgents(ctx context.Context, o RefreshOptions) (*Refreshed, error) {
	stores := agentStores(o.Agents)
	if len(stores) == 0 {
		return nil, nil
	}
	dest, err := filepath.Abs(o.Dest)
	if err != nil {
		return nil, err
	}
	r := &Refreshed{Store: filepath.Dir(filepath.Dir(stores[0])), Dest: dest, DryRun: o.DryRun, Analysis: &Analysis{joined: true}}
	r.MemoryMD = r.Store
	ix := &loadout.Index{Version: loadout.Version, Generated: layers.Stamp(o.At), Source: r.Store}
	used := map[string]bool{}
	always := 0.0
	for _, dir := range stores {
		file := filepath.Join(dir, FileName)
		a, err := Analyze(ctx, file, o.Outside)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			r.Analysis.Diagnostics = append(r.Analysis.Diagnostics, Issue{Severity: loadout.SeverityWarning, Code: "STORE_UNREADABLE", Message: fmt.Sprintf("the store cannot be read: %v", err)})
			continue
		}
		for _, issue := range a.audible(a.Diagnostics) {
			if issue.Severity == loadout.SeverityError {
				issue.Severity, issue.Line, issue.Message = loadout.SeverityWarning, 0, file+": "+issue.Message
				r.Analysis.Diagnostics = append(r.Analysis.Diagnostics, issue)
			}
		}
		part := a.Index(ix.Generated, false)
		always += part.Budget.AlwaysLoaded
		for _, e := range part.Entries {
			if !filepath.IsAbs(e.Path) {
				e.Path = filepath.Join(dir, filepath.FromSlash(e.Path))
				r.PathsRewritten++
			}
			e.ID = freeID(e.ID, filepath.Base(filepath.Dir(dir)), used)
			ix.Entries = append(ix.Entries, e)
		}
		if part.Tokenizer == loadout.Unicode {
			ix.Tokenizer = loadout.Unicode
		}
	}
	if ix.Tokenizer == loadout.Unicode {
		ix.SetTokenizer(loadout.Unicode)
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	ix.Budget.AlwaysLoaded, ix.Budget.AvgObserved = always, layers.LogBeside(r.Dest).Observed(ix)
	r.EntryCount, r.Published = len(ix.Entries), ix
	r.Issues, r.IndexIssues = r.Analysis.Diagnostics, loadout.Validate(ix)
	r.DestIssues = r.IndexIssues
	return r.finish(ctx, o, ix)
}

// freeID makes an id unique by the name of the project its store is of.
func freeID(id, project string, used map[string]bool) string {
	free := id
	for n := 1; used[free]; n++ {
		free = id + "-" + nameID(project)
		if n > 1 {
			free = fmt.Sprintf("%s-%d", free, n)
		}
	}
	used[free] = true
	return free
}
