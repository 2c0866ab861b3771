package exchange

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/agent/rules"
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

// importSkills makes a pack of each skill: of the folder itself when it is one.
func (t *tree) importSkills(name string) []*made {
	var dirs []string
	for _, f := range t.order {
		if path.Base(f) == skillFile {
			dirs = append(dirs, path.Dir(f))
		}
	}
	if slices.Contains(dirs, ".") {
		dirs = []string{"."}
	}
	return t.importEach(dirs, name, "skill", func(dir string) *made { return t.importSkill(dir, name) })
}

// importEach makes a pack of each folder; a name is for one alone.
func (t *tree) importEach(dirs []string, name, what string, one func(dir string) *made) (packs []*made) {
	if name != "" && len(dirs) > 1 {
		t.done.report(unusableID, diag.Error, "", "name the folder of one "+what, "--name is for one %s, and the folder has %d", what, len(dirs))
		return nil
	}
	for _, dir := range dirs {
		if m := one(dir); m != nil {
			packs = append(packs, m)
		}
	}
	return packs
}

// below lists the files of a folder, without its path.
func (t *tree) below(dir string) []string {
	var list []string
	for _, f := range t.order {
		if dir == "." {
			list = append(list, f)
		} else if rest, ok := strings.CutPrefix(f, dir+"/"); ok {
			list = append(list, rest)
		}
	}
	return list
}

// importSkill makes a pack of one skill.
func (t *tree) importSkill(dir, given string) *made {
	file := path.Join(dir, skillFile)
	text, ok := t.text(file)
	if !ok {
		return nil
	}
	h, ok := readHead(text)
	if !ok || len(h.lines) == 0 {
		t.done.report(unusableID, diag.Error, file, "correct the front matter", "the front matter cannot be read")
		return nil
	}
	m := &made{name: cmp.Or(given, packName(h.text("name"), path.Base(path.Join(t.base, dir))))}
	at := moved{}
	for _, f := range t.below(dir) {
		if to := t.admit(path.Join(dir, f), t.placeInPack(path.Join(dir, f), f, dir)); to != "" {
			at[f] = to
		}
	}
	leads := moved{skillFile: pack.EntryName}
	maps.Copy(leads, at)
	guide := withoutGenerated(string(h.body))
	doc := markdown.Parse(skillFile, []byte(guide))
	guide = string(relink.Apply(doc.Text, back(doc, pack.EntryName, "", leads)))
	guide = codePath().ReplaceAllStringFunc(guide, func(code string) string {
		parts := codePath().FindStringSubmatch(code)
		if to, ok := at[parts[1]]; ok {
			return "`" + to + parts[2] + "`"
		}
		return code
	})
	m.add(pack.EntryName, []byte(t.skillGuide(m.name, file, h)+strings.Trim(guide, "\n")+"\n"))
	for _, f := range t.below(dir) {
		to, ok := at[f]
		if !ok {
			continue
		}
		data := t.files[path.Join(dir, f)]
		if isMarkdown(f) {
			if text, ok := t.text(path.Join(dir, f)); ok {
				doc := markdown.Parse(f, text)
				data = relink.Apply(doc.Text, back(doc, to, "", leads))
			} else {
				continue
			}
		}
		m.add(to, data)
	}
	return m
}

// placeInPack says where a file of a skill is in a pack; "" for one that a pack has no
// place for.
func (t *tree) placeInPack(name, f, dir string) string {
	top, rest, _ := strings.Cut(f, "/")
	switch {
	case f == skillFile, path.Base(f) == skillFile:
		return ""
	case listPath().MatchString(f) && strings.HasPrefix(string(t.files[name]), generatedBegin):
		return "" // an export makes it again
	case top == "scripts":
		t.done.report(lostID, diag.Warning, name, "keep programs where they run", "a pack has no programs: the file is left out")
		return ""
	case isMarkdown(f) && top == "references":
		return "documents/" + rest
	case isMarkdown(f):
		to := "documents/" + f
		if _, taken := t.files[path.Join(dir, references+f)]; taken {
			to = "documents/" + strings.TrimSuffix(f, ".md") + "-" + mark(f) + ".md"
		}
		return to
	case top == "assets":
		return f
	}
	return "assets/" + f
}

