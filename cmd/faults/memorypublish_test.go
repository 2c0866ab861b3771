package faults_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/agent/doctor"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// refreshRuns is how many refreshes each of the writing processes makes.
const refreshRuns = 12

// A hook that reads while others refresh never sees half a file: it answers as
// from the old index or the new one, every time, and so does any reader of the
// JSON.
func TestFaultHooksAmongRefreshesSeeAWholeIndex(t *testing.T) {
	t.Parallel()
	dir, command := t.TempDir(), packgentest.Program(t, "packgen")
	home := filepath.Join(dir, "home")
	stores := []string{writeStore(t, filepath.Join(dir, "a"), 40), writeStore(t, filepath.Join(dir, "b"), 400)}
	run := func(input string, args ...string) (string, error) {
		cmd := exec.Command(command, args...)
		// The hook's own limit would hide a slow machine as silence.
		cmd.Env = append(os.Environ(), "HOME="+home, "NO_COLOR=1", "AI_LOADOUT_HOOK=", "AI_LOADOUT_MIN_SCORE=0.5")
		cmd.Stdin = strings.NewReader(input)
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		err := cmd.Run()
		if err != nil {
			err = fmt.Errorf("%w: %s", err, stderr.String())
		}
		return out.String(), err
	}
	for _, store := range stores {
		if out, err := run("", "memory", "publish", "--store", store); err != nil {
			t.Fatal(out, err)
		}
	}
	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for _, store := range stores {
		writers.Go(func() {
			for range refreshRuns {
				if out, err := run("", "memory", "publish", "--store", store); err != nil {
					t.Errorf("refresh: %v\n%s", err, out)
				}
			}
		})
	}
	index := filepath.Join(home, ".ai-loadout", "index.json")
	readers.Go(func() {
		for alive(done) {
			out, err := run(`{"prompt":"the zebra topic7"}`, "hook", "--time-limit", "60s")
			if text, ok := doctor.AddedContext(out); err != nil || !ok || !strings.Contains(text, "topic-7.md") || strings.Contains(text, stores[0]) == strings.Contains(text, stores[1]) {
				t.Errorf("the hook answers %q, %v", out, err)
				return
			}
		}
	})
	readers.Go(func() {
		for alive(done) {
			data, err := os.ReadFile(index)
			if err != nil {
				t.Error(err)
				return
			}
			ix, err := indexjson.Read(data)
			if err != nil || len(ix.Entries) != 40 && len(ix.Entries) != 400 {
				t.Errorf("the index has %d bytes: %v", len(data), err)
				return
			}
		}
	})
	writers.Wait()
	close(done)
	readers.Wait()
	if _, fast, err := indexfile.Open(index); err != nil || !fast {
		t.Errorf("index.bin is used: %t, %v", fast, err)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(index), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// alive reports whether a channel is still open.
func alive(done <-chan struct{}) bool {
	select {
	case <-done:
		return false
	default:
		return true
	}
}

// writeStore writes a store of that many topics.
func writeStore(t *testing.T, dir string, topics int) string {
	t.Helper()
	oktest.Check(t, os.MkdirAll(dir, 0o777))
	var list strings.Builder
	for i := range topics {
		fmt.Fprintf(&list, "- Topic %d — about %d → `topic-%d.md`\n", i, i, i)
		text := fmt.Sprintf("---\nid: topic-%d\nkeywords: [topic%d, zebra]\n---\nText.\n", i, i)
		oktest.Check(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("topic-%d.md", i)), []byte(text), 0o666))
	}
	oktest.Check(t, os.WriteFile(filepath.Join(dir, "MEMORY.md"), []byte(list.String()), 0o666))
	return dir
}
