package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// BenchmarkPeersPlan runs "packgen plan" and "ai-loadout resolve", whole
// processes in turn, over a stack of one layer with 10,000 entries, and reports
// the medians. PEERS names a node_modules folder that holds the original.
func BenchmarkPeersPlan(b *testing.B) {
	folder := os.Getenv("PEERS")
	if folder == "" {
		b.Skip("PEERS names no node_modules folder with @mcptoolshop/ai-loadout")
	}
	peer := filepath.Join(folder, ".bin", "ai-loadout")
	if _, err := os.Stat(peer); err != nil {
		b.Skipf("no original: %v", err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		b.Skipf("no Node: %v", err)
	}
	own := filepath.Join(b.TempDir(), "packgen")
	if out, err := exec.Command("go", "build", "-trimpath", "-o", own, ".").CombinedOutput(); err != nil {
		b.Fatalf("build packgen: %v\n%s", err, out)
	}
	dir := b.TempDir()
	task := layOutStack(b, dir, 10_000)
	commands := [][]string{
		{own, "plan", task},
		{own, "plan", "--json", task},
		{peer, "resolve", "--json"},
	}
	var wall, processor [3][]float64 // milliseconds
	for b.Loop() {
		for i, args := range commands {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "HOME="+dir, "AI_LOADOUT_ORG=", "AI_LOADOUT_SESSION=")
			start := time.Now()
			out, err := cmd.Output()
			wall[i] = append(wall[i], time.Since(start).Seconds()*1e3)
			if err != nil || len(out) == 0 {
				b.Fatalf("%s: %v, %d bytes", args[:2], err, len(out))
			}
			processor[i] = append(processor[i], (cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()).Seconds()*1e3)
		}
	}
	for i, name := range []string{"plan", "plan-json", "resolve"} {
		b.ReportMetric(median(wall[i]), name+"-ms")
		b.ReportMetric(median(processor[i]), name+"-cpu-ms")
	}
	b.ReportMetric(median(wall[0])/median(wall[2]), "plan/resolve")
	b.ReportMetric(median(wall[1])/median(wall[2]), "plan-json/resolve")
	b.ReportMetric(0, "ns/op")
}

// layOutStack writes a project layer of that many entries with 8 keywords each
// and returns a task of 12 words.
func layOutStack(b *testing.B, dir string, entries int) (task string) {
	r := rand.New(rand.NewPCG(1, uint64(entries)))
	words := make([]string, 5000)
	for i := range words {
		for range 4 + r.IntN(6) {
			words[i] += string(rune('a' + r.IntN(26)))
		}
	}
	pick := func(n int) []string {
		list := make([]string, n)
		for i := range list {
			list[i] = words[r.IntN(len(words))]
		}
		return list
	}
	ix := &loadout.Index{Version: loadout.Version, Generated: "2026-01-01T00:00:00.000Z"}
	for i := range entries {
		ix.Entries = append(ix.Entries, loadout.Entry{
			ID: fmt.Sprintf("entry-%d", i), Path: fmt.Sprintf("packs/p/compiled/splits/entry-%d.md", i),
			Keywords: pick(8), Priority: loadout.PriorityDomain, Summary: "What the entry says",
			Triggers: loadout.DefaultTriggers(), TokensEst: float64(100 + r.IntN(900)), Lines: 40,
		})
	}
	ix.Budget = loadout.ComputeBudget(ix.Entries)
	writeFiles(b, dir, map[string]string{".claude/loadout/index.json": string(indexjson.Write(ix))})
	return strings.Join(pick(12), " ")
}

// median is the middle of a list, the upper one of two.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}
