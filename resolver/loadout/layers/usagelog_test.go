package layers_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/layers"
)

// writerVariable makes the test binary a writer of the log it names.
const writerVariable = "PACKGEN_TEST_USAGE_WRITER"

const (
	writers        = 6
	eventsByWriter = 150
)

func TestMain(m *testing.M) {
	if spec := os.Getenv(writerVariable); spec != "" {
		if err := writeEvents(spec); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// writeEvents is one writing process: spec is its name, a colon, and the log.
func writeEvents(spec string) error {
	name, path, _ := strings.Cut(spec, ":")
	log := layers.Log{Path: path, RotateAt: -1}
	for i := range eventsByWriter {
		e := loadout.Event{EntryID: fmt.Sprintf("%s-%d", name, i), Trigger: strings.Repeat("x", 300), Mode: "lazy"}
		if err := log.Append(context.Background(), &e); err != nil {
			return err
		}
	}
	return nil
}

// Many processes write at once: no event is lost, none is torn.
func TestUsageLogWithManyProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.jsonl")
	var running []*exec.Cmd
	for i := range writers {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=w%d:%s", writerVariable, i, path))
		cmd.Stderr = os.Stderr
		oktest.Check(t, cmd.Start())
		running = append(running, cmd)
	}
	for _, cmd := range running {
		oktest.Check(t, cmd.Wait())
	}
	events, skipped, err := layers.Log{Path: path}.Read()
	if err != nil || skipped != 0 {
		t.Fatalf("%d lines skipped, error %v", skipped, err)
	}
	seen := map[string]bool{}
	for _, e := range events {
		seen[e.EntryID] = true
	}
	if want := writers * eventsByWriter; len(events) != want || len(seen) != want {
		t.Errorf("%d events, %d distinct, want %d", len(events), len(seen), want)
	}
}

func TestUsageLogIsSetAsideBySize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.jsonl")
	log := layers.Log{Path: path, RotateAt: 1000}
	const total = 25
	for i := range total {
		oktest.Check(t, log.Append(context.Background(), &loadout.Event{EntryID: fmt.Sprint(i), Timestamp: layers.Stamp(time.Unix(0, 0)), TaskHash: "unknown"}))
	}
	for _, name := range []string{path, path + ".1"} {
		info, err := os.Stat(name)
		if err != nil || info.Size() == 0 || info.Size() > 1200 {
			t.Errorf("%s: %v, error %v", name, info, err)
		}
	}
	events, _, err := log.Read()
	if err != nil || len(events) < 8 {
		t.Fatalf("%d events, error %v", len(events), err)
	}
	for i, e := range events {
		if want := fmt.Sprint(total - len(events) + i); e.EntryID != want {
			t.Errorf("event %d is %s, want %s: the newest, in order", i, e.EntryID, want)
		}
	}
}

// A writer that was killed leaves half a line. The next writer does not add to
// it, and a reader loses that line alone.
func TestTornLastLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.jsonl")
	oktest.Check(t, os.WriteFile(path, []byte("{\"entryId\":\"a\"}\n{\"entryId\":\"to"), 0o644))
	log := layers.Log{Path: path}
	oktest.Check(t, log.Append(context.Background(), &loadout.Event{EntryID: "b"}))
	events, skipped, err := log.Read()
	if err != nil || skipped != 1 || len(events) != 2 || events[0].EntryID != "a" || events[1].EntryID != "b" {
		t.Errorf("events %v, %d skipped, error %v", events, skipped, err)
	}
}

func TestReadUsageOfOddContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "usage.jsonl")
	text := "\ufeff{\"entryId\":\"bom\"}\r\n\x00\x01\xff\n5\nnull\n[]\n\n{\"entryId\":\"future\",\"timestamp\":\"9999-01-01T00:00:00.000Z\"}\n{\"entryId\":7}\n{\"entryId\":\"big\",\"tokensEst\":1e999}\n"
	oktest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	events, skipped, err := layers.Log{Path: path}.Read()
	if err != nil || skipped != 6 || len(events) != 2 || events[0].EntryID != "bom" {
		t.Errorf("%d events, %d skipped, error %v", len(events), skipped, err)
	}
	loadout.AppendSummaries(nil, loadout.Summarize(events))
}

func TestLogErrors(t *testing.T) {
	dir := t.TempDir()
	missing := layers.Log{Path: filepath.Join(dir, "none", "usage.jsonl")}
	if err := missing.Append(context.Background(), &loadout.Event{}); err == nil {
		t.Error("a missing directory is made")
	}
	if events, skipped, err := missing.Read(); len(events) != 0 || skipped != 0 || err != nil {
		t.Errorf("missing log: %v, %d, %v", events, skipped, err)
	}
	if _, _, err := (layers.Log{Path: dir}).Read(); err == nil {
		t.Error("a directory is read")
	}
}

// Whatever a line holds, an event that is read has words and figures.
func TestEventsAreReadWithTheTypesThatTheyHave(t *testing.T) {
	name := filepath.Join(t.TempDir(), "usage.jsonl")
	text := `{"entryId":"a","tokensEst":{}}` + "\n" + `{"entryId":"a","tokensEst":3,"trigger":7,"mode":null,"timestamp":[]}` + "\n"
	oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
	events, skipped, err := layers.Log{Path: name}.Read()
	if err != nil || skipped != 0 || len(events) != 2 {
		t.Fatalf("%d events, %d skipped, %v", len(events), skipped, err)
	}
	s := loadout.Summarize(events)[0]
	if got := string(loadout.AppendSummaries(nil, []loadout.Summary{s})); s.TotalTokens != 3 || strings.Contains(got, "null") || !strings.Contains(got, `["unknown"]`) {
		t.Errorf("%s", got)
	}
}
