package rules

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/agent/relink"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// errChanged says that a file is not what it was when it was read.
var errChanged = errors.New("the file was changed meanwhile")

// followLink names the file that an instruction file leads to below the root, where it is a
// link: that one is written, and the link stays.
func (r *Report) followLink(root *os.Root, out *Output) error {
	info, err := root.Lstat(r.FilePath)
	if err != nil || info.Mode().IsRegular() {
		return nil // a file that is gone is reported where it is read
	}
	errNoFile := errors.New("it leads to no regular file of the repository; name the file itself")
	if info.Mode()&fs.ModeSymlink == 0 {
		return errNoFile
	}
	base := regularfile.RealPath(root.Name())
	name, err := filepath.Rel(base, regularfile.RealPath(filepath.Join(base, filepath.FromSlash(r.FilePath))))
	if err != nil || !filepath.IsLocal(name) {
		return errNoFile
	}
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return errNoFile
	}
	if out.Main.Path == r.FilePath {
		out.Main.Path = filepath.ToSlash(name)
	}
	r.FilePath = filepath.ToSlash(name)
	return nil
}

// Split writes an output below a repository root: all of it or nothing. Files are
// staged beside their places and reach the disk before the first of them takes
// its name; the instruction file is the last. It returns the path of the copy of
// the instruction file as it was, a name of its own that no earlier copy has. Any
// failure leaves every file as it was.
//
// A split that is killed leaves the instruction file as it was, beside rule files
// that are whole, or the whole new state. The same split done again treats what it
// finds as its own and ends as one that was never interrupted. Splits of one repository
// must take turns; the caller sees to that.
func (r *Report) Split(root *os.Root, out *Output) (backup string, err error) {
	if err := r.followLink(root, out); err != nil {
		return "", fmt.Errorf("split %s: %w", r.FilePath, err)
	}
	s := &staging{root: root, mode: 0o644}
	if info, err := root.Lstat(r.FilePath); err == nil {
		s.mode = info.Mode().Perm() &^ 0o111 // what only its owner may read stays so
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("split %s: %w", r.FilePath, errors.Join(err, s.undo()))
		}
	}()
	original := []byte(r.text)
	places := append([]File{out.Main, {Path: r.FilePath + ".bak"}}, out.Rules...)
	if out.Index.Path != "" {
		places = append(places, out.Index)
	}
	if err := sweep(root, places); err != nil {
		return "", err
	}
	if backup, err = freeBackup(root, r.FilePath, original); err != nil {
		return "", err
	}
	for _, f := range out.Rules {
		// One of a split that was cut short may have links to sections that now stay.
		had, err := repo.ReadIn(root, f.Path, maxPlaced)
		if err != nil || !relink.Same(string(had), string(f.Data)) {
			had = nil
		}
		if err := s.add(f, had); err != nil {
			return "", err
		}
	}
	if err := s.add(File{backup, original}, nil); err != nil {
		return "", err
	}
	if out.Index.Path != "" {
		had, err := repo.ReadIn(root, out.Index.Path, maxPlaced)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if err := s.add(out.Index, had); err != nil {
			return "", err
		}
	}
	if err := s.add(out.Main, original); err != nil {
		return "", err
	}
	return backup, s.commit()
}

// freeBackup names the copy: name.bak, or name.bak-2 and so on. A copy with the
// same bytes does as well as a new one.
func freeBackup(root *os.Root, name string, text []byte) (string, error) {
	for n := 1; n < 10_000; n++ {
		candidate := name + ".bak"
		if n > 1 {
			candidate = fmt.Sprintf("%s.bak-%d", name, n)
		}
		switch had, err := repo.ReadIn(root, candidate, maxFile); {
		case errors.Is(err, fs.ErrNotExist), err == nil && bytes.Equal(had, text):
			return candidate, nil
		}
	}
	return "", errors.New("there are too many backups")
}

// staging is a set of files that are not in place yet.
type staging struct {
	root  *os.Root
	files []staged
	dirs  []string    // made for this split, outermost first
	mode  fs.FileMode // of files that do not exist yet
}

// staged is a file while it is written.
type staged struct {
	name, temp string
	had        []byte // the bytes it replaces; nil when there must be no file
	old        string // a staged copy of them: taking a step back must not need room on the disk
	mode       fs.FileMode
	placed     bool
}

// add writes a file beside its place. It replaces one with the bytes of had and
// no other; nil is for none. A file that has its bytes already is left alone.
func (s *staging) add(f File, had []byte) error {
	if err := regularfile.CheckWriteIn(s.root, f.Path); err != nil {
		return err
	}
	st := staged{name: f.Path, had: had, mode: s.mode}
	switch info, err := s.root.Lstat(f.Path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: %w and no regular file", f.Path, fs.ErrExist)
	default:
		st.mode = info.Mode().Perm()
	}
	if now, err := repo.ReadIn(s.root, f.Path, maxPlaced); err == nil && bytes.Equal(now, f.Data) {
		return nil
	}
	if err := st.unchanged(s.root); err != nil {
		return err
	}
	if err := s.makeDirs(path.Dir(f.Path)); err != nil {
		return err
	}
	st.temp = tempName(f.Path)
	if had != nil {
		st.old = tempName(f.Path)
	}
	s.files = append(s.files, st)
	if had != nil {
		if err := writeSynced(s.root, st.old, had, st.mode); err != nil {
			return err
		}
	}
	return writeSynced(s.root, st.temp, f.Data, st.mode)
}

// tempName names a file beside another.
func tempName(name string) string {
	return path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()[:tempWidth]+tempSuffix)
}

