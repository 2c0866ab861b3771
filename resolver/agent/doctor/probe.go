package doctor

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/resolver/loadout"
)

// wasmAnswers is the digest of what the embedded WebAssembly matcher answers to
// the questions of matcherDigest. A test runs that module and keeps it true; the
// program itself has nothing to run WebAssembly with.
//
//go:embed matcheranswers.sum
var wasmAnswers string

// matchFunc answers a question as a matcher does: the results as JSON.
type matchFunc func(task string, o loadout.MatchOptions) (string, error)

// nativeMatch answers with the kernel of this program, from an index.bin as the
// browser does.
func nativeMatch(index []byte) (matchFunc, error) {
	m, err := loadout.OpenBinary(index)
	if err != nil {
		return nil, err
	}
	return func(task string, o loadout.MatchOptions) (string, error) {
		results, err := m.Match(task, o)
		return string(loadout.AppendResults(nil, results)), err
	}, nil
}

// probeIndex is an index that leads through every branch of the score: core,
// domain and manual entries, up to 13 keywords, so that a score is not a round
// number, patterns, phrases, other scripts.
func probeIndex() ([]byte, error) {
	words := strings.Fields("runner workflow release publish kettle descale cache deploy naïve größe 結果 ci api")
	ix := &loadout.Index{Version: loadout.Version}
	for n := range words {
		ix.Entries = append(ix.Entries, loadout.Entry{
			ID: fmt.Sprintf("probe-%d", n), Path: fmt.Sprintf("%d.md", n), Keywords: append([]string{words[n] + " " + words[(n+5)%len(words)]}, words[:n]...),
			Patterns: [][]string{nil, {"ci_pipeline"}, {"package_release", "runner"}}[n%3], Summary: words[n], TokensEst: float64(100 * n), Lines: n,
			Priority: []string{loadout.PriorityDomain, loadout.PriorityDomain, loadout.PriorityCore, loadout.PriorityDomain, loadout.PriorityManual}[n%5],
			Triggers: loadout.DefaultTriggers(),
		})
	}
	return loadout.Marshal(ix)
}

// probeTasks are asked in both dialects.
var probeTasks = [...]string{
	"", "runner", "the CI workflow publishes a release", "kettle descale", "descale the kettle, deploy the cache, call the API",
	"naïve größe 結果", "ci pipeline", "package release of the runner", "runner workflow release publish kettle descale cache deploy ci api",
	"nothing of this", "Runner-Workflow_RELEASE publish\tkettle\u00a0descale\u2028cache",
}

// matcherDigest asks a matcher all questions, at several thresholds, and returns
// the SHA-256 of its answers in hexadecimal.
func matcherDigest(match matchFunc) (string, error) {
	h := sha256.New()
	for _, task := range probeTasks {
		for _, dialect := range []loadout.Dialect{loadout.Coverage, loadout.Recall} {
			for _, floor := range []float64{0, loadout.DefaultMinScore, 1.0 / 3} {
				answer, err := match(task, loadout.MatchOptions{Dialect: dialect, MinScore: &floor})
				if err != nil {
					return "", fmt.Errorf("match %q: %w", task, err)
				}
				_, _ = io.WriteString(h, answer+"\n")
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
