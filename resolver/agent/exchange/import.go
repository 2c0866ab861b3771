package exchange

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
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
	"github.com/packgen/packgen/resolver/starter"
)

// From is what an import reads.
type From string

// What can be imported.
const (
	FromOKF    From = "okf"
	FromSkills From = "skills"
	FromLLMs   From = "llms"
)

// Sources lists what can be imported by name.
func Sources() []string { return []string{string(FromOKF), string(FromSkills), string(FromLLMs)} }

// Ids of what only an import finds.
const (
	unusableID = "import-unusable" // it cannot become a pack
	lostID     = "import-left-out" // a pack has no place for it
)

// Limits on what is imported.
const (
	maxImported  = 20_000
	maxImport    = 512 << 20 // bytes together
	maxImportOne = 16 << 20  // bytes of a file
	maxDepth     = 32
)

// ImportOptions say what is imported.
type ImportOptions struct {
	From   From
	Dir    string // absolute
	Name   string // of the pack; "" is made of what the folder says
	DryRun bool
}

// Imported is what became of a folder.
type Imported struct {
	From     From
	Packs    []string  // directories, as shown
	Files    []Written // paths from the root of the repository
	Findings []diag.Diagnostic
}

// Failed reports an error among the findings.
func (i *Imported) Failed() bool { return diag.Count(i.Findings, diag.Error) > 0 }

