package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"syscall"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

func TestHintsForWordsOfOtherToolsNameVerbsThatExist(t *testing.T) {
	t.Parallel()
	verbs := map[string]bool{}
	for _, c := range newRoot(&app{}).Commands() {
		verbs[c.Name()] = true
	}
	named := regexp.MustCompile(`packgen ([a-z-]+)`)
	for word, hint := range meanings() {
		if verbs[word] {
			t.Errorf("%q is a verb: no hint is needed", word)
		}
		found := named.FindAllStringSubmatch(hint, -1)
		if len(found) == 0 {
			t.Errorf("the hint for %q names no verb", word)
		}
		for _, m := range found {
			if !verbs[m[1]] {
				t.Errorf("the hint for %q names %q, which is not a verb", word, m[1])
			}
		}
	}
}

// TestExitCodesOfErrors holds what an error makes of the exit code
// (agent-knowledge section 17.3).
func TestExitCodesOfErrors(t *testing.T) {
	at := func(err error) error {
		return fmt.Errorf("write public: %w", &os.PathError{Op: "open", Path: "public/index.json", Err: err})
	}
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"a full disk", at(syscall.ENOSPC), exitFindings},
		{"a read-only file system", at(syscall.EROFS), exitFindings},
		{"a full disk among other faults", errors.Join(errors.New("x"), at(syscall.ENOSPC)), exitFindings},
		{"a missing file", at(syscall.ENOENT), exitMisuse},
		{"wrong use", errors.New("unknown flag"), exitMisuse},
		{"a code of its own", fmt.Errorf("verify: %w", diag.WithClass(diag.Mismatch, at(syscall.EROFS))), exitMismatch},
	} {
		if got := codeOf(tt.err); got != tt.want {
			t.Errorf("%s: exit code %d, want %d", tt.name, got, tt.want)
		}
	}
}
