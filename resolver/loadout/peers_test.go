package loadout_test

import (
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// peersVariable names a node_modules folder that holds the original.
const peersVariable = "PEERS"

// BenchmarkPeers matches the same tasks against the same index here and with
// the original, in turn, and reports how many times quicker this kernel is: the
// quickest round of each, since other work on the machine slows both.
func BenchmarkPeers(b *testing.B) {
	folder := os.Getenv(peersVariable)
	if folder == "" {
		b.Skip(peersVariable + " names no node_modules folder with @mcptoolshop/ai-loadout")
	}
	if _, err := os.Stat(filepath.Join(folder, "@mcptoolshop", "ai-loadout")); err != nil {
		b.Skipf("no original: %v", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		b.Skipf("no Node: %v", err)
	}
	for _, size := range []int{10_000, 100_000} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			ix, vocabulary := plainIndex(size)
			r := rand.New(rand.NewPCG(5, 5))
			var tasks []string
			for range 32 {
				tasks = append(tasks, strings.Join(loadout.Words(randomTask(r, vocabulary, 12)), " "))
			}
			theirs := timePeer(b, folder, ix, tasks)
			m := loadout.NewMatcher(ix)
			b.ResetTimer()
			ours := math.Inf(1) // the quickest round, as of the original
			for b.Loop() {
				start := time.Now()
				for _, task := range tasks {
					if _, err := m.Match(task, loadout.MatchOptions{}); err != nil {
						b.Fatal(err)
					}
				}
				ours = min(ours, float64(time.Since(start).Nanoseconds())/float64(len(tasks)))
			}
			b.ReportMetric(ours, "ns/match")
			b.ReportMetric(theirs, "peer-ns/match")
			b.ReportMetric(theirs/ours, "times-quicker")
		})
	}
}

// timePeer returns the mean time of one match of the original in nanoseconds.
func timePeer(b *testing.B, folder string, ix *loadout.Index, tasks []string) float64 {
	b.Helper()
	dir := b.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		oktest.Check(b, os.WriteFile(path, data, 0o644))
		return path
	}
	cmd := exec.Command("node", "testdata/peer.mjs", folder,
		write("index.json", indexjson.Write(ix)), write("tasks", []byte(strings.Join(tasks, "\n"))))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("run the original: %v", err)
	}
	return oktest.Value(strconv.ParseFloat(strings.TrimSpace(string(out)), 64))(b)
}