// report adds a finding about a file of the folder.
func (i *Imported) report(id string, severity diag.Severity, file, hint, format string, args ...any) {
	i.Findings = append(i.Findings, diag.Diagnostic{ID: id, Severity: severity, Path: file, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// made is a pack that an import makes. Paths are below its directory.
type made struct {
	name  string
	files []File
}

func (m *made) add(name string, data []byte) { m.files = append(m.files, File{Path: name, Data: data}) }

// Import makes packs of a folder of another system, below packs/. A pack that exists is
// never changed.
func Import(ctx context.Context, w *repo.Repo, o ImportOptions) (*Imported, error) {
	done := &Imported{From: o.From}
	t, err := readTree(ctx, o.Dir, done)
	if err != nil {
		return nil, err
	}
	now, err := repo.RunTime(w.Getenv)
	if err != nil {
		return nil, err
	}
	var packs []*made
	switch o.From {
	case FromOKF:
		packs = t.importBundles(o.Name, now)
	case FromSkills:
		packs = t.importSkills(o.Name)
	default:
		packs = t.importLLMs(o.Name)
	}
	if len(packs) == 0 && !done.Failed() {
		done.report(unusableID, diag.Error, w.Paths.Rel(o.Dir), "name the folder that holds them", "nothing in the folder can be imported as %s", o.From)
	}
	done.place(w, packs)
	if done.Failed() {
		diag.Sort(done.Findings)
		return done, nil
	}
	if err := done.write(ctx, w, packs, o.DryRun); err != nil {
		return nil, err
	}
	diag.Sort(done.Findings)
	return done, nil
}

// place checks where the packs go: to directories that do not exist.
func (i *Imported) place(w *repo.Repo, packs []*made) {
	seen := map[string]bool{}
	for _, m := range packs {
		dir := "packs/" + m.name
		switch _, err := os.Lstat(w.Paths.Abs(dir)); {
		case starter.CheckPackName(m.name) != nil:
			i.report(unusableID, diag.Error, dir, "give it one with --name NAME, of a-z, 0-9 and -", "%q cannot be the name of a pack", m.name)
		case seen[m.name]:
			i.report(takenID, diag.Error, dir, "rename one of them", "two of the folder would be the pack %s", m.name)
		case err == nil:
			i.report(foreignID, diag.Error, dir, "remove it, or give the new pack another name with --name NAME", "the directory exists")
		case !errors.Is(err, fs.ErrNotExist):
			i.report(foreignID, diag.Error, dir, "make it a place for a new directory", "the directory cannot be made: %v", err)
		}
		seen[m.name] = true
		i.Packs = append(i.Packs, dir)
	}
}

// write writes the packs, all of them or none.
func (i *Imported) write(ctx context.Context, w *repo.Repo, packs []*made, dry bool) error {
	tx, err := publish.Begin(ctx, publish.Options{Target: w.Paths.Abs("packs"), StateDir: w.Paths.Abs(repo.StateName), DryRun: dry, Wait: repo.LockWait})
	if err != nil {
		return diag.WithHint(fmt.Errorf("write packs: %w", err), "make the directory writable")
	}
	defer tx.Abort() //nolint:errcheck // after a commit it does nothing
	for _, m := range packs {
		for _, f := range m.files {
			if _, err := tx.Put(m.name+"/"+f.Path, f.Data); err != nil {
				return diag.WithHint(fmt.Errorf("write packs/%s/%s: %w", m.name, f.Path, err), "free the place, or give the pack another name with --name NAME")
			}
		}
	}
	sum, err := tx.Commit()
	if err != nil {
		return diag.WithHint(fmt.Errorf("write packs: %w", err), "make the directory writable and free space on its disk; run it again")
	}
	for p := range sum.Paths() {
		i.Files = append(i.Files, Written{"packs/" + p.Path, p.Change})
	}
	return nil
}

// tree is a folder that is imported, read whole.
type tree struct {
	dir   string
	base  string                   // name of the folder
	files map[string][]byte        // by slash path
	said  map[string]schema.Status // statuses that texts say of themselves, by path
	order []string                 // paths, sorted
	done  *Imported
}

// readTree reads a folder. Links are not followed, and names that start with a dot are
// not read: whoever made the folder decides on neither.
func readTree(ctx context.Context, dir string, done *Imported) (*tree, error) {
	t := &tree{dir: dir, base: filepath.Base(dir), files: map[string][]byte{}, said: map[string]schema.Status{}, done: done}
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("folder", dir, "name the folder to import")
	}
	if err != nil {
		return nil, fmt.Errorf("read the folder to import: %w", err)
	}
	if !info.IsDir() {
		return nil, diag.WithHint(fmt.Errorf("%s is not a folder", dir), "name the folder that the file is in")
	}
	root, err := regularfile.Root(dir)
	if err != nil {
		return nil, fmt.Errorf("open the folder to import: %w", err)
	}
	defer root.Close()
	size := int64(0)
	err = fs.WalkDir(regularfile.FS(root), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case name == ".":
			return nil
		case strings.HasPrefix(d.Name(), "."), d.IsDir() && strings.Count(name, "/") >= maxDepth:
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			done.report(lostID, diag.Warning, name, "copy what it leads to into the folder", "links and special files are not imported")
			return nil
		case packpath.Check(name) != nil, !utf8.ValidString(name):
			done.report(lostID, diag.Warning, fmt.Sprintf("%q", name), "rename the file", "a pack cannot have a file of this name")
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Size() > maxImportOne {
			done.report(lostID, diag.Warning, name, "make it smaller", "the file is larger than %s", bytesize.Text(maxImportOne))
			return nil
		}
		if size += info.Size(); size > maxImport || len(t.files) >= maxImported {
			return diag.WithHint(fmt.Errorf("the folder to import has more than %d files or %s", maxImported, bytesize.Text(maxImport)), "name a part of it")
		}
		data, err := repo.ReadIn(root, name, maxImportOne)
		if err != nil {
			return err
		}
		t.files[name] = data
		t.order = append(t.order, name)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the folder to import: %w", err)
	}
	slices.Sort(t.order)
	return t, nil
}

// admit returns where a file goes in a pack. One that agents treat as instructions wherever
// they find it is left out; another spelling of its name, which may be a page on such
// files, gets a mark.
func (t *tree) admit(file, to string) string {
	if to == "" {
		return ""
	}
	name := path.Base(to)
	if err := packpath.CheckFile(name); err != nil {
		t.done.report(lostID, diag.Warning, file, "rename the file, if it is a page for people", "%q is left out: agents and tools obey a file of this name wherever they find it", name)
		return ""
	}
	if packpath.IsObeyed(name) {
		ext := path.Ext(to)
		to = strings.TrimSuffix(to, ext) + "-" + mark(file) + ext
	}
	if err := packpath.CheckPublished(to); err != nil {
		t.done.report(lostID, diag.Warning, file, "rename the file", "the file is left out: %v", err)
		return ""
	}
	return to
}

// text returns a Markdown file of the folder, decoded.
func (t *tree) text(name string) ([]byte, bool) {
	data, ok := t.files[name]
	if !ok {
		return nil, false
	}
	text, ok := frontmatter.Decode(data)
	if !ok {
		t.done.report(lostID, diag.Warning, name, "save it as UTF-8 text", "the file is not UTF-8 text")
		return nil, false
	}
	plain, status := resolver.CutStatus(string(text))
	if status != "" {
		t.said[name] = status
	}
	return []byte(plain), true
}

// packName is the name of a pack that the first of several texts says.
func packName(names ...string) string {
	for _, name := range names {
		if plain := strings.ToLower(strings.TrimSpace(name)); starter.CheckPackName(plain) == nil {
			return plain
		}
		if made := skillName(name); !strings.HasPrefix(made, "pack-") && starter.CheckPackName(made) == nil {
			return made
		}
	}
	return skillName(strings.Join(names, "-"))
}

// isMarkdown reports a file that can be a page.
func isMarkdown(name string) bool { return path.Ext(name) == ".md" }
