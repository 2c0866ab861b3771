package doctor

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/resolver/agent/hook"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/indexfile"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
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

// Trial is the outcome of hook test (loadout section 25).
type Trial struct {
	Ran               bool    `json:"ran"`
	ExitCode          int     `json:"exitCode"`
	Stdout            string  `json:"stdout"`
	Stderr            string  `json:"stderr"`
	Injected          bool    `json:"injected"`
	AdditionalContext *string `json:"additionalContext"`
	Note              string  `json:"note"`
}

// TryHook runs the hook on a prompt that is submitted in a directory, "" for none, in
// a home directory of its own, which holds a copy of an index and is removed
// afterwards.
func TryHook(index, dir, prompt string, o hook.Options) (*Trial, error) {
	temp, err := scratch.NewDir("hook")
	if err != nil {
		return nil, err
	}
	defer temp.Remove()
	home := temp.Path
	if err := copyIndex(index, hook.IndexPath(home)); err != nil {
		return nil, err
	}
	var stdout, stderr strings.Builder
	o.Home, o.Stdin, o.Stdout, o.Stderr = home, strings.NewReader(hookEvent(dir, prompt)), &stdout, &stderr
	o.Lookup = func(name string) (string, bool) {
		if name == hook.Variable {
			return "debug", true
		}
		return os.LookupEnv(name)
	}
	hook.Run(o)
	r := &Trial{Ran: true, Stdout: stdout.String(), Stderr: stderr.String(), Note: "the hook had nothing to say"}
	if !strings.Contains(r.Stderr, hook.Opened) {
		r.Note = "there is no index; run packgen build for packs, packgen rules split --as lazy for rules, or packgen memory publish for memories"
	} else if strings.Contains(r.Stderr, hook.OverTime) {
		r.Note = "the hook reached its time limit; packgen doctor says how long it takes"
	}
	if text, ok := AddedContext(r.Stdout); ok {
		r.Injected, r.AdditionalContext, r.Note = true, &text, "the prompt would be given this context"
	}
	return r, nil
}

// hookEvent is the event of a prompt as an agent sends it.
func hookEvent(dir, prompt string) string {
	return `{"session_id":"hook-test","hook_event_name":"UserPromptSubmit","cwd":` + string(loadout.AppendString(nil, dir)) + `,"prompt":` + string(loadout.AppendString(nil, prompt)) + `}`
}

// AddedContext takes the context out of what the hook printed.
func AddedContext(stdout string) (string, bool) {
	v, err := indexjson.Parse([]byte(stdout))
	if err != nil {
		return "", false
	}
	return v.Get("hookSpecificOutput").Get("additionalContext").Str()
}

// copyIndex copies an index.json and makes what belongs beside it. An index that
// is absent is not an error, and neither is one that is broken.
func copyIndex(from, to string) error {
	text, err := atomicfile.Read(from, indexjson.MaxIndex)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := indexfile.Build(text); err != nil {
		return atomicfile.Write(to, text)
	}
	return indexfile.Write(to, text)
}

const (
	// maxManifest is the largest manifest of a site that is read, and maxSiteFile
	// the largest of the files that are compared with it, in bytes.
	maxManifest = 256 << 20
	maxSiteFile = indexjson.MaxIndex
	// indexTrials is how many entries an index is asked about.
	indexTrials = 50

	newInstallHint = "reinstall packgen: this build is damaged, or its processor rounds differently"
	buildHint      = "run packgen build"
)

// matcherAgrees says whether the matcher that sites publish, compiled to
// WebAssembly, and this program give the same answers. There is nothing here that
// runs WebAssembly; what the module answers to a set of questions was noted when
// packgen was tested.
func (p *patient) matcherAgrees() Check {
	const id = "wasm-agrees"
	packed, err := p.asked.Matcher()
	if err != nil {
		return failed(id, newInstallHint, "the matcher for the browser cannot be used: %v", err)
	}
	switch own, err := ownAnswers(); {
	case err != nil:
		return failed(id, newInstallHint, "the matcher cannot be tried: %v", err)
	case own != strings.TrimSpace(wasmAnswers):
		return failed(id, newInstallHint, "this program and the matcher for the browser answer differently")
	}
	return passed(id, "this program answers as the matcher for the browser does (%s, %s)", filepath.Base(packed.Path), amount.Size(packed.Size))
}

