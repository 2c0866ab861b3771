//go:build unix

package indexfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe in the place of index.words keeps nobody waiting for its writer.
func TestAPipeIsNotWaitedFor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(wordsPath(name)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(wordsPath(name), 0o666); err != nil {
		t.Skip(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := OpenWords(name)
		done <- err
	}()
	select {
	case err := <-done:
		if err == nil {
			t.Error("a pipe is used")
		}
	case <-time.After(30 * time.Second):
		t.Error("it waits for a writer")
	}
	if _, fast := first(t, name); !fast {
		t.Error("index.bin is not used in its place")
	}
}
