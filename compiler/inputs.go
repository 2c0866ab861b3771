package compiler

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/store"
)

// input is a file that the compile read: its hash, and what anchors that point
// at it need.
type input struct {
	sha256 string
	lines  int               // 0 for a file that is too large to be read
	ids    map[string]bool   // section ids of a Markdown file
	spans  map[string]string // SHA-256 of the cited places, by fragment
	diags  []diag.Diagnostic // what the scans found, of one that is not a unit
}

// isInput reports whether a path is an input of a compile (agent-knowledge
// section 9).
func isInput(name string) bool {
	return name == entryFile || strings.Contains(name, "/") && pack.LayerOf(name).IsInput()
}

// maxRead is the largest file in bytes that is read into memory. A larger input
// is only hashed: nothing can be cited from it.
const maxRead = pack.MaxFileSize

// The paths of a pack that compile knows by name.
const (
	entryFile     = pack.EntryName
	indexPath     = pack.IndexPath
	sourceMapPath = pack.SourceMapPath
	splitsDir     = pack.SplitsDir + "/"
	runsDir       = string(pack.Runs)
)

// isMarkdown reports the exact ending ".md": any other file is a plain input.
func isMarkdown(name string) bool { return path.Ext(name) == ".md" }

// isUnit reports whether a file is read as a unit.
func isUnit(name string) bool {
	return isMarkdown(name) && (strings.HasPrefix(name, "documents/") || strings.HasPrefix(name, "wiki/"))
}

// readOthers reads every file of the pack that is not a unit and that compile does
// not make: it hashes them and scans their texts. Files too large to be read, or
// not text, are only hashed.
func (m *material) readOthers(ctx context.Context) error {
	var list []pack.File
	for _, f := range m.pack.Files {
		if !pack.LayerOf(f.Path).IsOutput() && !isUnit(f.Path) && f.Path != entryFile {
			list = append(list, f)
		}
	}
	read := make([]input, len(list))
	err := m.parallel(ctx, len(list), func(i int) error { return m.readOther(list[i], &read[i]) })
	if err != nil {
		return err
	}
	for i, f := range list {
		m.found = append(m.found, read[i].diags...)
		if isInput(f.Path) {
			m.inputs[f.Path] = &read[i]
		}
	}
	return nil
}

// readOther hashes a file and scans its text, or takes the result from
// the store.
func (m *material) readOther(f pack.File, in *input) (err error) {
	n := m.cache
	if f.Size > maxRead {
		if in.sha256 = n.sum(f).String(); in.sha256 == "" {
			return fmt.Errorf("read %s: it cannot be read", f.Path)
		}
		return nil
	}
	if sum := n.known(f); sum.Known() && in.recall(n, f.Path, sum) {
		return nil
	}
	data, err := m.pack.ReadFile(f.Path)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	sum := store.Sum(data)
	n.learn(f.Path, sum)
	if in.recall(n, f.Path, sum) {
		return nil
	}
	in.sha256, in.lines = sum.String(), countLines(data)
	in.diags = append(scanText(f.Path, data).Diagnostics, checkLayer(f.Path, data)...)
	if !slices.ContainsFunc(in.diags, Withheld) {
		w := store.NewWriter(64)
		w.Uint(in.lines)
		w.Findings(in.diags)
		store.Keep(n.store, n.sourceKey(f.Path, sum), w)
	}
	return nil
}

// sourceKey is the key of the scan of a file that is not a unit.
func (n *cache) sourceKey(path string, sum store.Digest) store.Digest {
	return store.Key("source", Version, Program(), path, string(sum[:]))
}

// recall fills in what the store knows of a file with those bytes.
func (in *input) recall(n *cache, path string, sum store.Digest) bool {
	var known input
	if !store.Recall(n.store, n.sourceKey(path, sum), func(x *store.Reader) { known.lines, known.diags = x.Uint(), x.Findings() }) {
		return false
	}
	*in = known
	in.sha256 = sum.String()
	return true
}

func sectionIDs(doc *markdown.Document) map[string]bool {
	ids := make(map[string]bool, len(doc.Headings))
	for _, h := range doc.Headings {
		ids[h.ID] = true
	}
	return ids
}
