package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/reference"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/agent/managedblock"
	"github.com/packgen/packgen/resolver/agent/relink"
	"github.com/packgen/packgen/resolver/repo"
)

// listFile is the list of what exports wrote into a directory.
const listFile = ".packgen-export.json"

const (
	agentsFile = "AGENTS.md"
	owner      = "packgen-export" // in the marks of the block in AGENTS.md
	maxList    = 16 << 20         // bytes of a list
	maxOurs    = 64 << 20         // bytes of a file that is compared
)

// Written is a file of an export and what became of it.
type Written struct {
	Path   string         `json:"path"`
	Change publish.Change `json:"change"`
}

// listed is a file in the list of a directory.
type listed struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Kind   Kind   `json:"kind"`
	Pack   string `json:"pack,omitempty"`
}

// list is the file of that name.
type list struct {
	Version int      `json:"version"`
	Files   []listed `json:"files"`
}

// checkOut refuses a directory that cannot be meant: a file, a place inside a pack or in
// the state of the repository.
func checkOut(w *repo.Repo, out string, all *repo.Packs) error {
	if info, err := os.Stat(out); err == nil && !info.IsDir() {
		return diag.WithHint(fmt.Errorf("--out %s is a file", w.Paths.Rel(out)), "name a directory")
	}
	for _, m := range all.Members {
		if repo.Inside(out, w.Paths.Abs(m.Dir)) {
			return diag.WithHint(fmt.Errorf("--out %s lies inside the pack %s", w.Paths.Rel(out), m.Dir), "name a directory outside of packs")
		}
	}
	if repo.Inside(out, w.Paths.Abs(repo.StateName)) {
		return diag.WithHint(fmt.Errorf("--out %s lies in the state of the repository", w.Paths.Rel(out)), "name another directory")
	}
	return nil
}

// write brings the files of an export into its directory, all of them or none. Files of
// the same kind and packs that are not made any more are removed. What somebody else
// wrote or edited is a finding, and then nothing is written.
func write(ctx context.Context, w *repo.Repo, o Options, packs []string, all bool, files []File, found *[]diag.Diagnostic) ([]Written, error) {
	tx, err := publish.Begin(ctx, publish.Options{Target: o.Out, StateDir: w.Paths.Abs(repo.StateName), DryRun: o.DryRun, Wait: repo.LockWait})
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("write the export to %s: %w", w.Paths.Rel(o.Out), err), "make the directory writable, or name another one")
	}
	defer tx.Abort() //nolint:errcheck // after a commit it does nothing
	had, err := readList(filepath.Join(o.Out, listFile))
	if err != nil {
		return nil, err
	}
	interrupted := tx.Interrupted()
	had.addInterrupted(interrupted, o.Kind)
	x := &writer{o: o, w: w, had: had, found: found, seen: map[string]string{}, left: map[string]bool{}}
	for _, f := range interrupted {
		x.left[f.Path] = f.There
	}
	if err := x.put(tx, files); err != nil {
		return nil, err
	}
	if err := x.removeOld(tx, packs, all); err != nil {
		return nil, err
	}
	if diag.Count(*found, diag.Error) > 0 {
		return nil, nil
	}
	if err := x.putList(tx); err != nil {
		return nil, err
	}
	sum, err := tx.Commit()
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("write the export to %s: %w", w.Paths.Rel(o.Out), err), "make the directory writable and free space on its disk; run it again")
	}
	var done []Written
	for p := range sum.Paths() {
		if p.Path != listFile {
			done = append(done, Written{p.Path, p.Change})
		}
	}
	return done, nil
}

// readList reads the list of a directory; empty when it has none.
func readList(name string) (list, error) {
	data, err := atomicfile.Read(name, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return list{Version: 1}, nil
	}
	var l list
	if err == nil {
		err = json.Unmarshal(data, &l)
	}
	if err == nil && l.Version != 1 {
		err = fmt.Errorf("it has version %d", l.Version)
	}
	if err != nil {
		return list{}, diag.WithHint(fmt.Errorf("read %s, the list of earlier exports: %w", name, err), "remove the file; files of earlier exports are then treated as not made by packgen")
	}
	return l, nil
}

// addInterrupted adds files that an export which was interrupted was to delete: it may have
// written the list without them.
func (l *list) addInterrupted(files []publish.Interrupted, kind Kind) {
	for _, f := range files {
		known := slices.ContainsFunc(l.Files, func(l listed) bool { return l.Path == f.Path })
		if f.Change == publish.Deleted && f.There && !known {
			l.Files = append(l.Files, listed{Path: f.Path, SHA256: f.Sum.String(), Kind: kind})
		}
	}
}

// writer is one write.
type writer struct {
	o     Options
	w     *repo.Repo
	had   list
	next  []listed
	found *[]diag.Diagnostic
	seen  map[string]string // paths of the export, without letter case
	left  map[string]bool   // files as an export that was interrupted has put them
}

