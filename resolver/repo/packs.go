package repo

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
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/nearest"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/policy"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
)

// Packs are the packs of a run in path order.
type Packs struct {
	Members []*Member
	Faults  []diag.Diagnostic // about the repository as a whole
	lost    map[string]bool   // paths of those that cost one pack
	policy  *policy.Policy    // what becomes of those

	dirs  []string          // of the packs, relative to the root
	found []diag.Diagnostic // while looking for them
}

// HasPacks reports whether the repository has packs of its own.
func (w *Repo) HasPacks() bool {
	dirs, _, err := pack.Find(w.Paths.Dir, w.Config.Packs)
	return err == nil && len(dirs) > 0
}

// Open finds and opens the packs of the configuration.
func (w *Repo) Open() (*Packs, error) { return w.OpenAgain(nil, nil) }

// OpenAgain is Open for a caller that knows of packs unchanged since an earlier run:
// untouched returns the member of that run by its directory, nil for any other pack. A
// pack of such a member is taken over as it is. Places, when it is not nil, is a
// repository whose packs are still the ones that there are: they are not looked for.
func (w *Repo) OpenAgain(places *Packs, untouched func(dir string) *Member) (*Packs, error) {
	var dirs []string
	var faults []diag.Diagnostic
	if places != nil {
		dirs, faults = places.dirs, places.found
	} else {
		var err error
		if dirs, faults, err = pack.Find(w.Paths.Dir, w.Config.Packs); err != nil {
			return nil, fmt.Errorf("find packs: %w", err)
		}
		raiseLostEntries(w.Paths, faults)
	}
	r := &Packs{Faults: slices.Clip(faults), lost: map[string]bool{}, policy: w.Config.Policy(), dirs: dirs, found: slices.Clip(faults)}
	for _, d := range faults {
		r.lost[d.Path] = true
	}
	for _, dir := range dirs {
		m := memberOf(w, dir)
		r.Members = append(r.Members, m)
		if untouched != nil {
			if before := untouched(m.Dir); before != nil {
				m.Pack, m.Opened, m.Policy, m.Before = before.Pack, before.Opened, before.Policy, before.Last()
				continue
			}
		}
		if err := m.open(); err != nil {
			r.Close()
			return nil, err
		}
	}
	if len(r.Members) == 0 && diag.Count(faults, diag.Error) == 0 {
		return nil, diag.WithHint(fmt.Errorf("no packs found: nothing matches %s in %s", strings.Join(w.Config.Packs, ", "), w.Paths.Dir),
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

// memberOf is the pack in a directory, given relative to the repository root or absolute.
func memberOf(w *Repo, dir string) *Member {
	m := &Member{Dir: w.Paths.Rel(w.Paths.Abs(dir)), paths: w.Paths, path: w.Paths.Abs(dir)}
	m.Policy = policy.Local{Policy: w.Config.Policy(), Dir: m.Dir}
	m.mapped = w.Mappings(m.Dir)
	return m
}

// Mappings returns the folders that are read as documents of the pack in a directory.
func (w *Repo) Mappings(dir string) (list []pack.Mapping) {
	for _, d := range w.Config.Documents {
		if d.Pack == dir {
			list = append(list, pack.Mapping{Dir: w.Paths.Abs(d.From), Below: d.Below, Include: d.Include, Exclude: d.Exclude, MDX: d.MDX, Drafts: d.Drafts})
		}
	}
	return list
}

// OpenForCheck opens all packs of the repository, and says which of them were
// named; without a name, all that are not archived.
func (w *Repo) OpenForCheck(names []string) (all, chosen *Packs, err error) {
	if all, err = openFor(w, names); err != nil {
		return nil, nil, err
	}
	if len(names) == 0 {
		chosen = &Packs{Members: slices.Clone(all.Members), Faults: all.Faults, policy: all.policy}
		chosen.DropArchived()
		return all, chosen, nil
	}
	if chosen, err = w.Choose(all, names); err != nil {
		all.Close()
		return nil, nil, err
	}
	for _, m := range chosen.Members {
		if !slices.Contains(all.Members, m) {
			all.Members = append(all.Members, m)
		}
	}
	return all, chosen, nil
}

// OpenOne opens the named pack, or the only one there is.
func (w *Repo) OpenOne(names []string) (*Packs, error) {
	r, err := openFor(w, names)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		chosen, err := w.Choose(r, names)
		if err != nil {
			r.Close()
		}
		return chosen, err
	}
	if len(r.Members) > 1 {
		defer r.Close()
		return nil, diag.WithHint(fmt.Errorf("pack: there are %d packs here", len(r.Members)), "name one: %s", strings.Join(r.names(), ", "))
	}
	return r, nil
}

// openFor is Open for a command that names packs: where there are none of the configuration,
// those that are named may be elsewhere.
func openFor(w *Repo, names []string) (*Packs, error) {
	r, err := w.Open()
	if err != nil && len(names) > 0 {
		return &Packs{}, nil
	}
	return r, err
}

// Choose keeps the named packs, and opens those named by a directory that no
// pattern matches.
func (w *Repo) Choose(r *Packs, names []string) (*Packs, error) {
	chosen := &Packs{Faults: r.Faults, policy: r.policy}
	for _, name := range names {
		m := r.Find(name, w.Paths.Rel(w.Paths.Abs(name)))
		if m == nil {
			name = w.Paths.GivenPack(name)
			m = r.Find(name, w.Paths.Rel(w.Paths.Abs(name)))
		}
		if m == nil {
			if _, err := os.Stat(filepath.Join(w.Paths.Abs(name), pack.EntryName)); err != nil {
				return nil, unknownPack(name, r.names())
			}
			m = memberOf(w, name)
			if err := m.open(); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(chosen.Members, m) {
			chosen.Members = append(chosen.Members, m)
		}
	}
	chosen.Faults = append(chosen.Faults, duplicateNames(chosen.Members)...)
	return chosen, nil
}

// unknownPack is the error about a pack that does not exist.
func unknownPack(name string, known []string) error {
	err := fmt.Errorf("no pack is named %q", name)
	if near := nearest.Name(name, known); near != "" {
		return diag.WithHint(err, "did you mean %s?", near)
	}
	if len(known) == 0 {
		return diag.WithHint(err, "add a pack with packgen init --name NAME")
	}
	return diag.WithHint(err, "name one of %s", strings.Join(known, ", "))
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

// DropArchived leaves out archived packs, which compile only when they are
// named (agent-knowledge section 14.1).
func (r *Packs) DropArchived() {
	r.Members = slices.DeleteFunc(r.Members, func(m *Member) bool {
		return m.Pack != nil && m.Pack.Meta.Status == schema.Archived
	})
}

// Close releases the packs.
func (r *Packs) Close() {
	for _, m := range r.Members {
		if m.Pack != nil {
			m.Pack.Close() // only read: an error of Close loses nothing
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

// names are those of the packs.
func (r *Packs) names() []string {
	list := make([]string, len(r.Members))
	for i, m := range r.Members {
		list[i] = m.Name()
	}
	return list
}

// Dirs maps pack names to directories, for messages.
func (r *Packs) Dirs() map[string]string {
	dirs := map[string]string{}
	for _, m := range slices.Backward(r.Members) { // of two with one name the first counts
		dirs[m.Name()] = m.Dir
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

// Status is the worst status of the run over all packs.
func (r *Packs) Status() schema.Status {
	worst := schema.Passed
	if diag.Count(r.Faults, diag.Error) > 0 {
		worst = schema.Failed
	}
	for _, m := range r.Members {
		worst = schema.Worse(worst, statusOf(m))
	}
	return worst
}

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

// HasErrors reports whether one of the findings is an error.
func (r *Packs) HasErrors() bool { return diag.Count(r.Findings(), diag.Error) > 0 }

// faults are the diagnostics about the repository as a whole, as the policy has them.
func (r *Packs) faults() []diag.Diagnostic {
	list, _ := r.policy.Apply(slices.Clone(r.Faults), PathOf)
	return list
}

// PathOf is the path of a finding about no pack, which is relative to the root.
func PathOf(d diag.Diagnostic) string { return d.Path }

// Blocked reports an error about the repository as a whole, which leaves nothing that may
// be published. A directory that is not a pack does not count: the others are published.
func (r *Packs) Blocked() bool {
	return slices.ContainsFunc(r.faults(), func(d diag.Diagnostic) bool { return d.Severity == diag.Error && !r.lost[d.Path] })
}

// Lost returns the directories of packs that lack their KNOWLEDGE.md, in path order.
func (r *Packs) Lost() []string {
	var list []string
	for _, d := range r.Faults {
		if d.ID == "pack-missing" && d.Severity == diag.Error {
			list = append(list, d.Path)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// Files is how many files the packs of the repository hold, without compiled ones.
func (r *Packs) Files() int {
	n := 0
	for _, m := range r.Members {
		n += sourcesOf(m)
	}
	return n
}

// BuildFiles is how many files the memory of a build is for: those of all packs, and
// half of the largest one again, which is joined as a whole; and how many that one has.
func (r *Packs) BuildFiles() (files, largest int) {
	for _, m := range r.Members {
		largest = max(largest, sourcesOf(m))
	}
	return r.Files() + largest/2, largest
}

// AtOnce is how many files, without compiled ones, and bytes of text the packs have that
// may be compiled at the same time, and how many files of any kind all packs list.
func (r *Packs) AtOnce() (files int, text int64, listed int) {
	largest := slices.SortedFunc(slices.Values(r.Members), func(a, b *Member) int { return sourcesOf(b) - sourcesOf(a) })
	for i, m := range largest {
		if i < PacksAtOnce {
			files, text = files+sourcesOf(m), text+textOf(m)
		}
		if m.Pack != nil {
			listed += len(m.Pack.Files)
		}
	}
	return files, text, listed
}

// CheckChanged refuses a path of --changed that lies in none of the packs: each is
// relative to the repository or, where a single pack is compiled, to that pack
// (agent-knowledge section 6.9). A file may be gone already, so the disk is not asked.
func (r *Packs) CheckChanged(paths Paths, names []string) error {
	for _, name := range names {
		inside := slices.ContainsFunc(r.Members, func(m *Member) bool {
			rel, err := filepath.Rel(m.path, paths.Abs(name))
			return err == nil && rel != "." && packpath.Check(filepath.ToSlash(rel)) == nil
		})
		inPack := strings.TrimSuffix(filepath.ToSlash(name), "/")
		top, _, _ := strings.Cut(inPack, "/")
		if !inside && (len(r.Members) != 1 || !slices.Contains(topOfPack, top) || packpath.Check(inPack) != nil) {
			return diag.WithHint(fmt.Errorf("--changed %s: the path is in none of the packs that are compiled", name),
				"name a file such as packs/handbook/documents/guide.md")
		}
	}
	return nil
}

// topOfPack is what lies at the top of a pack, without what a compile writes.
var topOfPack = []string{pack.EntryName, "documents", "wiki", "sources", "ontology", "answers"}

// State is what packgen alone says about a repository.
type State struct {
	Dir      string `json:"dir"`
	Packs    int    `json:"packs"`
	Outdated int    `json:"outdated"` // packs whose compiled files are not what a compile would write
	Errors   int    `json:"errors"`
	Warnings int    `json:"warnings"`
	Site     string `json:"site,omitempty"` // where the site is; "" when there is none
	Next     string `json:"next"`           // the command to run next
	Why      string `json:"why"`            // what it is for
}

// Look finds out how the repository is. It writes nothing.
func Look(ctx context.Context, w *Repo) (*State, error) {
	s := &State{Dir: w.Paths.Dir}
	dirs, faults, err := pack.Find(w.Paths.Dir, w.Config.Packs)
	if err != nil {
		return nil, fmt.Errorf("find packs: %w", err)
	}
	if len(dirs) == 0 && diag.Count(faults, diag.Error) == 0 {
		s.Next, s.Why = "packgen init", "makes a repository here, with one pack to rewrite"
		if Holds(w.Paths.Dir, ConfigName) {
			s.Next, s.Why = "packgen init --name NAME", "adds a pack to rewrite"
		}
		return s, nil
	}
	if err := countPacks(ctx, w, s); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(w.Paths.Abs(w.Config.Out), schema.SiteManifestName)); err == nil {
		s.Site = w.Paths.Rel(w.Paths.Abs(w.Config.Out))
	}
	switch {
	case s.Errors > 0:
		s.Next, s.Why = "packgen check", "shows what is wrong"
	case s.Outdated > 0 || s.Site == "":
		s.Next, s.Why = "packgen build", "compiles the packs and writes the site"
	case s.Warnings > 0:
		s.Next, s.Why = "packgen check", "shows what could be better"
	default:
		s.Next, s.Why = "packgen serve", "shows the site while you write"
	}
	return s, nil
}

// countPacks compiles the packs in memory and counts what is wrong and outdated.
func countPacks(ctx context.Context, w *Repo, s *State) error {
	r, err := w.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	r.DropArchived()
	now, err := RunTime(w.Getenv)
	if err != nil {
		return err
	}
	o := CompileOptions{Each: compiler.Options{DryRun: true, Now: now}, Disk: OpenStore(w.Paths, StoreOptions{DryRun: true})}
	defer o.Disk.Close()
	if w.Config.Overlay != "" {
		o.Overlay = w.Paths.Abs(w.Config.Overlay)
	}
	if err := r.Compile(ctx, o); err != nil {
		return err
	}
	found := r.Findings()
	s.Packs, s.Errors, s.Warnings = len(r.Members), diag.Count(found, diag.Error), diag.Count(found, diag.Warning)
	for _, m := range r.Members {
		if m.Result == nil || m.Result.RunPath != "" {
			s.Outdated++ // a compile would leave a record: something is to be written
		}
	}
	return nil
}

// Outputs is the directory below which runs of a pack are written.
func Outputs(w *Repo, used resolver.Activated) string {
	if w.Config.Overlay != "" {
		return filepath.Join(w.Paths.Abs(w.Config.Overlay), used.Name)
	}
	return w.Paths.Abs(used.Dir)
}

// maxRecords is how many records of one second get names of their own.
const maxRecords = 1000

// WriteRecord writes the record of a resolution to a new file in runs/ and
// returns its path. It never replaces a file, and writes nothing in a dry run.
func WriteRecord(paths Paths, dir string, r *resolver.Resolution, now time.Time, dryRun bool) (string, error) {
	if now.IsZero() {
		now = time.Now()
	}
	runs := filepath.Join(dir, "runs")
	if info, err := os.Lstat(runs); err == nil && !info.IsDir() {
		return "", diag.Refuse(diag.WithHint(fmt.Errorf("%s is not a directory: records are not written through a link", paths.Rel(runs)), "move it away"))
	}
	for n := 1; n <= maxRecords; n++ {
		id := resolver.RecordID(now, n)
		record, err := r.Record(id)
		if err != nil {
			return "", err
		}
		data, err := schema.Encode(record)
		if err != nil {
			return "", err
		}
		name := filepath.Join(runs, id+".json")
		if dryRun {
			if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
				return name, nil
			}
			continue
		}
		if err := atomicfile.WriteBelow(dir, "runs/"+id+".json", data, true); !errors.Is(err, fs.ErrExist) {
			return name, err
		}
	}
	return "", errors.New("there are too many records of this second")
}

// Remarks are the warnings of a resolution with paths that a person can open.
// The same warning about several packs is one warning with all of their paths.
func Remarks(r *resolver.Resolution) []resolver.Warning {
	if len(r.Activated) == 0 { // about the repository, not about a file
		list := slices.Concat(r.Warnings, r.CompileWarnings)
		for i := range list {
			list[i].Path = ""
		}
		return list
	}
	var list []resolver.Warning
	add := func(a *resolver.Activated, of []resolver.Warning) {
		for _, w := range of {
			same := -1
			if w.Path == pack.EntryName {
				same = slices.IndexFunc(list, func(o resolver.Warning) bool { return o.Severity == w.Severity && o.Message == w.Message })
			}
			w.Path = path.Join(a.Dir, w.Path)
			if same >= 0 {
				list[same].Path += ", " + w.Path
				continue
			}
			list = append(list, w)
		}
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].Warnings)
	}
	for i := range r.Activated {
		add(&r.Activated[i], r.Activated[i].CompileWarnings)
	}
	return list
}
