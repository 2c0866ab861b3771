package rules

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/entryowner"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// Source says where the rule files of a repository are, and by which words
// sections are distinguished.
type Source struct {
	Dir     string // of the rule files, below the root; "" is the usual one
	Signals string // "" is the usual file, when it exists
	Lazy    bool   // the usual directory is that of rules that are never loaded ahead
	As      As     // how sections are loaded once they are split off
}

// instructionFiles are looked for when none is named.
var instructionFiles = [...]string{".claude/CLAUDE.md", "CLAUDE.md", "AGENTS.md", ".github/copilot-instructions.md"}

// MemoryFiles are looked for with --memory.
var MemoryFiles = [...]string{".claude/MEMORY.md", "MEMORY.md"}

// SignalsFile is read when it is there and no other is named.
const SignalsFile = ".claude/signals.json"

// indexedDir is the directory of rule files that have an index: the one named,
// otherwise the one with an index.
func (f *Source) indexedDir(w *repo.Repo) (string, error) {
	if f.Dir == "" && !f.Lazy {
		if _, err := os.Stat(w.Paths.Abs(DefaultDir + "/index.json")); err != nil {
			if list, err := filepath.Glob(filepath.Join(w.Paths.Abs(LazyDir), "*.md")); err == nil && len(list) > 0 {
				return LazyDir, nil
			}
		}
	}
	return f.rulesDir()
}

// rulesDir is the directory of the rule files, with slashes.
func (f *Source) rulesDir() (string, error) {
	dir := path.Clean(filepath.ToSlash(f.Dir))
	switch {
	case f.Dir == "" && f.Lazy:
		return LazyDir, nil
	case f.Dir == "":
		return DefaultDir, nil
	case !fs.ValidPath(dir) || dir == ".":
		return "", diag.WithHint(fmt.Errorf("--rules-dir %s does not lead below the repository root", f.Dir), "write a path such as %s", DefaultDir)
	}
	return dir, nil
}

// ReadInstructions reads an instruction file and proposes how to split it. The
// path it returns is that of the file from the repository root. Without a name, a
// file that only imports another stands for that one.
func ReadInstructions(w *repo.Repo, f Source, args []string) (string, *Report, error) {
	o, err := ruleOptions(w, f)
	if err != nil {
		return "", nil, err
	}
	name, err := InstructionFile(w, args)
	if err != nil {
		return "", nil, err
	}
	text, err := readSections(w, name)
	if err != nil {
		return "", nil, err
	}
	if other := path.Join(path.Dir(name), onlyImports(text)); len(args) == 0 && onlyImports(text) != "" {
		if imported, err := readSections(w, other); err == nil {
			name, text = other, imported
		}
	}
	if f.As == Paths && readerOf(name) == agents {
		return "", nil, diag.WithHint(fmt.Errorf("no agent loads parts of %s by path", name), "write --as skills or --as lazy")
	}
	r := analyze(name, text, o)
	r.Imported, err = importedBy(w, name, o)
	return name, r, err
}

// importedBy lists the files that an instruction file imports of which sections would
// move.
func importedBy(w *repo.Repo, name string, o options) ([]Imported, error) {
	loads, err := AlwaysLoaded(w, name, "")
	if err != nil {
		return nil, fmt.Errorf("look for what %s imports: %w", name, err)
	}
	var list []Imported
	for _, l := range loads {
		if l.imported() {
			text, err := readSections(w, l.Path)
			if err != nil {
				continue // no text
			}
			r := analyze(l.Path, text, o)
			if _, tokens := r.Tokens(); len(r.Proposals) > 0 {
				list = append(list, Imported{l.Path, len(r.Proposals), tokens})
			}
		}
	}
	return list, nil
}

// ruleOptions are what the flags say of an analysis.
func ruleOptions(w *repo.Repo, f Source) (options, error) {
	o := options{As: f.As}
	o.Exists = func(name string) (dir, ok bool) {
		info, err := os.Lstat(w.Paths.Abs(name))
		return err == nil && info.IsDir(), err == nil && name != "."
	}
	o.Rule = func(path string) ([]byte, bool) {
		name := w.Paths.Abs(path)
		if _, err := os.Lstat(name); err != nil {
			return nil, false
		}
		text, _ := atomicfile.Read(name, 2*maxFile) // nil for what cannot be read: it is not ours
		return text, true
	}
	var err error
	if f.Dir != "" {
		o.Dir, err = f.rulesDir()
	}
	if err == nil {
		o.Signals, err = readSignals(w, f)
	}
	return o, err
}

// readSections reads a file that is to be cut into sections.
func readSections(w *repo.Repo, name string) (string, error) {
	text, err := atomicfile.Read(w.Paths.Abs(name), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return "", diag.Absent("instruction file", name, "name a CLAUDE.md")
	}
	if errors.Is(err, regularfile.ErrOutside) {
		return "", fmt.Errorf("read the instruction file: %w", err)
	}
	if err == nil && (!utf8.Valid(text) || bytes.IndexByte(text, 0) >= 0) {
		err = fmt.Errorf("%s is not UTF-8 text", name)
	}
	if err != nil {
		return "", diag.WithHint(fmt.Errorf("read the instruction file: %w", err), "make it UTF-8 text of at most %s", amount.Size(maxFile))
	}
	return string(text), nil
}

