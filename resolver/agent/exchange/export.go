package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/resolver/repo"
)

// Kind is what an export makes.
type Kind string

// The kinds.
const (
	Skills   Kind = "skills"    // a folder for each pack, as agentskills.io defines it
	AgentsMD Kind = "agents-md" // a block in AGENTS.md, and the texts that it refers to
	Rules    Kind = "rules"     // rules of Claude Code, each with the paths that load it
	OKF      Kind = "okf"       // a bundle of the Open Knowledge Format
	Boot     Kind = "boot"      // a role with a boot.yml
)

// Kinds lists the kinds by name.
func Kinds() []string {
	return []string{string(Skills), string(AgentsMD), string(Rules), string(OKF), string(Boot)}
}

// Ids of what an export finds.
const (
	limitID   = "export-limit"      // more than the reader of the format takes
	leftID    = "export-left-out"   // the format has no place for it
	takenID   = "export-name-taken" // two packs would be one
	foreignID = "export-not-ours"   // somebody else's file is where one of ours belongs
	markedID  = "export-marked"     // something is stale, disputed or not ready, and says so
)

// File is one file of an export.
type File struct {
	Path string // below the directory of the export
	Data []byte
	pack string
}

// Options say what is exported, and where to.
type Options struct {
	Kind   Kind
	Packs  []string // by name or directory; none: all that are not archived
	Out    string   // absolute
	DryRun bool
}

// Export is what was exported, or would be.
type Export struct {
	Kind     Kind
	Packs    []string
	Files    []Written
	Findings []diag.Diagnostic
	Dirs     map[string]string // of the packs, for messages
}

// Run exports packs: it compiles them without writing, makes the files, and writes all
// of them or none.
func Run(ctx context.Context, w *repo.Repo, o Options) (*Export, error) {
	all, r, err := w.OpenForCheck(o.Packs)
	if err != nil {
		return nil, err
	}
	defer all.Close()
	if err := checkOut(w, o.Out, all); err != nil {
		return nil, err
	}
	now, err := repo.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	if err := r.Compile(ctx, repo.CompileOptions{Each: compiler.Options{DryRun: true, Now: now}}); err != nil {
		return nil, err
	}
	e := &Export{Kind: o.Kind, Dirs: r.Dirs()}
	var found []diag.Diagnostic
	files, err := e.make(w, r, &found)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Findings() {
		if f.Severity == diag.Error {
			found = append(found, f)
		}
	}
	if diag.Count(found, diag.Error) == 0 {
		all := len(o.Packs) == 0
		if e.Files, err = write(ctx, w, o, e.Packs, all, files, &found); err != nil {
			return nil, err
		}
	}
	diag.Sort(found)
	e.Findings = found
	return e, nil
}

// make makes the files of all packs.
func (e *Export) make(w *repo.Repo, r *repo.Packs, found *[]diag.Diagnostic) ([]File, error) {
	var files []File
	var lines []string
	listing := 0
	names := map[string]*repo.Member{}
	for _, m := range r.Members {
		if m.Pack == nil || m.Unusable() || m.Unsound() {
			continue // its findings say why
		}
		name := m.Pack.Meta.Name
		if e.Kind != OKF {
			name = skillName(name)
		}
		s, err := open(m, found)
		if err != nil {
			return nil, err
		}
		if s.left[pack.EntryName] {
			continue
		}
		if other := names[name]; other != nil {
			s.report(takenID, diag.Error, pack.EntryName, "rename one of them, or export them to two directories", "%q is the name that the pack %s gets too", name, other.Pack.Meta.Name)
			continue
		}
		names[name] = m
		if e.Kind != OKF && name != m.Pack.Meta.Name {
			s.report(leftID, diag.Warning, pack.EntryName, "rename the pack to keep its name", "the export calls the pack %q: agents refuse its own name", name)
		}
		made, more, err := e.onePack(w, s, name, now(w, m))
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", m.Pack.Meta.Name, err)
		}
		for _, f := range made {
			f.pack = m.Pack.Meta.Name
			files = append(files, f)
		}
		lines = append(lines, more...)
		listing += token.Units(m.Pack.Meta.Description)
		e.Packs = append(e.Packs, m.Pack.Meta.Name)
	}
	switch {
	case e.Kind == Skills && listing > maxListing:
		*found = append(*found, diag.Diagnostic{ID: limitID, Severity: diag.Warning, Path: skillFile, Message: fmt.Sprintf("the descriptions have %d characters together; agents list about %d and leave out the rest", listing, maxListing), Hint: "shorten the descriptions, or export fewer packs"})
	case e.Kind == AgentsMD && len(lines) > 0:
		text, left := agentsBlock(lines)
		if left > 0 {
			*found = append(*found, diag.Diagnostic{ID: limitID, Severity: diag.Warning, Path: agentsFile, Message: fmt.Sprintf("the block in AGENTS.md has room for %d packs: %d are left out of it", len(lines)-left, left), Hint: "export fewer packs"})
		}
		files = append(files, File{Path: agentsFile, Data: []byte(text)})
	}
	return files, nil
}

// now is the time that an export of a pack names: the one that is set, otherwise the day
// of its last update. It is "" when neither is known: no output has the time of the clock.
func now(w *repo.Repo, m *repo.Member) string {
	if t, err := repo.RunTime(w.Getenv); err == nil && !t.IsZero() {
		return t.UTC().Format("2006-01-02T15:04:05+00:00")
	}
	if day := m.Pack.Meta.Updated; len(day) == len("2006-01-02") && !strings.ContainsFunc(day, func(r rune) bool { return r != '-' && (r < '0' || r > '9') }) {
		return day + "T00:00:00+00:00"
	}
	return ""
}

// onePack makes the files of one pack, and its lines in AGENTS.md.
func (e *Export) onePack(w *repo.Repo, s *source, name, at string) (files []File, lines []string, err error) {
	switch e.Kind {
	case AgentsMD:
		return s.agentsFiles()
	case Skills:
		files, err = s.skill(name)
	case OKF:
		files, err = s.bundle(at)
	case Boot:
		files, err = s.role()
	case Rules:
		return s.rules(w.Paths.Dir), nil, nil
	default:
		return nil, nil, errors.New("nothing exports that kind")
	}
	for i := range files {
		files[i].Path = name + "/" + files[i].Path
	}
	return files, nil, err
}
