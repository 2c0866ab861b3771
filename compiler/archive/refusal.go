package archive

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/diag"
)

// The rules by which an archive or a tree is refused.
const (
	RulePath      = "archive-path"      // a path that leaves the tree, or that some system reads differently or cannot hold
	RuleLink      = "archive-link"      // a symbolic or hard link
	RuleSpecial   = "archive-special"   // a device, a pipe, a sparse file, or another kind of entry that is not a plain file
	RuleClash     = "archive-clash"     // two entries that are one file on some system, or a file where a folder is
	RuleTooLarge  = "archive-too-large" // more bytes than a limit allows
	RuleTooMany   = "archive-too-many"  // more files and folders than the limit
	RuleNested    = "archive-nested"    // archives inside archives beyond the limit
	RuleTruncated = "archive-truncated" // the archive ends too early
	RuleTrailing  = "archive-trailing"  // bytes that belong to no entry: before, between or after them
	RuleCorrupt   = "archive-corrupt"   // the archive contradicts itself: sizes, checksums, headers
	RuleUnknown   = "archive-unknown"   // not an archive, or of a form that is not read
	RuleEmpty     = "archive-empty"     // no file in it
	ruleLayout    = "archive-layout"    // a file that is not part of a pack, listed in its pack.json
	RuleManifest  = "archive-manifest"  // pack.json is missing or broken, or the files differ from it
)

// Refusal is the error for an archive or a tree that is not taken. Nothing of it
// is left on the disk. Find it with errors.As.
type Refusal struct {
	Rule    string // stable kebab-case rule, one of the Rule constants
	Archive string // the archive as the caller named it; "" for a tree
	Path    string // the entry or file it is about, as the archive writes it; "" for the whole. Hostile: print it escaped
	Message string // what is wrong, one sentence without the names above; safe to print
	Hint    string // what to do about it; may be empty; safe to print
}

// Error returns one line that is safe to print, without the hint.
func (r *Refusal) Error() string {
	var b strings.Builder
	for _, name := range []string{r.Archive, r.Path} {
		if name != "" {
			b.WriteString(shown(name) + ": ")
		}
	}
	return b.String() + r.Message + " [" + r.Rule + "]"
}

// Advice returns what to do about it.
func (r *Refusal) Advice() string { return r.Hint }

// shownBytes is how much of a hostile name a message shows, in bytes.
const shownBytes = 200

// shown makes a name fit to print: one line, nothing that steers a terminal, and
// not endless.
func shown(name string) string {
	if len(name) > shownBytes {
		cut := shownBytes
		for cut > shownBytes-utf8.UTFMax && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = name[:cut] + "…"
	}
	return diag.Printable(name)
}

// refuse makes a Refusal about an entry; whoever knows the archive's name adds it.
func refuse(rule, path, hint, format string, args ...any) *Refusal {
	return &Refusal{Rule: rule, Path: path, Message: fmt.Sprintf(format, args...), Hint: hint}
}
