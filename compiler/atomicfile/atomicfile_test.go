package atomicfile

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
)

func TestWriteKeepsModeAndFollowsALink(t *testing.T) {
	dir := t.TempDir()
	real := filepath.Join(dir, "dotfiles", "settings.json")
	oktest.Check(t, os.MkdirAll(filepath.Dir(real), 0o777))
	oktest.Check(t, os.WriteFile(real, []byte("old"), 0o600))
	link := filepath.Join(dir, "settings.json")
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	oktest.Check(t, Write(link, []byte("new")))
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	data, err := os.ReadFile(real)
	if err != nil || string(data) != "new" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestACopyIsAsPrivateAsTheFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "settings.json")
	oktest.Check(t, os.WriteFile(name, []byte("mine"), 0o600))
	to, err := Backup(name, 1<<10)
	oktest.Check(t, err)
	if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", to, info.Mode(), err)
	}
}

func TestALinkThatLeadsToNoFileStays(t *testing.T) {
	link := filepath.Join(t.TempDir(), "settings.json")
	if err := os.Symlink("none/settings.json", link); err != nil {
		t.Skip(err)
	}
	if err := Write(link, []byte("new")); err == nil {
		t.Error("it was written to")
	}
	if to, err := os.Readlink(link); err != nil || to != "none/settings.json" {
		t.Errorf("the link is gone: %q, %v", to, err)
	}
}

func TestSweepTakesWhatKilledWritersLeft(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	keep := []string{"a.json", ".a.json.12.packgen", ".a.json.bak.9.packgen", ".a.json.x9.packgen", ".b.json.1.packgen", "a.json.1.packgen"}
	for _, name := range append(keep, ".a.json.1.packgen", ".a.json.4294967295.packgen") {
		full := filepath.Join(dir, name)
		oktest.Check(t, os.WriteFile(full, nil, 0o666))
		if name != ".a.json.12.packgen" { // somebody is writing this one
			oktest.Check(t, os.Chtimes(full, old, old))
		}
	}
	Sweep(filepath.Join(dir, "a.json"), filepath.Join(dir, "none", "a.json"))
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != len(keep) {
		t.Errorf("left: %v, %v", list, err)
	}
	for _, name := range keep {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestReadRefusesWhatIsNoFileOrTooLarge(t *testing.T) {
	dir := t.TempDir()
	if _, err := Read(dir, 10); err == nil {
		t.Error("a directory was read")
	}
	name := filepath.Join(dir, "a")
	oktest.Check(t, os.WriteFile(name, []byte("0123456789"), 0o666))
	var large *TooLargeError
	if _, err := Read(name, 9); !errors.As(err, &large) {
		t.Errorf("got %v", err)
	}
	if data, err := Read(name, 10); err != nil || len(data) != 10 {
		t.Errorf("got %q, %v", data, err)
	}
}

func TestReadersNeverSeeAPart(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	texts := [][]byte{bytes.Repeat([]byte("a"), 100_000), bytes.Repeat([]byte("b"), 150_000)}
	oktest.Check(t, Write(name, texts[0]))
	var writers sync.WaitGroup
	for _, text := range texts {
		writers.Go(func() {
			for range 30 {
				if err := Write(name, text); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		data, err := Read(name, 1<<20)
		if err != nil || !bytes.Equal(data, texts[0]) && !bytes.Equal(data, texts[1]) {
			t.Fatalf("read %d bytes, %v", len(data), err)
		}
		select {
		case <-done:
			left, err := filepath.Glob(filepath.Join(filepath.Dir(name), ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %q, %v", left, err)
			}
			return
		default:
		}
	}
}

func TestLockIsHeldByOne(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	unlock, err := Lock(t.Context(), name)
	oktest.Check(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := Lock(ctx, name); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the lock was taken twice: %v", err)
	}
	unlock()
	again, err := Lock(t.Context(), name)
	oktest.Check(t, err)
	again()
}

// A write leaves nothing of a writer of the same file that was killed.
func TestAWriteRemovesWhatAKilledWriterLeft(t *testing.T) {
	dir := t.TempDir()
	left := filepath.Join(dir, ".settings.json.123"+tempSuffix)
	for name, age := range map[string]time.Duration{left: 2 * sweepAge, filepath.Join(dir, ".settings.json.124"+tempSuffix): 0, filepath.Join(dir, ".other.json.123"+tempSuffix): 2 * sweepAge} {
		oktest.Check(t, os.WriteFile(name, []byte("half"), 0o666))
		then := time.Now().Add(-age)
		oktest.Check(t, os.Chtimes(name, then, then))
	}
	oktest.Check(t, Write(filepath.Join(dir, "settings.json"), []byte("{}")))
	if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
		t.Errorf("%v, %v", list, err)
	}
	if _, err := os.Stat(left); err == nil {
		t.Errorf("%s is left", left)
	}
}
