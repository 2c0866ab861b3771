package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
)

// StateName is the directory for locks, what is pending and staging at the repository
// root.
const StateName = ".packgen"

// Member is one pack of the repository during a run.
type Member struct {
	Dir    string     // as shown: slash path relative to the repository root
	Pack   *pack.Pack // nil when it could not be opened
	Opened []diag.Diagnostic
	Result *compiler.Result  // nil when it was not compiled
	Out    string            // where its outputs are, as shown
	Dry    bool              // nothing of the result was written
	Later  []diag.Diagnostic // what the index and the site found
	Policy policy.Local      // what becomes of the findings
	Before *compiler.Result  // of an earlier run, when the pack is unchanged since; otherwise nil
}

// Name is the pack's name, or its directory's when it has none.
func (m *Member) Name() string {
	if m.Pack != nil && m.Pack.Meta.Name != "" {
		return m.Pack.Meta.Name
	}
	return filepath.Base(m.Dir)
}

// Last is the newest result of the pack as it is: of this run or of an earlier one.
func (m *Member) Last() *compiler.Result {
	if m.Result != nil {
		return m.Result
	}
	return m.Before
}

// Doubts are the claims of the pack that are stale or disputed: as the newest result has
// them, otherwise as the source map on disk does.
func (m *Member) Doubts() *compiler.Doubts {
	if r := m.Last(); r != nil {
		if d := r.Doubts(); d != nil {
			return d
		}
	}
	claims := &schema.SourceMap{}
	if data, err := m.Pack.ReadFile(pack.SourceMapPath); err == nil {
		if read, err := schema.DecodeSourceMap(data); err == nil {
			claims = read
		}
	}
	return compiler.DoubtsOf(claims)
}

// CompileWarnings counts the warnings of the compile alone: those of the index and
// of the pages come later.
func (m *Member) CompileWarnings() int {
	if m.Result != nil {
		return diag.Count(m.Result.Diagnostics, diag.Warning)
	}
	return diag.Count(m.Opened, diag.Warning)
}

// LaterWarnings counts the warnings of the index and of the pages.
func (m *Member) LaterWarnings() int { return diag.Count(m.later(), diag.Warning) }

// later is what the index and the site found, without what comments in files switch off.
func (m *Member) later() []diag.Diagnostic {
	if m.Result == nil {
		return m.Later
	}
	kept, _ := lint.Suppress(m.Later, m.Result.Comments)
	return kept
}

// Findings are the diagnostics about the pack so far.
func (m *Member) Findings() []diag.Diagnostic {
	list := m.Opened
	if m.Result != nil {
		// A compile takes in what opening found.
		list = m.Result.Diagnostics
	}
	list = slices.Concat(list, m.later())
	for i := range list {
		list[i].Pack = m.Name()
	}
	list, _ = m.Policy.Apply(list) // what a compile has changed stays as it is
	return list
}

// Packs is the packs of a run in path order.
type Packs struct {
	Members []*Member
	Faults  []diag.Diagnostic // about the repository as a whole
	lost    map[string]bool   // paths of those that cost one pack
	policy  *policy.Policy    // what becomes of those

	dirs  []string          // of the packs, relative to the root
	found []diag.Diagnostic // while looking for them
}

// HasPacks reports whether the repository has packs of its own.
func (w *Repo) HasPacks(c Config) bool {
	dirs, _, err := pack.Find(w.Paths.Dir, c.Packs)
	return err == nil && len(dirs) > 0
}

// Open finds and opens the packs that match the patterns.
func (w *Repo) Open(patterns []string) (*Packs, error) {
	return w.OpenAgain(patterns, nil, nil)
}

// OpenAgain is Open for a caller that knows of packs unchanged since an earlier run:
// untouched returns the member of that run by its directory, nil for any other pack. A
// pack of such a member is taken over as it is. Places, when it is not nil, is a
// repository whose packs are still the ones that there are: they are not looked for.
func (w *Repo) OpenAgain(patterns []string, places *Packs, untouched func(dir string) *Member) (*Packs, error) {
	var dirs []string
	var faults []diag.Diagnostic
	if places != nil {
		dirs, faults = places.dirs, places.found
	} else {
		var err error
		if dirs, faults, err = pack.Find(w.Paths.Dir, patterns); err != nil {
			return nil, fmt.Errorf("find packs: %w", err)
		}
		raiseLostEntries(w.Paths, faults)
	}
	r := &Packs{Faults: slices.Clip(faults), lost: map[string]bool{}, policy: w.Policy, dirs: dirs, found: slices.Clip(faults)}
	for _, d := range faults {
		r.lost[d.Path] = true
	}
	for _, dir := range dirs {
		if untouched != nil {
			if m := untouched(w.Paths.Rel(w.Paths.Abs(dir))); m != nil {
				r.Members = append(r.Members, &Member{Dir: m.Dir, Pack: m.Pack, Opened: m.Opened, Policy: m.Policy, Before: m.Last()})
				continue
			}
		}
		m, err := w.openMember(dir)
		if err != nil {
			r.Close()
			return nil, err
		}
		r.Members = append(r.Members, m)
	}
	if len(r.Members) == 0 && diag.Count(faults, diag.Error) == 0 {
		return nil, diag.WithHint(fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(patterns, ", "), w.Paths.Dir),
			"run packgen init, which makes a pack with its KNOWLEDGE.md, or name other places under packs: in %s", ConfigName)
	}
	return r, nil
}