// InstructionFile is the file named, or the first there is; from the repository
// root, with slashes.
func InstructionFile(w *repo.Repo, args []string) (string, error) {
	if len(args) > 0 {
		name := w.Paths.Rel(w.Paths.Abs(w.Paths.Given(args[0])))
		if filepath.IsAbs(name) {
			return "", diag.WithHint(fmt.Errorf("%s is not below the repository root %s", args[0], w.Paths.Dir), "name the root with -C DIR: rule files go below it")
		}
		return name, nil
	}
	for _, name := range instructionFiles {
		if _, err := os.Stat(w.Paths.Abs(name)); err == nil {
			return name, nil
		}
	}
	return "", diag.WithHint(errors.New("no instruction file found"), "name one: %s were looked for", strings.Join(instructionFiles[:], ", "))
}

// readSignals reads the signals that are named, or those of the repository; nil
// for the default.
func readSignals(w *repo.Repo, f Source) (*Signals, error) {
	name := cmp.Or(f.Signals, SignalsFile)
	text, err := atomicfile.Read(w.Paths.Abs(name), maxFile)
	if f.Signals == "" && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("signals", name, "correct the path, or leave --signals out")
	}
	if err != nil {
		return nil, fmt.Errorf("read the signals: %w", err)
	}
	s, err := parseSignals(text)
	if err != nil {
		return nil, malformed("signals", name, err, "write domainSignals, coreSignals and stopWords, lists of strings, and patterns, an object of such lists")
	}
	return s, nil
}

// malformed is the error about a file that is not JSON, or is not what it has to be.
func malformed(what, name string, err error, hint string) error {
	at, syntax := indexjson.Located(name, err)
	if syntax {
		hint = "correct the file"
	}
	return diag.WithHint(fmt.Errorf("read the %s %w", what, at), "%s", hint)
}

// OldIndex is the index of earlier splits; nil when there is none, or when the files
// of this split have none.
func (r *Report) OldIndex(w *repo.Repo) (*loadout.Index, error) {
	if !r.form.hasIndex() {
		return nil, nil
	}
	name := path.Join(r.form.dir, "index.json")
	text, err := atomicfile.Read(w.Paths.Abs(name), indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index of earlier splits: %w", err)
	}
	ix, err := indexjson.Read(text)
	if err == nil {
		err = ix.Check()
	}
	if err != nil {
		return nil, repo.ReadIndexError(name, err)
	}
	if !entryowner.IsShared(ix, path.Dir(name)) {
		return nil, diag.Refuse(diag.WithHint(fmt.Errorf("%s is an index that no split of rules wrote, and no build", name), "move it away, or name another directory with --rules-dir; nothing was changed"))
	}
	return ix, nil
}

// WriteSplit carries a split out.
func WriteSplit(w *repo.Repo, r *Report, out *Output) (backup string, err error) {
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return "", fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if backup, err = r.Split(root, out); err != nil {
		return "", diag.WithHint(err, "run again; nothing was changed")
	}
	return backup, nil
}

// SweepStaged removes what a split that was killed left beside the instruction file
// and the index. A split of a file that has nothing to move does no more than that.
func (r *Report) SweepStaged(w *repo.Repo) error {
	root, err := regularfile.Root(w.Paths.Dir)
	if err != nil {
		return fmt.Errorf("open the repository: %w", err)
	}
	defer root.Close()
	if err := sweep(root, []File{{Path: r.FilePath}, {Path: path.Join(r.form.dir, "index.json")}}); err != nil {
		return fmt.Errorf("remove what an earlier split staged: %w", err)
	}
	return nil
}

// ReadMemorySections reads the sections of a MEMORY.md. Ids that the instruction file's proposals have are not free.
func ReadMemorySections(w *repo.Repo, f Source, main *Report) (*Report, error) {
	o, err := ruleOptions(w, f)
	if err != nil {
		return nil, err
	}
	o.Copies = true
	there := o.Rule
	o.As, o.Dir = main.form.as, main.form.dir
	o.Rule = func(path string) ([]byte, bool) {
		if slices.ContainsFunc(main.Proposals, func(p Proposal) bool { return p.Path == path }) {
			return nil, true
		}
		return there(path)
	}
	for _, name := range MemoryFiles {
		if _, err := os.Stat(w.Paths.Abs(name)); err == nil {
			text, err := readSections(w, name)
			if err != nil {
				return nil, err
			}
			return analyzeAs(name, text, main.form.reader, o), nil
		}
	}
	return nil, diag.WithHint(errors.New("no MEMORY.md found"), "name one: %s were looked for", strings.Join(MemoryFiles[:], ", "))
}

// ReadPlan reads the proposals of a reviewed plan: the output of rules analyze
// --json, or its result alone.
func ReadPlan(w *repo.Repo, name string, r *Report) ([]Proposal, error) {
	text, err := atomicfile.Read(w.Paths.Abs(name), 4*maxFile)
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("read the plan: %w", err), "make one with packgen rules analyze --json")
	}
	v, err := indexjson.Parse(text)
	if err != nil {
		return nil, malformed("plan", name, err, "make it again with packgen rules analyze --json")
	}
	if result := v.Get("result"); result.Kind() == loadout.Object {
		v = result
	}
	if v.Get("proposals").Kind() != loadout.Array {
		return nil, diag.WithHint(fmt.Errorf("the plan %s has no proposals", name), "make one with packgen rules analyze --json")
	}
	accepted, err := r.Apply(v.Get("proposals"))
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("the plan %s: %w", name, err), "make it again with packgen rules analyze --json")
	}
	return accepted, nil
}
