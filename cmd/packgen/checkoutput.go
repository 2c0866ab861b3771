package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/resolver/workspace"
)

// writeOutput writes the report to the file of --output. A relative path stays
// below the repository root (agent-knowledge section 18.1); an absolute one is
// the caller's word that it may be written. Nothing but an earlier report is
// overwritten, and nothing is written where packs, git or packgen keep theirs.
func (r *checkReport) writeOutput() error {
	name := r.f.output
	target := r.Path(name)
	if !filepath.IsAbs(name) && !filepath.IsLocal(name) {
		return diag.WithHint(fmt.Errorf("--output %s leads out of %s", name, r.Dir), "Name a file below it, or give an absolute path.")
	}
	for _, dir := range r.dirs {
		rel, err := filepath.Rel(r.Path(dir), target)
		if err == nil && filepath.IsLocal(rel) && !strings.HasPrefix(filepath.ToSlash(rel), "runs/") {
			return diag.WithHint(fmt.Errorf("--output %s lies in a pack", name), "Within a pack reports go below runs/.")
		}
	}
	if err := mayReport(&r.Workspace, name, target); err != nil {
		return err
	}
	text, err := r.face(r.f.format)
	if err != nil {
		return err
	}
	if r.f.dryRun {
		to := r.stdout
		if r.json {
			to = r.stderr // standard output is the envelope
		}
		fmt.Fprintf(to, "would write %s\n", diag.Printable(name))
		return nil
	}
	dir, base := filepath.Split(target)
	if filepath.IsAbs(name) {
		err = writeBelow(dir, base, text)
	} else {
		err = writeBelow(r.Dir, filepath.ToSlash(filepath.Clean(name)), text)
	}
	if err != nil {
		return workspace.ExplainWrite(fmt.Errorf("write %s: %w", name, err))
	}
	return nil
}

// mayReport refuses places that are not for reports, and files that are none.
func mayReport(w *workspace.Workspace, name, target string) error {
	if rel, err := filepath.Rel(w.Dir, target); err == nil && filepath.IsLocal(rel) {
		rel = filepath.ToSlash(rel)
		top, _, _ := strings.Cut(rel, "/")
		if err := packpath.Check(rel); err != nil {
			return diag.WithHint(fmt.Errorf("--output %s: %w", name, err), "Name the file with / between directories, without control characters.")
		}
		if rel == workspace.ConfigName || slices.Contains([]string{".git", workspace.StateName}, top) {
			return diag.WithHint(fmt.Errorf("--output %s is not for reports", name), "Name another file.")
		}
	}
	data, err := workspace.ReadLimited(target, maxReport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at what stands at --output %s: %w", name, err)
	case !isReport(data):
		return diag.WithHint(fmt.Errorf("--output %s is there and is no report of packgen", name), "Name another file, or delete it.")
	}
	return nil
}

// maxReport is the largest report that is overwritten, in bytes.
const maxReport = 256 << 20

// textFinding is a line of a report in text.
var textFinding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:.*: )?(?:error|warning|info): .* \[[a-z][a-z0-9-]*\]$`)
})

// isReport reports whether a file holds a report of check, in any of its formats.
func isReport(data []byte) bool {
	head := data[:min(len(data), 4<<10)]
	line, _, _ := bytes.Cut(head, []byte("\n"))
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return true
	case data[0] == '{':
		return bytes.Contains(head, []byte(`"command": "check"`)) || bytes.Contains(head, []byte(`"name": "packgen"`))
	case bytes.HasPrefix(data, []byte("### packgen\n")), bytes.HasPrefix(data, []byte("::")):
		return true
	}
	return textFinding().Match(line)
}
