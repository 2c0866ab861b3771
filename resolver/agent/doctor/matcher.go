package doctor

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

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