// raiseLostEntries makes an error of the warning about a directory without
// KNOWLEDGE.md when all the rest of a pack exists: continuing would take the
// pack off the site.
func raiseLostEntries(paths Paths, faults []diag.Diagnostic) {
	for i := range faults {
		d := &faults[i]
		if d.ID != "pack-missing" || d.Severity != diag.Warning {
			continue
		}
		for _, layer := range []string{"documents", "wiki", "sources", "compiled"} {
			if info, err := os.Stat(filepath.Join(paths.Abs(d.Path), layer)); err == nil && info.IsDir() {
				d.Severity = diag.Error
				if !strings.HasPrefix(d.Hint, pack.RenameEntry) {
					d.Hint = fmt.Sprintf("restore %s/KNOWLEDGE.md, or move the directory out of the packs", d.Path)
				}
				break
			}
		}
	}
}

// openMember opens one pack directory, given relative to the repository root or
// absolute.
func (w *Repo) openMember(dir string) (*Member, error) {
	m := &Member{Dir: w.Paths.Rel(w.Paths.Abs(dir))}
	m.Policy = policy.Local{Policy: w.Policy, Dir: m.Dir}
	p, found, err := pack.Open(w.Paths.Abs(dir), w.Mappings(m.Dir)...)
	if d := packFault(w.Paths, m, "", err); d != nil {
		m.Opened = append(found, *d)
		return m, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open pack %s: %w", m.Dir, err)
	}
	m.Pack, m.Opened = p, found
	return m, nil
}

// Close releases the packs.
func (r *Packs) Close() {
	for _, m := range r.Members {
		if m.Pack != nil {
			m.Pack.Close() // only read: an error of Close loses nothing
		}
	}
}

// Broken reports whether opening the packs found an error.
func (r *Packs) Broken() bool {
	return diag.Count(r.Faults, diag.Error) > 0 || slices.ContainsFunc(r.Members, (*Member).Broken)
}

// Findings are all diagnostics of the run, sorted.
func (r *Packs) Findings() []diag.Diagnostic {
	list := r.faults()
	for _, m := range r.Members {
		list = append(list, m.Findings()...)
	}
	diag.Sort(list)
	return list
}

// faults are the diagnostics about the repository as a whole, as the policy has them.
func (r *Packs) faults() []diag.Diagnostic {
	list, _ := r.policy.Apply(slices.Clone(r.Faults), PathOf)
	return list
}

// HasErrors reports whether one of the findings is an error.
func (r *Packs) HasErrors() bool {
	return diag.Count(r.faults(), diag.Error) > 0 ||
		slices.ContainsFunc(r.Members, func(m *Member) bool { return diag.Count(m.Findings(), diag.Error) > 0 })
}

// PathOf is the path of a finding about no pack, which is relative to the root.
func PathOf(d diag.Diagnostic) string { return d.Path }

// Add hands findings to the packs they are about.
func (r *Packs) Add(faults []diag.Diagnostic) {
	for _, d := range faults {
		if m := r.Find(d.Pack, ""); m != nil {
			m.Later = append(m.Later, d)
		} else {
			r.Faults = append(r.Faults, d)
		}
	}
}

// Find returns the pack of that name or directory; nil when there is none.
func (r *Packs) Find(name, dir string) *Member {
	for _, m := range r.Members {
		if m.Name() == name || m.Dir == dir {
			return m
		}
	}
	return nil
}

// Dirs maps pack names to directories, for messages.
func (r *Packs) Dirs() map[string]string {
	dirs := map[string]string{}
	for _, m := range r.Members {
		if _, taken := dirs[m.Name()]; !taken {
			dirs[m.Name()] = m.Dir
		}
	}
	return dirs
}

// Results are the compiled packs in path order.
func (r *Packs) Results() []*compiler.Result {
	var list []*compiler.Result
	for _, m := range r.Members {
		if m.Result != nil {
			list = append(list, m.Result)
		}
	}
	return list
}

// duplicateNames reports packs that share a name and were named by directory:
// their outputs could take each other's place (agent-knowledge section 12.2).
func duplicateNames(members []*Member) []diag.Diagnostic {
	var faults []diag.Diagnostic
	first := map[string]*Member{}
	for _, m := range members {
		if m.Pack == nil || m.Pack.Meta.Name == "" {
			continue
		}
		other, taken := first[m.Pack.Meta.Name]
		if !taken {
			first[m.Pack.Meta.Name] = m
			continue
		}
		faults = append(faults, diag.Diagnostic{
			ID: "pack-duplicate", Severity: diag.Error, Path: m.Dir + "/KNOWLEDGE.md",
			Message: fmt.Sprintf("two packs are named %q: %s and %s", m.Pack.Meta.Name, other.Dir, m.Dir),
			Hint:    "give one of them another name, in its KNOWLEDGE.md and as its directory",
		})
	}
	return faults
}