const (
	// maxPlaced is the largest file that is compared with what takes its place,
	// in bytes: the limit of an index.
	maxPlaced = indexjson.MaxIndex
	// A staged file is called .name.RANDOM.packgen.
	tempWidth  = 8
	tempSuffix = ".packgen"
)

// sweep removes what splits that were killed staged for files.
func sweep(root *os.Root, files []File) error {
	places, dirs := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		places[path.Clean(f.Path)], dirs[path.Dir(f.Path)] = true, true
	}
	for dir := range dirs {
		if err := regularfile.CheckWriteIn(root, dir); err != nil {
			return err
		}
		list, err := fs.ReadDir(regularfile.FS(root), dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, e := range list {
			if base := stagedFor(e.Name()); base != "" && places[path.Join(dir, base)] {
				if err := root.Remove(path.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// stagedFor returns the base name that a staged file is for; "" for other files.
func stagedFor(name string) string {
	rest, hidden := strings.CutPrefix(name, ".")
	rest, ours := strings.CutSuffix(rest, tempSuffix)
	i := strings.LastIndexByte(rest, '.')
	if !hidden || !ours || i < 0 || len(rest)-i-1 != tempWidth || strings.Trim(rest[i+1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return ""
	}
	return rest[:i]
}

// unchanged reports whether a place is as it was found.
func (f *staged) unchanged(root *os.Root) error {
	now, err := repo.ReadIn(root, f.name, maxPlaced)
	switch {
	case errors.Is(err, fs.ErrNotExist) && f.had == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", f.name, errChanged)
	case err != nil:
		return err
	case f.had == nil:
		return fmt.Errorf("%s: %w", f.name, fs.ErrExist)
	case !bytes.Equal(now, f.had):
		return fmt.Errorf("%s: %w", f.name, errChanged)
	}
	return nil
}

func writeSynced(root *os.Root, name string, data []byte, mode fs.FileMode) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// makeDirs makes a directory and those above it, and notes the new ones.
func (s *staging) makeDirs(dir string) error {
	at := ""
	if dir == "." {
		return nil
	}
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		switch err := s.root.Mkdir(at, 0o777); {
		case err == nil:
			s.dirs = append(s.dirs, at)
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	return nil
}

// commit gives the files their names, if their places are still what they were.
// The instruction file is the last, after the names of the others are on disk.
func (s *staging) commit() error {
	synced := map[string]bool{}
	for i := range s.files {
		f := &s.files[i]
		if i == len(s.files)-1 {
			for dir := range synced {
				syncDir(s.root, dir)
			}
		}
		if err := f.unchanged(s.root); err != nil {
			return err
		}
		if err := s.root.Rename(f.temp, f.name); err != nil {
			return err
		}
		f.placed = true
		synced[path.Dir(f.name)] = true
	}
	for i := range s.files {
		if old := s.files[i].old; old != "" {
			_ = s.root.Remove(old) // the split is done; the next one sweeps
		}
	}
	return nil
}

// syncDir asks that names in a directory reach the disk. Not every system can.
func syncDir(root *os.Root, dir string) {
	if f, err := root.Open(dir); err == nil {
		_ = f.Sync()
		_ = f.Close()
	}
}

// undo takes back what was placed and what was staged. The instruction file is
// placed last, so it never has to be taken back.
func (s *staging) undo() error {
	var faults []error
	note := func(err error) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			faults = append(faults, err)
		}
	}
	for i := len(s.files) - 1; i >= 0; i-- {
		f := &s.files[i]
		switch {
		case f.placed && f.had == nil:
			note(s.root.Remove(f.name))
		case f.placed:
			note(s.root.Rename(f.old, f.name))
		default:
			note(s.root.Remove(f.temp))
			if f.old != "" {
				note(s.root.Remove(f.old))
			}
		}
	}
	for i := len(s.dirs) - 1; i >= 0; i-- {
		note(s.root.Remove(s.dirs[i]))
	}
	return errors.Join(faults...)
}

// largeSkill is from how many tokens on a section is cut at its headings of level 3: a
// task seldom needs all of it, and agents ask for skills of at most 5,000.
const largeSkill = 2_000

// cutLarge cuts the large ones of some sections of a document that may move at their
// headings of level 3, so that each part loads by itself.
func (d *document) cutLarge(list []Section, moves func(*Section) bool) []Section {
	var out []Section
	for i := range list {
		s := &list[i]
		if s.Level != 2 || s.Tokens < largeSkill || !moves(s) {
			out = append(out, *s)
			continue
		}
		out = append(out, d.cut(s)...)
	}
	return out
}

// cut cuts a section. Parts that are too small to be worth a description of their own
// go with those after them, and what comes before the first heading with the first.
func (d *document) cut(s *Section) []Section {
	inner := slices.DeleteFunc(d.headings(), func(h heading) bool { return h.level != 3 || h.line <= s.StartLine || h.line >= s.Next })
	if len(inner) == 0 {
		return []Section{*s}
	}
	parts := []Section{}
	from := heading{s.StartLine, s.Level, s.head, s.Heading}
	for i := 0; i <= len(inner); i++ {
		end := s.Next
		if i < len(inner) {
			end = inner[i].line
		}
		part := d.section(from, end)
		if i < len(inner) && part.Tokens < largeTokens {
			continue
		}
		if last := len(parts) - 1; i == len(inner) && last >= 0 && part.Tokens < largeTokens {
			from = heading{parts[last].StartLine, parts[last].Level, parts[last].head, parts[last].Heading}
			part, parts = d.section(from, end), parts[:last]
		}
		if part.part = true; part.Level > s.Level {
			part.within = s.Heading
		}
		parts = append(parts, part)
		if i < len(inner) {
			from = inner[i]
		}
	}
	return parts
}