func (x *writer) report(id, file, hint, format string, args ...any) {
	*x.found = append(*x.found, diag.Diagnostic{ID: id, Severity: diag.Error, Path: file, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// isOurs reports whether an export has written a file, and whether somebody has edited it
// since.
func (x *writer) isOurs(name string, now []byte) (known, edited bool) {
	if x.left[name] {
		return true, false
	}
	i := slices.IndexFunc(x.had.Files, func(l listed) bool { return l.Path == name })
	return i >= 0, i >= 0 && !schema.HasSum(now, x.had.Files[i].SHA256)
}

// put adds the files of the export.
func (x *writer) put(tx *publish.Tx, files []File) error {
	for _, f := range files {
		key := strings.ToLower(f.Path)
		if err := packpath.Check(f.Path); err != nil {
			x.report(foreignID, f.Path, "rename the file of the pack", "the path cannot be written: %v", err)
			continue
		}
		if packpath.IsObeyed(path.Base(f.Path)) && !(f.Path == agentsFile && x.o.Kind == AgentsMD) {
			*x.found = append(*x.found, diag.Diagnostic{ID: leftID, Severity: diag.Warning, Path: f.Path, Message: "the file is left out: agents and tools obey a file of this name wherever they find it", Hint: "rename the file of the pack"})
			continue
		}
		if other, twice := x.seen[key]; twice {
			x.report(takenID, f.Path, "rename one of them", "the path is that of %s too", other)
			continue
		}
		x.seen[key] = f.Path
		if f.Path == agentsFile && x.o.Kind == AgentsMD {
			if err := x.putBlock(tx, f); err != nil {
				return err
			}
			continue
		}
		name := filepath.Join(x.o.Out, filepath.FromSlash(f.Path))
		now, err := atomicfile.Read(name, maxOurs)
		sum := fmt.Sprintf("%x", sha256.Sum256(f.Data))
		switch known, edited := x.isOurs(f.Path, now); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			x.report(foreignID, f.Path, "move it away", "something that is not a plain file is in the way")
			continue
		case schema.HasSum(now, sum):
			f.Data = now // in the line ends that git gave it
		case !known:
			x.report(foreignID, f.Path, "move it away, or name another directory", "a file that packgen has not written is in the way")
			continue
		case edited:
			x.report(foreignID, f.Path, "make the change in the pack, then remove this file", "the file was edited since it was exported")
			continue
		}
		if _, err := tx.Put(f.Path, f.Data); err != nil {
			if refused(err) {
				x.report(foreignID, f.Path, "move it away, or name another directory", "the file cannot be written: %v", err)
				continue
			}
			return diag.WithHint(fmt.Errorf("write %s: %w", f.Path, err), "make the directory writable, or name another one")
		}
		x.next = append(x.next, listed{f.Path, sum, x.o.Kind, f.pack})
	}
	return nil
}

// refused reports an error of a place that is somebody else's.
func refused(err error) bool {
	return errors.Is(err, publish.ErrSymlink) || errors.Is(err, publish.ErrBlocked)
}

// putBlock puts the block into AGENTS.md, which may have other text.
func (x *writer) putBlock(tx *publish.Tx, f File) error {
	name := filepath.Join(x.o.Out, agentsFile)
	now, err := atomicfile.Read(name, maxOurs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.report(foreignID, f.Path, "make it a plain file", "the file cannot be read: %v", err)
		return nil
	}
	text, err := managedblock.Add(now, managedblock.Markdown(owner), strings.TrimRight(string(f.Data), "\n"))
	if err != nil {
		x.report(foreignID, f.Path, "leave one pair of these lines, or none", "the lines %s:begin and %[1]s:end do not go together", owner)
		return nil
	}
	if len(text) > maxAgentsFile {
		*x.found = append(*x.found, diag.Diagnostic{ID: limitID, Severity: diag.Warning, Path: f.Path, Message: fmt.Sprintf("the file has %d bytes; Codex reads %d", len(text), maxAgentsFile), Hint: "split the other text: packgen rules split"})
	}
	if _, err := tx.Put(f.Path, text); err != nil {
		if refused(err) {
			x.report(foreignID, f.Path, "make it a plain file", "the file cannot be written: %v", err)
			return nil
		}
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	return nil
}

// removeOld removes what an earlier export of the same wrote and this one did not. A file
// that somebody edited stays, and is theirs from now on.
func (x *writer) removeOld(tx *publish.Tx, packs []string, all bool) error {
	made := map[string]bool{}
	for _, l := range x.next {
		made[l.Path] = true
	}
	for _, l := range x.had.Files {
		if made[l.Path] || packpath.Check(l.Path) != nil {
			continue
		}
		if l.Kind != x.o.Kind || !all && !slices.Contains(packs, l.Pack) {
			x.next = append(x.next, l)
			continue
		}
		now, err := atomicfile.Read(filepath.Join(x.o.Out, filepath.FromSlash(l.Path)), maxOurs)
		switch {
		case err != nil: // it is gone, or something else is there
		case !schema.HasSum(now, l.SHA256) && !x.left[l.Path]:
			*x.found = append(*x.found, diag.Diagnostic{ID: foreignID, Severity: diag.Warning, Path: l.Path, Message: "the file was edited since it was exported, and no pack makes it now: it stays", Hint: "remove it when it is no longer needed"})
		default:
			if err := tx.Delete(l.Path); err != nil && !refused(err) {
				return fmt.Errorf("remove %s: %w", l.Path, err)
			}
		}
	}
	return nil
}

// putList writes the list for the next export.
func (x *writer) putList(tx *publish.Tx) error {
	slices.SortFunc(x.next, func(a, b listed) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(string(a.Kind), string(b.Kind)))
	})
	if len(x.next) == 0 && len(x.had.Files) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(list{1, x.next}, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", listFile, err)
	}
	if _, err := tx.PutFrom(publish.File{Path: listFile, Content: publish.Bytes(append(text, '\n')), Last: true}); err != nil {
		return fmt.Errorf("write %s: %w", listFile, err)
	}
	return nil
}

// follow returns the file or folder of the pack that a link in one of its files leads
// to; "" when there is none.
func (s *source) follow(from string, l markdown.Link) string {
	if l.Wiki {
		found, _, _ := s.table.Labelled(s.names, from, l.Dest, l.Fragment, l.Label)
		return found.Path
	}
	return s.table.Resolve(from, reference.Join(from, relink.PathOf(l.Dest))).Path
}

// carried reports whether an export may take a file that is not a page along: one that
// pages show, and no source, record or output.
func (s *source) carried(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return (top == "assets" || top == "documents" || top == "wiki") && path.Ext(name) != ".md" && !s.left[name] && (!s.public || s.canShow(name))
}

// canShow reports a file that may be on a site, where a browser opens it by its address.
func (s *source) canShow(name string) bool {
	if !packpath.CanShow(name) {
		return false
	}
	if !packpath.IsDrawing(name) {
		return true
	}
	f, _, err := s.pack.OpenFile(name)
	if err != nil {
		return false
	}
	defer f.Close()
	return packpath.RefuseDrawing(bufio.NewReader(f)) == nil
}

// elsewhere is the address of a text that an export has not.
func elsewhere(name, target string) string {
	return (&url.URL{Scheme: "knowledge", Host: name, Path: "/" + strings.TrimLeft(target, "/")}).String()
}

// moved says where files of a pack are in an export, by their path in the pack.
type moved map[string]string

// relink returns the edits that make the links of a document right at another path of an
// export. Links to what the export has not become addresses of the pack, whose name is
// given.
func (s *source) relink(doc *markdown.Document, to string, at moved, name string) []relink.Edit {
	return relink.Links(doc, func(l markdown.Link) (string, bool) {
		target := s.follow(doc.Path, l)
		if place, ok := at[target]; ok && target != "" {
			if _, asset := s.used[target]; asset {
				s.used[target] = true
			}
			return reference.Rewrite(to, l.Dest, place), true
		}
		if l.Wiki {
			return "", true
		}
		if target == "" {
			target = reference.Join(doc.Path, relink.PathOf(l.Dest))
			if !s.pack.Has(target) && !s.pack.HasDir(target) {
				return "", false // an address would name a text that no pack has
			}
		}
		if strings.HasPrefix(target, "..") {
			return "", false
		}
		return elsewhere(name, target), true
	})
}

// assets are the other files that pages lead to, in path order.
func (s *source) assets(pages []*page) []string {
	for _, p := range append([]*page{{path: s.guide.Path, doc: s.guide}}, pages...) {
		for _, l := range p.doc.Links {
			if !l.Wiki && relink.Outer(l.Dest) {
				continue
			}
			if target := s.follow(p.path, l); s.pack.Has(target) && s.carried(target) {
				s.used[target] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(s.used))
}

// anchorEdits turn the anchors of a document into text: what they name stays behind, and
// a pack that is made of the export must not refer to files that it has not.
func anchorEdits(doc *markdown.Document, write func(parts []markdown.Anchor, inner string) string) []relink.Edit {
	var edits []relink.Edit
	for i := 0; i < len(doc.Anchors); {
		start := doc.Anchors[i].Offset
		j := i
		for j < len(doc.Anchors) && doc.Anchors[j].Offset == start {
			j++
		}
		if n := bytes.IndexByte(doc.Text[start:], ']'); n > 0 {
			inner := string(doc.Text[start+1 : start+n])
			edits = append(edits, relink.Edit{Start: start, End: start + n + 1, Text: write(doc.Anchors[i:j], inner)})
		}
		i = j
	}
	return edits
}

// inParentheses writes an anchor as text.
func inParentheses(_ []markdown.Anchor, inner string) string { return "(" + inner + ")" }
