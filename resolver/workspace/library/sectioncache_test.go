package library

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// A build removes what a version before it has kept of a pack, which may hold what this
// one would not keep, and nothing else.
func TestWhatAnotherVersionKeptIsRemoved(t *testing.T) {
	for text, stays := range map[string]bool{"packgen sections 10\nsk_live": false, "packgen": false, "packgen sections 11\nx": true} {
		dir := t.TempDir()
		name := filepath.Join(dir, sectionsName)
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
		dropOldForm(dir)
		if _, err := os.Lstat(name); (err == nil) != stays {
			t.Errorf("%q stays: %t", text, !stays)
		}
	}
	dropOldForm(filepath.Join(t.TempDir(), "none"))
}
