package compiler

import (
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

// A finding is a sentence for readers; its record is what the format says.
func TestFindingsAreSentences(t *testing.T) {
	for _, tt := range []struct{ claim, say, hint, record string }{
		{"- A. [source: sources/s.md#L9]", "sources/s.md has 5 lines; the anchor names line 9", "name a line that the file has", `[anchor-unresolved] "sources/s.md#L9"`},
		{"- A. [source: sources/s.md#L3-L1]", "sources/s.md has 5 lines; the anchor names lines 3 to 1", "the smaller number first", ""},
		{"- A. [source: sources/s.md#contents]", `sources/s.md has no heading with the id "contents"`, `did you mean "content"?`, `[anchor-unresolved] "sources/s.md#contents"`},
		{"- A. [source: sources/s.md#zebra]", `sources/s.md has no heading with the id "zebra"`, "write one of content, s; or name a line, such as #L1", ""},
		{"- A. [source: sources/t.txt#zebra]", `sources/t.txt has no heading with the id "zebra"`, "name a line, such as #L1: it has no headings", ""},
		{"- A. [source: sources/s.md#page=x]", `the anchor "sources/s.md#page=x" names no page`, "#page=3", ""},
		{"- A. [source: sources/s.md#t=9]", `the anchor "sources/s.md#t=9" names no time`, "#t=00:12:33", ""},
		{"- A. [source: sources/x.md]", "the cited file sources/x.md does not exist", `did you mean "sources/s.md"?`, `[source-missing] "sources/x.md"`},
		{"- A. [source: https://example.org/a#b]", `the anchor "https://example.org/a#b" is a web address`, "below sources/", `[anchor-unresolved] "https://example.org/a#b"`},
		{"- A. [source: ../x.md]", `the anchor "../x.md" leads out of the pack`, "relative to the pack", `[path-escape] "../x.md"`},
		{"- A. [status: stael]", `the claim status "stael" is not known`, `did you mean "stale"?`, `[anchor-unresolved] Unknown claim status "stael".`},
		{"- A. [status: missing]", `the claim is marked as having no source yet: "A."`, "find a source", `[claim-missing] "A."`},
		{"- A. [status: inferred]", `the claim is marked inferred, so no source says it: "A."`, "find a source", `[claim-inferred] "A."`},
		{"- A. [status: disputed]", `the claim is marked disputed: "A."`, "settle it", `[claim-disputed] "A."`},
		{"- A. [status: stale]", `the claim is marked stale: "A."`, "newer source", `[source-stale] "A."`},
		{"- A. [sources: sources/s.md#L1]", "[sources: sources/s.md#L1] is not an anchor or a status", "write [source: sources/s.md#L1]", `[claim-unsourced] Claim has no source anchor while grounding is required: "A. [sources: sources/s.md#L1]"`},
		{"- A. [Src: sources/s.md]", "[Src: sources/s.md] is not an anchor", "write [source: sources/s.md]", ""},
		{"- A. [state: stale]", "[state: stale] is not an anchor", "write [status: stale]", ""},
		{"- The lid of the kettle is made of red glass. [source sources/s.md#L1]", "[source sources/s.md#L1] is not an anchor", "write [source: sources/s.md#L1]", ""},
		{"- The lid of the kettle is made of red glass. [status page]", "Claim has no source anchor", "add [source: sources/…#L1]", ""},
		{"- A. [source: source/s.md#L1]", `the anchor "source/s.md#L1" names no file of sources/`, `did you mean "sources/s.md#L1"?`, ""},
		{"- A. [see: the annex]", "Claim has no source anchor", "add [source: sources/…#L1]", ""},
	} {
		t.Run(tt.claim, func(t *testing.T) {
			r, _ := compileFiles(t, tree{
				"KNOWLEDGE.md": entry("document-first", "required"), "documents/d.md": "# D\n\n" + tt.claim + "\n",
				"sources/s.md": "# S\n\n## Content\n\nA.\n", "sources/t.txt": "A.\n",
			})
			list := slices.DeleteFunc(r.Diagnostics, func(d diag.Diagnostic) bool { return d.ID == "primary-document-missing" })
			if len(list) != 1 {
				t.Fatalf("%d findings, want one: %v", len(list), list)
			}
			d := list[0]
			if !strings.HasPrefix(d.Message, tt.say) || !strings.Contains(d.Hint, tt.hint) || d.Line != 3 {
				t.Errorf("line %d says %q with the hint %q", d.Line, d.Message, d.Hint)
			}
			if tt.record != "" && d.Record() != tt.record {
				t.Errorf("the record says %s", d.Record())
			}
		})
	}
}

// The record of a run holds what another finding implies, since the format says so.
func TestARecordHoldsWhatIsImplied(t *testing.T) {
	r, _ := oneDocument(t, "# D\n\n- The kettle is red. [source: https://example.org/a]\n")
	sameStrings(t, "diagnostics", found(r), []string{
		`documents/d.md [anchor-unresolved] "https://example.org/a"`,
		`documents/d.md [claim-unsourced] Claim has no source anchor while grounding is required: "The kettle is red."`,
	})
}
