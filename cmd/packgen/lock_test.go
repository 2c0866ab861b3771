package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// list, update and remove are the lock as people know it; a trial changes nothing.
func TestLockIsListedUpdatedAndReduced(t *testing.T) {
	t.Parallel()
	source, reader, env := crashRepository(t), t.TempDir(), cacheOf(t)
	packgen := func(want int, dir string, args ...string) string {
		t.Helper()
		got, stdout, stderr := runIn(t, env, append([]string{"-C", dir}, args...)...)
		if got != want {
			t.Errorf("packgen %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, stdout, stderr)
		}
		return stdout + stderr
	}
	archive := filepath.Join(reader, "p.tar.gz")
	lock := func() string {
		data, _ := os.ReadFile(filepath.Join(reader, "packgen.lock")) // there may be none
		return string(data)
	}
	packgen(exitDone, source, "pack", "p", "--out", archive)
	packgen(exitDone, reader, "pull", "p.tar.gz")
	if out := packgen(exitDone, reader, "lock", "list"); !strings.Contains(out, "p.tar.gz") {
		t.Error(out)
	}
	if out := packgen(exitDone, reader, "lock", "update"); out != "packgen.lock holds what its references mean now.\n" {
		t.Error(out)
	}
	writeText(t, filepath.Join(source, "packs/p/wiki/b.md"), "# B\n\n"+strings.Repeat("Another, much longer text.\n", 100))
	packgen(exitDone, source, "pack", "p", "--out", archive)
	before := lock()
	trial := packgen(exitDone, reader, "lock", "update", "--dry-run")
	if lock() != before || !strings.Contains(trial, "| p | ") || strings.Count(trial, " → ") != 2 || !strings.Contains(trial, "| p.tar.gz |") {
		t.Errorf("%s", trial)
	}
	if out := packgen(exitDone, reader, "lock", "update", "p"); out != trial || lock() == before {
		t.Errorf("%s", out)
	}
	if out := packgen(exitDone, reader, "lock", "update", "--json"); !strings.Contains(out, `"command": "lock update"`) || !strings.Contains(out, `"summary": `) {
		t.Error(out)
	}
	before = lock()
	packgen(exitMisuse, reader, "lock", "remove", "q")
	packgen(exitMisuse, reader, "lock", "remove")
	packgen(exitDone, reader, "lock", "remove", "p", "--dry-run")
	if lock() != before {
		t.Error("a trial or a mistake changed the lock")
	}
	packgen(exitDone, reader, "lock", "remove", "p")
	if out := packgen(exitDone, reader, "lock", "list", "--json"); !strings.Contains(out, `"references": []`) {
		t.Error(out)
	}
	packgen(exitMisuse, reader, "lock", "update")
}
