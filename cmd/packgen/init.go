package main

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
	"github.com/spf13/cobra"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/regular"
	"github.com/packgen/packgen/resolver/workspace"
)

// idInitBlocked is the finding about what keeps init from writing.
const idInitBlocked = "init-blocked"

// initOptions say what is made.
type initOptions struct {
	name    string // of the pack
	profile string // of the pack
	dryRun  bool   // look, and write nothing
}

// newInit is the init verb.
func newInit(a *app) *cobra.Command {
	var f initOptions
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a knowledge repository with one small pack",
		Long: `init makes a knowledge repository in DIR, or here: one pack to rewrite, evals for
it, packgen.yaml, a Makefile, a workflow for GitHub Pages and .gitignore. What it
makes builds without a warning. DIR is created when it is missing.

No file is ever overwritten. A Makefile or another file of the root that exists is
left as it is; where a pack of that name, or anything else, is in the way, nothing
is written and the exit code is 1.

In a knowledge repository, init --name NAME adds a pack.`,
		Example: "  packgen init handbook\n  packgen init --profile wiki-first --name field-notes\n  packgen init --dry-run",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return diag.WithHint(fmt.Errorf("%s takes one directory, found %q too", cmd.CommandPath(), args[1]), "The pack's name is given with --name NAME.")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			} else if workspace.Holds(a.Dir, workspace.ConfigName) {
				dir = a.FromStart(".") // a pack more for this repository
			}
			return a.runInit(cmd.Context(), dir, f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "handbook", "the `NAME` of the pack: a-z, 0-9 and -")
	flags.StringVar(&f.profile, "profile", profiles[0], "the `PROFILE` of the pack: "+strings.Join(profiles[:], ", "))
	flags.BoolVar(&f.dryRun, "dry-run", false, "list what would be written and write nothing")
	return cmd
}

// initRun is one init on its way.
type initRun struct {
	ws    *workspace.Workspace
	flags initOptions
	dir   string // absolute
	shown string // as the user named it
	files []starterFile

	kept     map[string]string // files that are there already, by path, under which name
	blocked  []diag.Diagnostic
	packgen  bool // the Makefile is another's: its targets are not known
	unlisted bool // .gitignore is another's and does not name the site
}

// runInit does what the init verb says.
func (a *app) runInit(ctx context.Context, dir string, f initOptions) error {
	if err := checkPackName(f.name); err != nil {
		return err
	}
	if err := oneOf("--profile", f.profile, profiles[:]...); err != nil {
		return err
	}
	in, err := makeRepository(ctx, &a.Workspace, dir, f)
	if err != nil {
		return err
	}
	return initPrinter{in, a}.report()
}

// makeRepository makes a repository with one pack in a directory, named as from
// where the command was started, or adds the pack to the one that is there. What is
// in the way is a finding, and then nothing is written.
func makeRepository(ctx context.Context, w *workspace.Workspace, dir string, f initOptions) (*initRun, error) {
	full := w.Path(w.Given(dir))
	if err := checkInitDir(full, dir); err != nil {
		return nil, err
	}
	files, err := starter(f.name, f.profile)
	if err != nil {
		return nil, err
	}
	in := &initRun{ws: w, flags: f, dir: full, shown: dir, files: files}
	if err := in.inspect(); err != nil {
		return nil, err
	}
	if len(in.blocked) == 0 && len(in.kept) < len(in.files) && !f.dryRun {
		if err := in.write(ctx); err != nil {
			return nil, explainInit(err, dir)
		}
	}
	return in, nil
}

// checkInitDir refuses a directory that cannot be meant. One that exists is taken
// whatever its name is.
func checkInitDir(full, shown string) error {
	// Looked at before it is followed: what another init makes in between is no link
	// to nothing.
	before, _ := os.Lstat(full)
	info, err := os.Stat(full)
	switch {
	case shown == "":
		return diag.WithHint(errors.New("the directory has no name"), "Leave it out to work here.")
	case strings.ContainsRune(full, 0):
		return diag.WithHint(fmt.Errorf("%q cannot be a directory", shown), "Leave the NUL out.")
	case err == nil && !info.IsDir():
		return diag.WithHint(fmt.Errorf("%s is a file", shown), "Name a directory, or one that does not exist yet.")
	case errors.Is(err, syscall.ENOTDIR):
		return diag.WithHint(fmt.Errorf("%s lies below a file", shown), "Name a directory, or one that does not exist yet.")
	case errors.Is(err, syscall.ENAMETOOLONG):
		return diag.WithHint(errors.New("the directory's name is too long"), "Name a shorter one.")
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("look at %s: %w", shown, err)
	case err == nil:
	case strings.ContainsFunc(shown, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return diag.WithHint(fmt.Errorf("%q has control characters, or is not UTF-8", shown), "Name a directory that people can type.")
	case before != nil && before.Mode()&fs.ModeSymlink != 0:
		return diag.WithHint(fmt.Errorf("%s is a symbolic link to nothing", shown), "Remove the link, or make the directory it names.")
	}
	for at := full; at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, "KNOWLEDGE.md")); err == nil {
			return diag.WithHint(fmt.Errorf("%s lies in a pack: %s has a KNOWLEDGE.md", shown, at), "A repository holds packs, and a pack holds none. Name a directory outside.")
		}
	}
	return nil
}

