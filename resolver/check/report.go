package check

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

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/resolver/repo"
)

// MayReport refuses places that are not for reports, and files that are not reports.
func MayReport(w *repo.Repo, name, target string) error {
	if rel, err := filepath.Rel(w.Paths.Dir, target); err == nil && filepath.IsLocal(rel) {
		rel = filepath.ToSlash(rel)
		top, _, _ := strings.Cut(rel, "/")
		if err := packpath.Check(rel); err != nil {
			return diag.WithHint(fmt.Errorf("--out %s: %w", name, err), "name the file with / between directories, without control characters")
		}
		if rel == repo.ConfigName || slices.Contains([]string{".git", repo.StateName}, top) {
			return diag.WithHint(fmt.Errorf("--out %s is not for reports", name), "name another file")
		}
	}
	data, err := atomicfile.Read(target, maxReport)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("look at --out %s: %w", name, err)
	case !isReport(data):
		return diag.WithHint(fmt.Errorf("--out %s exists and is not a report of packgen", name), "name another file, or delete it")
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
	case data[0] == '[':
		return string(bytes.TrimSpace(data)) == "[]" || bytes.Contains(head, []byte(`"check_name": `))
	case data[0] == '<':
		return bytes.Contains(head, []byte(`<testsuites name="packgen" `))
	}
	return textFinding().Match(line)
}
