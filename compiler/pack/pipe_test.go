//go:build unix

package pack

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPipesAreRefusedAndNeverOpened(t *testing.T) {
	dir := write(t, map[string]string{"KNOWLEDGE.md": entryText, "link.md": "-> pipe.md"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o666); err != nil {
		t.Skip(err)
	}
	p, found := mustOpen(t, dir)
	want := []string{"link.md error special-file a device, pipe or socket cannot be part of a pack", "pipe.md error special-file a device, pipe or socket cannot be part of a pack"}
	if diff := cmp.Diff(want, lines(found)); diff != "" {
		t.Error(diff)
	}
	if _, err := p.ReadFile("pipe.md"); !errors.Is(err, errNotRegular) {
		t.Error(err)
	}
}