// back returns the edits that make links right in the pack; root begins those that lead from
// the root of the folder.
func back(doc *markdown.Document, to, root string, at moved) []relink.Edit {
	return relink.Links(doc, func(l markdown.Link) (string, bool) {
		if l.Wiki {
			return "", false
		}
		place, ok := at[strings.TrimPrefix(reference.Join(doc.Path, relink.PathOf(l.Dest)), root)]
		return reference.Rewrite(to, l.Dest, place), ok
	})
}

// withoutGenerated is the text of a skill without what an export wrote below it.
func withoutGenerated(text string) string {
	i := strings.LastIndex("\n"+text, "\n"+generatedBegin+"\n")
	if i < 0 || !strings.HasSuffix(strings.TrimSpace(text), generatedEnd) {
		return text
	}
	return text[:max(i, 0)]
}

// plainKey is a key that needs no quotes.
var plainKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*$`) })

// skillGuide is the front matter of the pack of a skill.
func (t *tree) skillGuide(name, file string, h *head) string {
	g := newGuide(name, h.text("description"))
	meta := h.keys["metadata"].value
	for _, key := range carriedFields {
		if v := metadataText(meta, "packgen-"+key); v != "" {
			g.set(key, v)
		}
	}
	g.set("license", h.text("license"))
	g.set("compatibility", h.text("compatibility"))
	if list := metadataText(meta, "packgen-maintainers"); list != "" {
		g.maintainers = strings.Split(list, ", ")
	}
	for k, v := range pairs(meta) {
		if !strings.HasPrefix(k, "packgen-") {
			g.skill = append(g.skill, [2]string{k, v.Value})
		}
	}
	for key, s := range h.keys {
		if slices.Contains([]string{"name", "description", "license", "compatibility", "metadata"}, key) {
			continue
		}
		g.other = append(g.other, strings.Join(h.lines[s.first:s.end], ""))
		t.done.report(lostID, diag.Warning, file, "leave it: it is kept below metadata.skill.fields", "the key %q has no meaning in a pack, and no export writes it", key)
	}
	slices.Sort(g.other)
	return g.text()
}

// maxFlat is the longest stem of a file, in bytes.
const maxFlat = 180

// mark distinguishes names that would otherwise be one.
func mark(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:8] }

// flat gives each path a name in one folder: its parts joined with hyphens, with a mark
// where two would meet, also on a file system that does not distinguish case, or one is
// reserved. A path that is such a name already keeps it.
func flat(paths []string, strip string, reserved ...string) map[string]string {
	names, users := map[string]string{}, map[string]int{}
	key := func(name string) string { return strings.ToLower(norm.NFC.String(name)) }
	for _, r := range reserved {
		users[key(r)]++
	}
	for _, p := range paths {
		name := strings.ReplaceAll(strings.TrimPrefix(p, strip), "/", "-")
		ext := path.Ext(name)
		if stem := strings.TrimSuffix(name, ext); len(stem) > maxFlat {
			name = diag.Cut(stem, maxFlat-9) + "-" + mark(p) + ext
		}
		names[p] = name
		if users[key(name)]++; packpath.IsObeyed(name) {
			users[key(name)]++ // agents would treat it as instructions: it gets a mark
		}
	}
	for p, name := range names {
		if users[key(name)] > 1 {
			ext := path.Ext(name)
			names[p] = diag.Cut(strings.TrimSuffix(name, ext), maxFlat-9) + "-" + mark(p) + ext
		}
	}
	return names
}

// skillName is the name of a pack as that of a skill: 1 to 64 of a-z, 0-9 and single
// hyphens between them, without the names of makers.
func skillName(name string) string {
	text := strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(name)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
	for {
		before := text
		for _, word := range rules.Makers {
			text = strings.ReplaceAll(text, word, "-")
		}
		parts := slices.DeleteFunc(strings.Split(text, "-"), func(part string) bool { return part == "" })
		if text = strings.Join(parts, "-"); text == before {
			break
		}
	}
	if text = strings.Trim(diag.Cut(text, rules.MaxSkillName), "-"); text == "" {
		return "pack-" + mark(name)
	}
	return text
}
