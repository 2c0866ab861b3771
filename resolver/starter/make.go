package starter

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
	"syscall"
	"unicode"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/adopt"
	"github.com/packgen/packgen/resolver/repo"
)

// idBlocked is the finding about what keeps init from writing.
const idBlocked = "init-blocked"

// Options say what is made.
type Options struct {
	Name    string // of the pack
	Profile string // of the pack
	DryRun  bool   // look, and write nothing
	From    string // a folder whose documents become the pack's where they lie; "": none
	MDX     bool   // read .mdx of that folder as Markdown
}

// Run is an init in progress.
type Run struct {
	ws    *repo.Repo
	Flags Options
	Dir   string // absolute
	Shown string // as the user named it
	Files []File

	Kept     map[string]string // files that already exist, by path, under which name
	Blocked  []diag.Diagnostic
	Packgen  bool // the Makefile is another's: its targets are not known
	Unlisted bool // .gitignore is another's and does not name the site

	Unwritten bool          // the pack joins others: it is a draft, and its description is to be written
	Folder    *adopt.Folder // what was found in Options.From; nil when nothing was asked for
}

// Make makes a repository with one pack in a directory, named as from
// where the command was started, or adds the pack to the one that exists. What is
// in the way is a finding, and then nothing is written.
func Make(ctx context.Context, w *repo.Repo, dir string, f Options) (*Run, error) {
	full := w.Paths.Abs(w.Paths.Given(dir))
	if err := checkDir(full, dir); err != nil {
		return nil, err
	}
	in := &Run{ws: w, Flags: f, Dir: full, Shown: dir}
	var err error
	if f.From == "" {
		in.Files, err = FilesOf(f.Name, f.Profile)
		in.askForText()
	} else {
		err = in.adopt(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := in.inspect(); err != nil {
		return nil, err
	}
	if len(in.Blocked) == 0 && len(in.Kept) < len(in.Files) && !f.DryRun {
		if err := in.write(ctx); err != nil {
			return nil, explain(err, dir)
		}
	}
	return in, nil
}

// checkDir refuses a directory that cannot be meant. One that exists is taken
// whatever its name is.
func checkDir(full, shown string) error {
	// Lstat before Stat: what another init makes in between is not a link
	// to nothing.
	before, _ := os.Lstat(full)
	info, err := os.Stat(full)
	switch {
	case shown == "":
		return diag.WithHint(errors.New("the directory has no name"), "leave it out to work here")
	case strings.ContainsRune(full, 0):
		return diag.WithHint(fmt.Errorf("%q cannot be a directory", shown), "leave the NUL out")
	case err == nil && !info.IsDir():
		return diag.WithHint(fmt.Errorf("%s is a file", shown), "name a directory, or one that does not exist yet")
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(fmt.Errorf("%s lies below a file", shown), "name a directory, or one that does not exist yet")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return diag.WithHint(errors.New("the directory's name is too long"), "name a shorter one")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at %s: %w", shown, err)
	case err == nil:
	case strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return diag.WithHint(fmt.Errorf("%q has control characters, or is not UTF-8", shown), "name a directory that people can type")
	case before != nil && before.Mode()&fs.ModeSymlink != 0:
		return diag.WithHint(fmt.Errorf("%s is a symbolic link to nothing", shown), "remove the link, or make the directory it names")
	}
	for at := full; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, pack.EntryName)); err == nil {
			return diag.WithHint(fmt.Errorf("%s lies in a pack: %s has a KNOWLEDGE.md", shown, at), "name a directory outside: a pack holds no other pack")
		}
	}
	return nil
}

