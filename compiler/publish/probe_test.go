package publish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// Targets that do not exist yet may be published below one directory at once.
func TestTargetsWithOneParentAreProbedAtOnce(t *testing.T) {
	parent := t.TempDir()
	publish := func(target, state string) error {
		tx, err := Begin(context.Background(), Options{Target: target, StateDir: state})
		if err != nil {
			return err
		}
		if _, err := tx.Put("a.txt", []byte("a\n")); err != nil {
			return err
		}
		_, err = tx.Commit()
		return err
	}
	for round := range 20 {
		var wg sync.WaitGroup
		errs := make([]error, 8)
		for i := range errs {
			wg.Go(func() {
				target := filepath.Join(parent, fmt.Sprint(round), fmt.Sprint(i))
				errs[i] = publish(target, filepath.Join(target, ".state"))
			})
		}
		wg.Wait()
		for i, err := range errs {
			if err != nil {
				t.Fatalf("round %d, target %d: %v", round, i, err)
			}
		}
	}
}

// A directory without a file does not stop a commit half-way.
func TestHollowDirectoriesMakeRoomForFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "target")
	for _, name := range []string{"a.txt", "b.txt/c/d", "b.txt/e"} {
		oktest.Check(t, os.MkdirAll(filepath.Join(dir, name), 0o777))
	}
	tx := oktest.Value(Begin(context.Background(), Options{Target: dir, StateDir: filepath.Join(t.TempDir(), "state")}))(t)
	want := map[string]string{"a.txt": "a\n", "b.txt": "b\n"}
	for name, text := range want {
		if _, err := tx.Put(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}
