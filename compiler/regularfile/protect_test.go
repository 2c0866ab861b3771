package regularfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

// checkout makes a protected repository with links to a directory and a file outside.
func checkout(t *testing.T) (repo, outside string) {
	t.Helper()
	dir := t.TempDir()
	repo, outside = filepath.Join(dir, "repo"), filepath.Join(dir, "outside")
	if err := errors.Join(os.MkdirAll(filepath.Join(repo, "real"), 0o777), os.MkdirAll(filepath.Join(outside, "sub"), 0o777),
		os.WriteFile(filepath.Join(outside, "file"), []byte("mine"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"dir": outside, "real/dir": outside, "file": filepath.Join(outside, "file"), "new": filepath.Join(outside, "none"), "beside": "real",
	} {
		if err := os.Symlink(to, filepath.Join(repo, name)); err != nil {
			t.Skip(err)
		}
	}
	Protect(repo)
	return repo, outside
}

// listing is what is below a directory.
func listing(t *testing.T, dir string) (list string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, _ := os.ReadFile(name)
			name += "=" + string(data)
		}
		list += name + "\n"
		return err
	})
	oktest.Check(t, err)
	return list
}

func TestNothingIsWrittenThroughALinkBelowARepository(t *testing.T) {
	repo, outside := checkout(t)
	before := listing(t, outside)
	write := map[string]func(name string) error{
		"MkdirAll":   func(name string) error { return MkdirAll(name, 0o777) },
		"MkdirTemp":  func(name string) error { _, err := MkdirTemp(name, "x"); return err },
		"CreateTemp": func(name string) error { _, err := CreateTemp(name, "x"); return err },
		"Create":     func(name string) error { _, err := Create(name, 0o666); return err },
		"WriteFile":  func(name string) error { return WriteFile(name, []byte("theirs"), 0o666) },
		"OpenFile":   func(name string) error { _, _, err := OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666); return err },
		"truncating": func(name string) error { _, _, err := OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0o666); return err },
		"Lock":       func(name string) error { return Lock(name).Lock() },
		"RLock":      func(name string) error { return Lock(name).RLock() },
		"TryLock":    func(name string) error { _, err := Lock(name).TryLock(); return err },
		"TryRLock":   func(name string) error { _, err := Lock(name).TryRLock(); return err },
		"TryLockContext": func(name string) error {
			_, err := Lock(name).TryLockContext(context.Background(), time.Second)
			return err
		},
	}
	for what, write := range write {
		for _, name := range []string{"dir", "file", "new", "beside", "dir/x", "real/dir/x", "real/dir/sub/x", "dir/sub", "beside/x"} {
			if err := write(filepath.Join(repo, filepath.FromSlash(name))); !errors.Is(err, ErrLink) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	change := map[string]func(name string) error{
		"Mkdir":       func(name string) error { return Mkdir(name, 0o777) },
		"Rename to":   func(name string) error { return Rename(filepath.Join(repo, "real"), name) },
		"Rename from": func(name string) error { return Rename(name, filepath.Join(repo, "x")) },
		"Remove":      Remove,
		"RemoveAll":   RemoveAll,
	}
	for what, change := range change {
		for _, name := range []string{"dir/file", "dir/sub", "real/dir/sub", "beside/x"} {
			if err := change(filepath.Join(repo, filepath.FromSlash(name))); !errors.Is(err, ErrLink) {
				t.Errorf("%s %s: %v", what, name, err)
			}
		}
	}
	if after := listing(t, outside); after != before {
		t.Errorf("outside is\n%s, was\n%s", after, before)
	}
	// A link that is removed or replaced leaves alone what it leads to.
	if err := errors.Join(Remove(filepath.Join(repo, "file")), RemoveAll(filepath.Join(repo, "dir"))); err != nil {
		t.Error(err)
	}
	if after := listing(t, outside); after != before {
		t.Errorf("outside is\n%s, was\n%s", after, before)
	}
}

// The way to a repository may lead through links, as do places outside of it and the files
// below the home directory.
func TestLinksElsewhereAreFollowed(t *testing.T) {
	repo, outside := checkout(t)
	dir := filepath.Dir(repo)
	oktest.Check(t, errors.Join(os.Symlink(repo, filepath.Join(dir, "way")), os.Symlink(outside, filepath.Join(dir, "dotfiles"))))
	Protect(filepath.Join(dir, "way"))
	for _, name := range []string{"way/real/x", "repo/real/y", "dotfiles/z", "dotfiles/file"} {
		if err := WriteFile(filepath.Join(dir, filepath.FromSlash(name)), nil, 0o666); err != nil {
			t.Error(err)
		}
	}
	if err := WriteFile(filepath.Join(dir, "way", "dir", "x"), nil, 0o666); !errors.Is(err, ErrLink) {
		t.Error(err)
	}
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	oktest.Check(t, os.Symlink(outside, filepath.Join(home, ".claude")))
	Protect(home)
	Protect(filepath.VolumeName(home) + string(filepath.Separator))
	if err := WriteFile(filepath.Join(home, ".claude", "settings.json"), nil, 0o666); err != nil {
		t.Error(err)
	}
}

// The error names the part of the path that is a link.
func TestTheErrorNamesTheLink(t *testing.T) {
	repo, outside := checkout(t)
	err := CheckWrite(filepath.Join(repo, "real", "dir", "sub", "x"))
	link := filepath.Join(repo, "real", "dir")
	if want := link + " is a symbolic link to " + outside + "; packgen writes through no link below a repository"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

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