// inspect compares what would be written with what exists.
func (in *Run) inspect() error {
	in.Kept, in.Blocked, in.Packgen, in.Unlisted = map[string]string{}, nil, false, false
	root, err := regularfile.Root(in.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explain(fmt.Errorf("look at %s: %w", in.Shown, err), in.Shown)
	}
	defer root.Close()
	packDir := path.Join("packs", in.Flags.Name)
	for _, f := range in.Files {
		if what := inTheWay(root, f.Path); what != "" {
			in.block(what, "it is not a directory, and files would go below it", "move it away, or choose another directory")
			continue
		}
		found := f.Path
		info, err := root.Lstat(found)
		for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(f.others); i++ {
			found = f.others[i]
			info, err = root.Lstat(found)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("look at %s: %w", f.Path, err)
		case info.IsDir():
			in.block(found, "a directory is where the file would be", "move it away, or choose another directory")
			continue
		}
		same := sameFile(root, found, info, f.Data)
		if !same && strings.HasPrefix(f.Path, packDir+"/") {
			in.block(packDir, "a pack of that name exists, and is not overwritten", "name the new pack otherwise: --name NAME")
			continue
		}
		in.Kept[f.Path] = found
		if !same {
			if err := in.consider(root, f.Path); err != nil {
				return err
			}
		}
	}
	in.strangers(root, packDir)
	diag.Sort(in.Blocked)
	in.Blocked = slices.Compact(in.Blocked)
	return nil
}

// strangers blocks a pack directory that holds something while none of the files
// is ours: a pack of that name that init did not write.
func (in *Run) strangers(root *os.Root, packDir string) {
	guide := path.Join(packDir, pack.EntryName)
	if in.Kept[guide] != "" || len(in.Blocked) > 0 {
		return
	}
	if entries, err := fs.ReadDir(regularfile.FS(root), packDir); err == nil && len(entries) > 0 {
		in.block(packDir, "the directory of the pack exists and is not empty", "name the new pack otherwise: --name NAME")
	}
}

// consider looks at a file of the root that is kept and is not ours.
func (in *Run) consider(root *os.Root, name string) error {
	switch name {
	case "Makefile":
		in.Packgen = true
	case ".gitignore":
		text, err := repo.ReadIn(root, name, repo.ConfigLimit)
		if err != nil {
			return nil // a link out, or unreadable: nothing to say about it
		}
		in.Unlisted = !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.Trim(strings.TrimSpace(line), "/") == "public"
		})
	case repo.ConfigName:
		here := *in.ws
		here.Paths.Dir, here.ConfigPath = in.Dir, ""
		if err := here.Load(); err != nil {
			return err
		}
		dir := path.Join("packs", in.Flags.Name)
		if in.Folder != nil {
			if !slices.ContainsFunc(here.Config.Documents, func(d repo.Documents) bool { return d.Pack == dir }) {
				in.block(repo.ConfigName, "it does not say where the documents of the new pack are", fmt.Sprintf("add to the list documents: {pack: %q, from: %q}", dir, in.from()))
			}
		}
		if !slices.ContainsFunc(here.Config.Packs, func(pattern string) bool {
			ok, err := doublestar.Match(pattern, dir)
			return ok && err == nil
		}) {
			in.block(repo.ConfigName, fmt.Sprintf("none of its packs is %s, so the new pack would not be built", dir), `add "packs/*" to its packs`)
		}
	}
	return nil
}

// block notes what keeps init from writing.
func (in *Run) block(name, message, hint string) {
	in.Blocked = append(in.Blocked, diag.Diagnostic{ID: idBlocked, Severity: diag.Error, Path: name, Message: message, Hint: hint})
}

// inTheWay returns the first path above a file that exists and is not a
// directory, a link to one included; "" when there is none.
func inTheWay(root *os.Root, name string) string {
	parts := strings.Split(name, "/")
	for i := 1; i < len(parts); i++ {
		dir := strings.Join(parts[:i], "/")
		info, err := root.Lstat(dir)
		if err != nil {
			return "" // nothing there, or what the look at the file itself reports
		}
		if !info.IsDir() {
			return dir
		}
	}
	return ""
}

// sameFile reports whether a file holds those bytes. A link never does.
func sameFile(root *os.Root, name string, info fs.FileInfo, data []byte) bool {
	if !info.Mode().IsRegular() || info.Size() != int64(len(data)) {
		return false
	}
	text, err := repo.ReadIn(root, name, info.Size())
	return err == nil && string(text) == string(data)
}

// explain adds what to do to an error about writing.
func explain(err error, dir string) error {
	switch {
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "make %s writable, or name another directory", dir))
	case diag.DiskFull(err):
		return diag.WithHint(err, "free some space and run again: the disk is full, and nothing was written")
	case errors.Is(err, publish.ErrLocked):
		return diag.WithHint(err, "wait for the other run, or stop it")
	}
	return err
}

