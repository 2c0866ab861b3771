package exchange

import (
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/resolver/agent/rules"
)

// maxFlat is the longest stem of a file, in bytes.
const maxFlat = 180

// mark distinguishes names that would otherwise be one.
func mark(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:8] }

// flat gives each path a name in one folder: its parts joined with hyphens, with a mark
// where two would meet, also on a file system that does not distinguish case, or one is
// reserved. A path that is such a name already keeps it.
func flat(paths []string, strip string, reserved ...string) map[string]string {
	names, users := map[string]string{}, map[string]int{}
	key := func(name string) string { return strings.ToLower(norm.NFC.String(name)) }
	for _, r := range reserved {
		users[key(r)]++
	}
	for _, p := range paths {
		name := strings.ReplaceAll(strings.TrimPrefix(p, strip), "/", "-")
		ext := path.Ext(name)
		if stem := strings.TrimSuffix(name, ext); len(stem) > maxFlat {
			name = diag.Cut(stem, maxFlat-9) + "-" + mark(p) + ext
		}
		names[p] = name
		if users[key(name)]++; packpath.IsObeyed(name) {
			users[key(name)]++ // agents would treat it as instructions: it gets a mark
		}
	}
	for p, name := range names {
		if users[key(name)] > 1 {
			ext := path.Ext(name)
			names[p] = diag.Cut(strings.TrimSuffix(name, ext), maxFlat-9) + "-" + mark(p) + ext
		}
	}
	return names
}

// skillName is the name of a pack as that of a skill: 1 to 64 of a-z, 0-9 and single
// hyphens between them, without the names of makers.
func skillName(name string) string {
	text := strings.Join(strings.FieldsFunc(strings.ToLower(norm.NFKC.String(name)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
	for {
		before := text
		for _, word := range rules.Makers {
			text = strings.ReplaceAll(text, word, "-")
		}
		parts := slices.DeleteFunc(strings.Split(text, "-"), func(part string) bool { return part == "" })
		if text = strings.Join(parts, "-"); text == before {
			break
		}
	}
	if text = strings.Trim(diag.Cut(text, rules.MaxSkillName), "-"); text == "" {
		return "pack-" + mark(name)
	}
	return text
}
