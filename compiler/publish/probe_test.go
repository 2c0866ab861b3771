package publish

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
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
