package model

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/packpath"
	"github.com/packgen/packgen/compiler/schema"
)

// maxCited is how many bytes of a cited text the claims page shows.
const maxCited = 600

// SpanOf returns the hash of what a claim rests on, as the last compile took it; "" when it
// is not known.
func SpanOf(ps *Pack, c *schema.Claim) string {
	id, claims := c.ClaimID[:min(len(c.ClaimID), claimIDLen)], ps.Result.Run.Claims // in the order of ids
	at, _ := slices.BinarySearchFunc(claims, id, func(c schema.RunClaim, id string) int { return strings.Compare(c.Claim, id) })
	for ; at < len(claims) && claims[at].Claim == id; at++ {
		if compiler.SourceOf(claims[at].Source) == c.Source {
			return claims[at].Span
		}
	}
	return ""
}

// CitedText returns the text that a claim cites, where the site publishes sources, or excerpts
// of them and the pack has a licence; "" otherwise, or where no lines and no section are
// named.
func CitedText(ps *Pack, name, fragment string) string {
	if fragment == "" || pack.LayerOf(name) != pack.Sources || !ps.Pack.Has(name) || ps.Outputs.Withheld[name] {
		return ""
	}
	if excerpts := ps.Settings.Excerpts && ps.Pack.Meta.License != ""; !excerpts && !ps.IsPublished(name) {
		return ""
	}
	return diag.Clip(compiler.CitedText(name, sourceText(ps, name), fragment), maxCited)
}

// Limits of what the page of a source shows of its text.
const (
	maxSourceText  = 256 << 10
	maxSourceLines = 5000
)

// citedOf returns the claims that rest on each file of sources/, by its path.
func citedOf(ps *Pack) map[string][]int32 {
	cited := map[string][]int32{}
	for i, c := range ps.Result.SourceMap.Claims {
		if name := c.Source.Path; pack.LayerOf(name) == pack.Sources && ps.Pack.Has(name) && !ps.Outputs.Withheld[name] {
			cited[name] = append(cited[name], int32(i))
		}
	}
	return cited
}

// lineFragment is a fragment that names lines of a source.
var lineFragment = regexp.MustCompile(`^L(\d+)(-L?\d+)?$`)

// SourceLines returns the lines of a source that its page shows; nil for one that is not
// published, is not text or is too long.
func SourceLines(ps *Pack, name string) []string {
	if !ps.IsPublished(name) || packpath.IsDrawing(name) || IsImage(name) {
		return nil
	}
	text := sourceText(ps, name)
	if len(text) == 0 || len(text) > maxSourceText || !utf8.Valid(text) || slices.Contains(text, 0) {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
	if len(lines) > maxSourceLines {
		return nil
	}
	return lines
}

// sourceLength returns how many lines the page of a source shows, which are counted once,
// however many claims cite it.
func sourceLength(ps *Pack, name string) int {
	n, known := ps.memo.lengths.Load(name)
	if !known {
		n, _ = ps.memo.lengths.LoadOrStore(name, len(SourceLines(ps, name)))
	}
	return n.(int)
}

// sourceText returns a file of sources/ as readers see it, which is read once.
func sourceText(ps *Pack, name string) []byte {
	data, known := ps.memo.sources.Load(name)
	if !known {
		text, err := ps.Pack.ReadFile(name)
		if err != nil {
			text = nil // the claim is shown without it
		}
		text = Visible(name, text)
		data, _ = ps.memo.sources.LoadOrStore(name, text)
	}
	return data.([]byte)
}

// hasLine reports whether the page of a source has a line of that number.
func hasLine(ps *Pack, name, number string) bool {
	if len(number) > 4 || number[0] == '0' {
		return false
	}
	n := 0
	for _, c := range number {
		n = 10*n + int(c-'0')
	}
	return n <= sourceLength(ps, name)
}
