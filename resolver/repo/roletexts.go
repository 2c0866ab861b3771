package repo

import (
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/regularfile"
	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/escape"
)

// roleTexts makes the texts of packs fit for an agent that boots a role: one that is a pack,
// or links into one.
type roleTexts struct {
	w     *Repo
	packs *Packs // with the results of this run; nil: packs are read as they are on disk

	lock  sync.Mutex
	known map[string]*context.Renderer // by the directory of the pack; nil for one that cannot be read
	dirs  map[string]bool              // directories that were looked at, and whether they are of packs
}

func (w *Repo) roleTexts(packs *Packs) *roleTexts {
	return &roleTexts{w: w, packs: packs, known: map[string]*context.Renderer{}, dirs: map[string]bool{}}
}

// render returns the text of a file as an agent is to read it. What is in no pack is the
// words of whoever made the role, and stays as it is.
func (t *roleTexts) render(file string, text []byte) []byte {
	t.lock.Lock()
	defer t.lock.Unlock()
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		r, known := t.known[dir]
		if !known {
			r = t.open(dir)
			if r != nil || t.packs == nil {
				t.known[dir] = r
			}
		}
		if r != nil {
			return renderWith(r, dir, file, text)
		}
		is, asked := t.dirs[dir]
		if !asked {
			is = isPack(dir)
			t.dirs[dir] = is
		}
		if is { // one that cannot be opened says nothing of its claims
			return []byte(escape.Text(string(text)))
		}
		if dir == filepath.Dir(dir) {
			return text
		}
	}
}

// renderWith renders a file of a pack.
func renderWith(r *context.Renderer, dir, file string, text []byte) []byte {
	rel, err := filepath.Rel(dir, file)
	if err != nil {
		return []byte(escape.Text(string(text)))
	}
	name := filepath.ToSlash(rel)
	switch top, _, _ := strings.Cut(name, "/"); top {
	case "documents", "wiki", "compiled", pack.EntryName:
		return r.Text(strings.TrimSuffix(name, ".min"), text)
	}
	return []byte(escape.Text(string(text))) // a skill is what its author says to an agent, but hides nothing either
}

// isPack reports a directory with the entry of a pack.
func isPack(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, pack.EntryName))
	return err == nil
}

// open returns the renderer of the pack in a directory; nil where there is no pack.
func (t *roleTexts) open(dir string) *context.Renderer {
	if t.packs != nil {
		for _, m := range t.packs.Members {
			if m.Pack != nil && m.Last() != nil && t.w.Paths.Abs(m.Dir) == dir {
				return context.NewRenderer(m.Pack, m.Doubts())
			}
		}
		return nil
	}
	if !isPack(dir) {
		return nil
	}
	r, err := context.OpenRenderer(regularfile.Dir(dir), dir)
	if err != nil {
		return nil
	}
	return r
}