// ownAnswers is the digest of what this program answers.
func ownAnswers() (string, error) {
	index, err := probeIndex()
	if err != nil {
		return "", err
	}
	match, err := nativeMatch(index)
	if err != nil {
		return "", err
	}
	return matcherDigest(match)
}

// siteAgrees says whether the site of this repository is one that this program
// would publish: its matcher is the one embedded here, and its index.bin belongs
// to its index.json and to its manifest.
func (p *patient) siteAgrees() Check {
	const id = "site-agrees"
	if p.unread != nil {
		return warned(id, "correct packgen.yaml", "the site cannot be looked for: %v", p.unread)
	}
	out := p.ws.Paths.Abs(p.ws.Config.Out)
	shown := p.ws.Paths.Rel(out)
	sums, err := siteSums(filepath.Join(out, schema.SiteManifestName))
	if errors.Is(err, fs.ErrNotExist) {
		if !p.ws.HasPacks() {
			return skipped(id, "", "no pack of this repository makes a site")
		}
		return skipped(id, "run packgen build to make one", "no site at %s to compare with", shown)
	}
	if err != nil {
		return failed(id, buildHint, "the site at %s cannot be read: %v", shown, err)
	}
	packed, err := p.asked.Matcher()
	if err != nil {
		return failed(id, newInstallHint, "the matcher for the browser cannot be used: %v", err)
	}
	if _, ok := sums[packed.Path]; !ok {
		return warned(id, buildHint, "the site at %s has another matcher than this program", shown)
	}
	for _, name := range []string{packed.Path, "index.json", "index.bin"} {
		data, err := atomicfile.Read(filepath.Join(out, filepath.FromSlash(name)), maxSiteFile)
		if err != nil {
			return failed(id, buildHint, "the site at %s cannot be read: %v", shown, err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != sums[name] {
			return failed(id, buildHint, "%s of the site at %s is not what its manifest says", name, shown)
		}
	}
	task, err := p.sameAnswers(filepath.Join(out, "index.bin"), filepath.Join(out, "index.json"))
	if err != nil {
		return failed(id, buildHint, "the index of the site at %s cannot be used: %v", shown, err)
	}
	if task != "" {
		return failed(id, buildHint, "index.bin and index.json of the site at %s answer differently to %q", shown, task)
	}
	return passed(id, "the site at %s has this program's matcher, and an index that answers alike in both forms", shown)
}

// siteSums reads the digests of a site's files from its manifest.
func siteSums(name string) (map[string]string, error) {
	text, err := atomicfile.Read(name, maxManifest)
	if err != nil {
		return nil, err
	}
	var m struct {
		Files []struct {
			Path   string `json:"path"`
			SHA256 string `json:"sha256"`
		} `json:"files"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(name), err)
	}
	sums := map[string]string{}
	for _, f := range m.Files {
		sums[f.Path] = f.SHA256
	}
	return sums, nil
}

// sameAnswers asks two forms of an index about the keywords of its entries, and
// returns the first task that they answer differently; "" when there is none.
func (p *patient) sameAnswers(bin, text string) (task string, err error) {
	x, err := repo.ReadIndex(p.ws.Paths, bin)
	if err != nil {
		return "", err
	}
	y, err := repo.ReadIndex(p.ws.Paths, text)
	if err != nil {
		return "", err
	}
	if len(x.Entries) != len(y.Entries) {
		return fmt.Sprintf("%d and %d entries", len(x.Entries), len(y.Entries)), nil
	}
	match := func(task string, o loadout.MatchOptions) ([]loadout.Result, error) { return loadout.Match(task, x, o) }
	task, _ = differs(match, y, loadout.Coverage, loadout.Recall)
	return task, nil
}

// differs returns the first task that a matcher answers differently than an index.
func differs(match func(task string, o loadout.MatchOptions) ([]loadout.Result, error), ix *loadout.Index, dialects ...loadout.Dialect) (task string, found bool) {
	for i := range ix.Entries[:min(len(ix.Entries), indexTrials)] {
		task := strings.Join(ix.Entries[i].Keywords, " ")
		for _, dialect := range dialects {
			o := loadout.MatchOptions{Dialect: dialect}
			one, err1 := match(task, o)
			other, err2 := loadout.Match(task, ix, o)
			if errors.Join(err1, err2) != nil || string(loadout.AppendResults(nil, one)) != string(loadout.AppendResults(nil, other)) {
				return task, true
			}
		}
	}
	return "", false
}
