package loadout_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexjson"
)

// peersVariable names a node_modules folder that holds the original.
const peersVariable = "PEERS"

// peerScript times the original's matchLoadout over the tasks of a file and
// prints the mean in nanoseconds.
const peerScript = `
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [folder, indexFile, taskFile] = process.argv.slice(2);
const require = createRequire(folder + "/x.js");
const kernel = await import(pathToFileURL(require.resolve("@mcptoolshop/ai-loadout")));
const index = JSON.parse(readFileSync(indexFile, "utf8"));
const tasks = readFileSync(taskFile, "utf8").split("\0");
for (const task of tasks) kernel.matchLoadout(task, index);
const rounds = 5;
const start = process.hrtime.bigint();
for (let i = 0; i < rounds; i++) for (const task of tasks) kernel.matchLoadout(task, index);
console.log(Number(process.hrtime.bigint() - start) / (rounds * tasks.length));
`

// BenchmarkPeers matches the same tasks against the same index here and with
// the original, in turn, and reports how many times quicker this kernel is.
func BenchmarkPeers(b *testing.B) {
	folder := os.Getenv(peersVariable)
	if folder == "" {
		b.Skip("PEERS names no node_modules folder with @mcptoolshop/ai-loadout")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		b.Fatal(err)
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
			for i := 0; b.Loop(); i++ {
				if _, err := m.Match(tasks[i%len(tasks)], loadout.MatchOptions{}); err != nil {
					b.Fatal(err)
				}
			}
			ours := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
			b.ReportMetric(theirs, "peer-ns/op")
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
		if err := os.WriteFile(path, data, 0o644); err != nil {
			b.Fatal(err)
		}
		return path
	}
	cmd := exec.Command("node", write("peer.mjs", []byte(peerScript)), folder,
		write("index.json", indexjson.Write(ix)), write("tasks", []byte(strings.Join(tasks, "\x00"))))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("run the original: %v", err)
	}
	mean, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	return mean
}
