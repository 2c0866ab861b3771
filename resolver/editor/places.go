package editor

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/resolver/repo"
)

// maxRepositories is how many directories are kept with the repository they are in.
const maxRepositories = 1000

// mdxEnding is the ending of Markdown with components, which a pack lists with ".md"
// appended.
const mdxEnding = ".mdx"

// where is where a file belongs.
type where struct {
	ws   *repo.Repo // of the repository; nil for a file of none
	dir  string     // of the pack, absolute; "" for a file of none
	path string     // in the pack
}

// settle finds the repositories of the folders that the editor has open.
func (s *session) settle(p *initializeParams) {
	uris := []string{p.RootURI}
	for _, f := range p.WorkspaceFolders {
		uris = append(uris, f.URI)
	}
	for _, uri := range uris {
		name, ok := fileOf(uri)
		if info, err := os.Stat(name); !ok || err != nil || !info.IsDir() {
			continue
		}
		if w := s.repositoryAt(name); !s.knows(w.Paths.Dir) {
			s.folders = append(s.folders, w)
		}
	}
	resources := p.Capabilities.Workspace.WorkspaceEdit.ResourceOperations
	for _, kind := range resources {
		s.renames = s.renames || kind == "rename"
	}
}

// knows reports whether a directory is that of a repository of the session.
func (s *session) knows(dir string) bool {
	for _, w := range s.folders {
		if w.Paths.Dir == dir {
			return true
		}
	}
	return false
}

// repositoryAt is the repository that a directory is in.
func (s *session) repositoryAt(dir string) *repo.Repo {
	if w := s.repositories[dir]; w != nil {
		return w
	}
	w := *s.folders[0]
	w.Find(dir)
	var found *repo.Repo
	for _, known := range s.folders {
		if known.Paths.Dir == w.Paths.Dir {
			found = known
		}
	}
	if found == nil {
		found = configured(&w)
	}
	if len(s.repositories) >= maxRepositories {
		clear(s.repositories)
	}
	s.repositories[dir] = found
	return found
}

// reload reads the configuration of all repositories again.
func (s *session) reload() {
	clear(s.repositories)
	for i, w := range s.folders {
		s.folders[i] = configured(w)
	}
	for name, d := range s.docs {
		d.where = s.locate(name)
	}
}

// configured is a repository with its configuration as it is now. It is another one: checks
// use the old one until they end.
func configured(w *repo.Repo) *repo.Repo {
	now := *w
	now.Policy, now.Documents = nil, nil
	_, _ = now.LoadConfig() // faults are findings of its file
	return &now
}

// candidates are the repositories that a file may belong to: the one it is in, then
// those that the editor has open, which may read its folder in place.
func (s *session) candidates(name string) []*repo.Repo {
	dir := filepath.Dir(name)
	own := s.repositoryAt(dir)
	if own.Paths.Dir == dir && !repo.Holds(dir, repo.ConfigName) && !repo.Holds(dir, ".git") {
		return s.folders // it is in no repository
	}
	return append([]*repo.Repo{own}, s.folders...)
}

// locate finds where a file belongs: in the pack around it, otherwise in one that reads
// its folder in place.
func (s *session) locate(name string) where {
	list := s.candidates(name)
	for _, w := range list {
		if dir := packAround(w.Paths.Dir, name); dir != "" {
			below, _ := below(dir, name)
			return where{w, dir, below}
		}
		if at := mappedAt(w, name); at.dir != "" {
			return at
		}
	}
	for _, w := range list {
		if _, ok := below(w.Paths.Dir, name); ok {
			return where{ws: w}
		}
	}
	return where{}
}

// below is the path of a file below a directory; false for one elsewhere.
func below(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// packAround is the directory of the pack that a file of a repository is in; "" for none.
func packAround(root, name string) string {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if _, ok := below(root, dir); !ok {
			return ""
		}
		if info, err := os.Lstat(filepath.Join(dir, pack.EntryName)); err == nil && info.Mode().IsRegular() {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// mappedAt is the pack that reads the folder of a file in place.
func mappedAt(w *repo.Repo, name string) where {
	for _, d := range w.Documents {
		rest, ok := below(w.Paths.Abs(d.From), name)
		if !ok {
			continue
		}
		if d.MDX && strings.HasSuffix(rest, mdxEnding) {
			rest += ".md"
		}
		return where{w, w.Paths.Abs(d.Pack), path.Join("documents", d.Below, rest)}
	}
	return where{}
}
