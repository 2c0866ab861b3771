package regularfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// reading are all ways to open what a path names.
var reading = map[string]func(name string) error{
	"Open":     func(name string) error { return fault(Open(name)) },
	"OpenFile": func(name string) error { return fault(OpenFile(name, os.O_RDONLY, 0)) },
	"OpenDir":  func(name string) error { return closed(OpenDir(name)) },
	"Root":     func(name string) error { return closed(Root(name)) },
	"Dir":      func(name string) error { return closed(Dir(filepath.Dir(name)).Open(filepath.Base(name))) },
	"in a Dir": func(name string) error { return closed(Dir(name).Open(".")) },
	"ReadFile": func(name string) error {
		_, err := fs.ReadFile(Dir(filepath.Dir(name)), filepath.Base(name))
		return err
	},
	"ReadDir": func(name string) error { _, err := fs.ReadDir(Dir(name), "."); return err },
}

// closed closes what was opened.
func closed[T interface{ Close() error }](f T, err error) error {
	if err == nil {
		err = f.Close()
	}
	return err
}

func TestNothingIsReadThroughALinkThatLeadsOut(t *testing.T) {
	repo, outside := checkout(t)
	if err := errors.Join(os.Symlink("dir", filepath.Join(repo, "twice")), os.WriteFile(filepath.Join(repo, "real", "own"), nil, 0o666),
		os.Symlink(filepath.Join("real", "own"), filepath.Join(repo, "inside"))); err != nil {
		t.Fatal(err)
	}
	for what, read := range reading {
		for _, name := range []string{"dir", "dir/sub", "real/dir", "file", "dir/file", "twice", "twice/file", "beside/dir/sub"} {
			if err := read(filepath.Join(repo, name)); !errors.Is(err, ErrOutside) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		for _, name := range []string{"real", "beside", "inside", "beside/own", "new", "none"} {
			if err := read(filepath.Join(repo, name)); errors.Is(err, ErrOutside) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
		if err := read(filepath.Join(outside, "file")); errors.Is(err, ErrOutside) {
			t.Errorf("%s of what the user names: %v", what, err)
		}
	}
	Allow(outside)
	defer func() { protected.allowed = nil }()
	if err := errors.Join(reading["Open"](filepath.Join(repo, "file")), reading["Root"](filepath.Join(repo, "dir"))); err != nil {
		t.Errorf("what the user allows: %v", err)
	}
}

func TestLinksOfAnExampleMayLeadIntoItsRepository(t *testing.T) {
	repo, _ := checkout(t)
	example := filepath.Join(repo, "real", "example")
	oktest.Check(t, errors.Join(os.Mkdir(example, 0o777), os.Symlink(filepath.Join(repo, "real"), filepath.Join(example, "up"))))
	Protect(example)
	if err := reading["Root"](filepath.Join(example, "up")); err != nil {
		t.Error(err)
	}
}

func TestWhatARepositoryNamesIsInside(t *testing.T) {
	repo, outside := checkout(t)
	for name, ok := range map[string]bool{
		repo: true, filepath.Join(repo, "none", "deep"): true, filepath.Join(repo, "beside", "none"): true,
		outside: false, filepath.Join(repo, "dir"): false, filepath.Join(repo, "dir", "none"): false, filepath.Join(repo, "..", "none"): false, repo + "2": false,
	} {
		if err := CheckInside(repo, name); ok != (err == nil) || !ok && !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingIsReadThroughALinkIntoGit(t *testing.T) {
	repo, _ := checkout(t)
	git := filepath.Join(repo, "real", ".git")
	if err := errors.Join(os.Mkdir(git, 0o777), os.WriteFile(filepath.Join(git, "config"), nil, 0o666),
		os.Symlink(filepath.Join("real", ".git"), filepath.Join(repo, "git")), os.Symlink(filepath.Join("real", ".git", "config"), filepath.Join(repo, "config")),
		os.Symlink("git", filepath.Join(repo, "again"))); err != nil {
		t.Fatal(err)
	}
	for what, read := range reading {
		for _, name := range []string{"git", "git/config", "config", "again/config", "beside/.git"} {
			if err := read(filepath.Join(repo, name)); !errors.Is(err, ErrOutside) {
				t.Errorf("%s of %s: %v", what, name, err)
			}
		}
	}
	if err := reading["Open"](filepath.Join(git, "config")); err != nil {
		t.Errorf("what git keeps, by its own name: %v", err)
	}
}

func TestNamesOfGit(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, "a/.GIT/config": true, ".git./x": true, ".git ": true, ".git::$INDEX_ALLOCATION": true, "git~1": true, "GIT~12/x": true, ".g\u200cit": true,
		"": false, ".github": false, ".gitignore": false, "git": false, "x.git": false, "git~": false, "git~x": false,
	} {
		if IsGit(filepath.FromSlash(name)) != want {
			t.Errorf("%q: not %t", name, want)
		}
	}
}
