package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// What to do about a view depends on who writes it.
func TestAViewThatContradictsSaysWhatToDo(t *testing.T) {
	const facts = "# Facts\n\n- Bands move. [source: sources/survey.md#L1]\n"
	index := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return `{"schema_version":1,"pack":"tide","profile":"wiki-first","runtime_mode":"data","views":[{"path":"compiled/facts.md","kind":"facts","token_estimate":1,"sha256":"` +
			hex.EncodeToString(sum[:]) + `","derived_from":["wiki/concepts/zonation.md"]}],"splits":[],"total_token_estimate":0}`
	}
	decoded := func(text string) *schema.Index {
		return oktest.Value(schema.DecodeIndex([]byte(index(text))))(t)
	}
	disputed := &schema.SourceMap{Claims: []schema.Claim{
		claim("Bands move.", "confirmed", "wiki/entities/ochre-star.md"), claim("Bands move.", "disputed", "wiki/concepts/zonation.md"),
	}}
	page := "# Zonation\n\nText about the [star](../entities/ochre-star.md).\n\n- Bands move. [source: sources/survey.md#L1] [status: disputed]\n"
	for _, tt := range []struct {
		name string
		disk string // what compiled/index.json records
		now  *schema.Index
		m    *schema.SourceMap
		want string
	}{
		{"made by compile, and made otherwise now", index(facts), decoded("# Facts\n"), disputed, "compile again: the view is made from the primary source"},
		{"made by compile, and no longer made", index(facts), &schema.Index{}, disputed, "compile again: the view is made from the primary source"},
		{"made by compile, which makes it so again", index(facts), decoded(facts), disputed, "the view is made from the primary source: settle wiki/concepts/zonation.md:5:3, then compile again"},
		{"made by compile from what is not a claim", index(facts), decoded(facts), &schema.SourceMap{}, "the view is made from wiki/concepts/zonation.md: correct it there, then compile again"},
		{"made by compile and edited", index("# Facts\n"), decoded("# Facts\n"), disputed, "the view was edited by hand: move what is right into the primary source, then compile with --force"},
		{"kept by hand", strings.Replace(index(facts), `["wiki/concepts/zonation.md"]`, "[]", 1), &schema.Index{}, disputed, "correct the view: it is kept by hand"},
	} {
		r := check(t, pages(map[string]string{"compiled/facts.md": facts, "compiled/index.json": tt.disk, "wiki/concepts/zonation.md": page}), Compiled{SourceMap: tt.m, Index: tt.now})
		var hints []string
		for _, d := range r.Diagnostics {
			if d.ID == "view-contradicts" {
				hints = append(hints, d.Hint)
			}
		}
		if len(hints) != 1 || hints[0] != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, hints, tt.want)
		}
	}
}