// inspect compares what would be written with what is there.
func (in *initRun) inspect() error {
	in.kept, in.blocked, in.packgen, in.unlisted = map[string]string{}, nil, false, false
	root, err := regular.Root(in.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return explainInit(fmt.Errorf("look at %s: %w", in.shown, err), in.shown)
	}
	defer root.Close()
	packDir := path.Join("packs", in.flags.name)
	for _, f := range in.files {
		if what := inTheWay(root, f.path); what != "" {
			in.block(what, "It is no directory, and files would go below it.", "Move it away, or choose another directory.")
			continue
		}
		found := f.path
		info, err := root.Lstat(found)
		for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(f.others); i++ {
			found = f.others[i]
			info, err = root.Lstat(found)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return fmt.Errorf("look at %s: %w", f.path, err)
		case info.IsDir():
			in.block(found, "A directory stands where the file would.", "Move it away, or choose another directory.")
			continue
		}
		same := sameFile(root, found, info, f.data)
		if !same && strings.HasPrefix(f.path, packDir+"/") {
			in.block(packDir, "A pack of that name exists, and is not overwritten.", "Name the new pack otherwise: --name NAME.")
			continue
		}
		in.kept[f.path] = found
		if !same {
			if err := in.consider(root, f.path); err != nil {
				return err
			}
		}
	}
	in.strangers(root, packDir)
	diag.Sort(in.blocked)
	in.blocked = slices.Compact(in.blocked)
	return nil
}

// strangers blocks a pack directory that holds something while none of the files
// is ours: a pack of that name, written by somebody else.
func (in *initRun) strangers(root *os.Root, packDir string) {
	guide := path.Join(packDir, "KNOWLEDGE.md")
	if in.kept[guide] != "" || len(in.blocked) > 0 {
		return
	}
	if entries, err := fs.ReadDir(regular.FS(root), packDir); err == nil && len(entries) > 0 {
		in.block(packDir, "The directory of the pack exists and is not empty.", "Name the new pack otherwise: --name NAME.")
	}
}

// consider looks at a file of the root that is kept and is not ours.
func (in *initRun) consider(root *os.Root, name string) error {
	switch name {
	case "Makefile":
		in.packgen = true
	case ".gitignore":
		text, err := workspace.ReadIn(root, name, workspace.ConfigLimit)
		if err != nil {
			return nil // a link out, or unreadable: nothing to say about it
		}
		in.unlisted = !slices.ContainsFunc(strings.Split(string(text), "\n"), func(line string) bool {
			return strings.Trim(strings.TrimSpace(line), "/") == "public"
		})
	case workspace.ConfigName:
		here := *in.ws
		here.Dir, here.ConfigPath = in.dir, ""
		cfg, err := here.LoadConfig()
		if err != nil {
			return err
		}
		dir := path.Join("packs", in.flags.name)
		if !slices.ContainsFunc(cfg.Packs, func(pattern string) bool {
			ok, err := doublestar.Match(pattern, dir)
			return ok && err == nil
		}) {
			in.block(workspace.ConfigName, fmt.Sprintf("None of its packs is %s, so the new pack would not be built.", dir), `Add "packs/*" to its packs.`)
		}
	}
	return nil
}

// block notes what keeps init from writing.
func (in *initRun) block(name, message, hint string) {
	in.blocked = append(in.blocked, diag.Diagnostic{ID: idInitBlocked, Severity: diag.Error, Path: name, Message: message, Hint: hint})
}

// inTheWay returns the first directory above a file that is there and is no
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
	text, err := workspace.ReadIn(root, name, info.Size())
	return err == nil && string(text) == string(data)
}

// explainInit adds what to do to an error about writing.
func explainInit(err error, dir string) error {
	switch {
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		return diag.Refuse(diag.WithHint(err, "Make %s writable, or name another directory.", dir))
	case errors.Is(err, syscall.ENOSPC):
		return diag.WithHint(err, "The disk is full. Nothing was written; free some space and run again.")
	case errors.Is(err, publish.ErrLocked):
		return diag.WithHint(err, "Wait for the other run, or stop it.")
	}
	return err
}
