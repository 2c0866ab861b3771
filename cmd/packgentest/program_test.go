package packgentest

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestAProgramIsBuiltOnceForAll(t *testing.T) {
	root := t.TempDir()
	var built atomic.Int32
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			path, err := kept(root, "key", "packgen", func(to string) error {
				built.Add(1)
				return os.WriteFile(to, []byte("program"), 0o777)
			})
			if data, read := os.ReadFile(path); err != nil || read != nil || string(data) != "program" {
				t.Errorf("%s, %v, %v", path, err, read)
			}
		})
	}
	running.Wait()
	if n := built.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestABuildThatFailsIsTriedAgain(t *testing.T) {
	root := t.TempDir()
	built := 0
	for _, want := range []error{errors.New("it does not compile"), nil} {
		_, err := kept(root, "key", "packgen", func(to string) error {
			built++
			return errors.Join(want, os.WriteFile(to, nil, 0o777))
		})
		if !errors.Is(err, want) || want == nil && built != 2 {
			t.Errorf("%v, want %v; built %d times", err, want, built)
		}
	}
}

func TestProgramsThatNobodyUsesAreRemoved(t *testing.T) {
	root := t.TempDir()
	build := func(to string) error { return os.WriteFile(to, nil, 0o777) }
	old := time.Now().Add(-2 * unused)
	for _, key := range []string{"used", "left"} {
		if _, err := kept(root, key, "packgen", build); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(root, key), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := holds.locks[len(holds.locks)-1].Unlock(); err != nil {
		t.Fatal(err)
	}
	if _, err := kept(root, "new", "packgen", build); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"used": true, "left": false, "new": true} {
		if _, err := os.Stat(filepath.Join(root, key, "packgen")); (err == nil) != want {
			t.Errorf("%s is kept: %t", key, err == nil)
		}
	}
}

func TestProgramsMayLieInAFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PACKGEN_BIN", dir)
	if _, err := find("packgen"); err == nil {
		t.Error("a program that does not exist is found")
	}
	if err := os.WriteFile(filepath.Join(dir, "packgen"), nil, 0o777); err != nil {
		t.Fatal(err)
	}
	if path, err := find("packgen"); err != nil || path != filepath.Join(dir, "packgen") {
		t.Errorf("%s, %v", path, err)
	}
	t.Setenv("PACKGEN_BIN", "bin")
	if _, err := find("packgen"); err == nil {
		t.Error("a path that depends on the package is accepted")
	}
}