// MaxPackName is the longest name of a pack, in bytes (agent-knowledge section 3.1).
const MaxPackName = 64

// reservedNames are names that no file may have on Windows: a checkout there
// would fail.
var reservedNames = [...]string{"con", "prn", "aux", "nul"}

// CheckPackName refuses a name that a pack or its directory cannot have.
func CheckPackName(name string) error {
	wrong := func(why string) error {
		return diag.WithHint(fmt.Errorf("--name %q %s", name, why), "write 1 to %d of a-z, 0-9 and -, such as tea-shop", MaxPackName)
	}
	outside := func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }
	device := len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && name[3] >= '0' && name[3] <= '9'
	switch {
	case name == "":
		return wrong("is empty")
	case len(name) > MaxPackName:
		return wrong("is too long")
	case strings.ContainsFunc(name, outside):
		return wrong("has other characters")
	case strings.HasPrefix(name, "-") || strings.HasSuffix(name, "-"):
		return wrong("starts or ends with a hyphen")
	case strings.Contains(name, "--"):
		return wrong("has two hyphens in a row")
	case device || slices.Contains(reservedNames[:], name):
		return wrong("is a device on Windows")
	}
	return nil
}

// write writes what is missing, all of it or nothing.
func (in *Run) write(ctx context.Context) error {
	if _, err := os.Stat(in.Dir); err == nil {
		return in.writeInto(ctx)
	}
	return in.writeNew(ctx)
}

// writeInto writes into a directory that exists.
func (in *Run) writeInto(ctx context.Context) error {
	state := filepath.Join(in.Dir, repo.StateName)
	_, err := os.Lstat(state)
	own := errors.Is(err, fs.ErrNotExist)
	err = in.put(ctx, in.Dir, state, in.inspect)
	if err != nil && own && !errors.Is(err, publish.ErrInterrupted) && !errors.Is(err, publish.ErrLocked) {
		regularfile.RemoveAll(state)
	}
	return err
}

const stagePrefix = ".packgen-init-" // of a directory beside the new one

// writeNew makes the directory: beside its place and then in one step, which
// fails when another run was faster.
func (in *Run) writeNew(ctx context.Context) (err error) {
	parent := filepath.Dir(in.Dir)
	missing := missingDirs(parent)
	defer func() {
		if err != nil {
			removeEmpty(missing)
		}
	}()
	if err := regularfile.MkdirAll(parent, 0o777); err != nil {
		return fmt.Errorf("make %s: %w", in.Shown, err)
	}
	publish.SweepStages(parent, stagePrefix)
	work, err := regularfile.MkdirTemp(parent, stagePrefix+"*")
	if err != nil {
		return fmt.Errorf("make %s: %w", in.Shown, err)
	}
	defer regularfile.RemoveAll(work)
	made := filepath.Join(work, "new")
	if err := in.put(ctx, made, filepath.Join(work, "state"), func() error { return nil }); err != nil {
		return err
	}
	if err := regularfile.Rename(made, in.Dir); err != nil {
		return diag.WithHint(fmt.Errorf("make %s: %w", in.Shown, err), "run again if another run made the directory; nothing was written")
	}
	return nil
}

// put writes what is missing into a directory. look is called once no other run
// can write there, and says again what is missing and what is in the way.
func (in *Run) put(ctx context.Context, dir, state string, look func() error) (err error) {
	tx, err := publish.Begin(ctx, publish.Options{Target: dir, StateDir: state, Wait: repo.LockWait})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Abort()) }()
	if err := look(); err != nil || len(in.Blocked) > 0 {
		return err
	}
	for _, f := range in.Files {
		if in.Kept[f.Path] != "" {
			continue
		}
		change, err := tx.Put(f.Path, f.Data)
		if err != nil {
			return err
		}
		if change == publish.Updated {
			return diag.WithHint(fmt.Errorf("%s appeared meanwhile; nothing was written", f.Path), "run again")
		}
	}
	_, err = tx.Commit()
	return err
}

// missingDirs lists a directory and those above it that do not exist, the
// deepest first.
func missingDirs(dir string) []string {
	var list []string
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
	}
}

// removeEmpty removes directories as far as nothing is in them.
func removeEmpty(dirs []string) {
	for _, dir := range dirs {
		if regularfile.Remove(dir) != nil {
			return
		}
	}
}
