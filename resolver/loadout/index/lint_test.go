package index_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

// declared is a pack of one document whose sections declare what is given.
func declared(name string, sections ...string) files {
	var meta, body strings.Builder
	meta.WriteString("metadata:\n  loadout:\n")
	for i, s := range sections {
		fmt.Fprintf(&meta, "    doc/part-%d:\n      %s\n", i, s)
		fmt.Fprintf(&body, "## Part %d\n\nText of %s number %d, with words-%d of its own.\n\n", i, name, i, i)
	}
	return files{
		"KNOWLEDGE.md":     knowledge(name, "ready", strings.TrimRight(meta.String(), "\n")),
		"documents/doc.md": "# Doc\n\n" + body.String(),
	}
}

// placed returns the findings as "id line:column", in their order.
func placed(faults []diag.Diagnostic) []string {
	var out []string
	for _, d := range faults {
		out = append(out, fmt.Sprintf("%s %d:%d", d.ID, d.Line, d.Column))
	}
	return out
}

func TestDeclaredKeywordsThatMatchBadlyAreReported(t *testing.T) {
	eleven := "[k0, k1, k2, k3, k4, k5, k6, k7, k8, k9, k10]"
	for _, tt := range []struct {
		name     string
		sections []string
		want     string
	}{
		{"good ones are quiet", []string{"keywords: [descale, citric acid]", "keywords: [warranty, citric acid bath]"}, ""},
		{"a word of any task", []string{"keywords: [descale, use]"}, "keyword-generic 10:27"},
		{"a phrase of such words is fine", []string{"keywords: [first use]"}, ""},
		{"the same word twice", []string{"keywords: [descale, Descale]"}, "keyword-repeated 10:27"},
		{"the same words in another order", []string{"keywords: [citric acid, acid-citric]"}, "keyword-repeated 10:31"},
		{"one hit among eleven", []string{"keywords: " + eleven}, "keywords-diluted 10:18"},
		{"one hit among ten is enough", []string{"keywords: [k0, k1, k2, k3, k4, k5, k6, k7, k8, k9]"}, ""},
		{"the same keywords as another entry", []string{"keywords: [tea, pot]", "keywords: [pot, tea]"}, "keyword-overlap 12:18"},
		{"manual entries match by name", []string{"{keywords: [use, use], priority: manual}"}, "keyword-repeated 10:24"},
		{"a line break in a summary", []string{`{keywords: [descale], summary: "One\nTwo"}`}, "summary-control 10:38"},
		{"an invisible character in a summary", []string{`{keywords: [descale], summary: "One\u202etwo"}`}, "summary-control 10:38"},
		{"joined emoji in a summary", []string{`{keywords: [descale], summary: "Crew 👩\u200d🚀 aboard"}`}, ""},
		{"a soft hyphen in a summary", []string{`{keywords: [descale], summary: "One\u00adtwo"}`}, "summary-control 10:38"},
		{"no task can match", []string{`keywords: ["?!", descale]`}, "keyword-unreachable 10:18"},
		{"a letter in a phrase is no name", []string{"keywords: [plan b, descale]"}, "keyword-unreachable 10:18"},
		{"a name with a sign", []string{"keywords: [c++, descale]"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := build(t, declared("kettle", tt.sections...))
			if got := strings.Join(placed(faults), ", "); got != tt.want {
				t.Errorf("told %q, want %q: %v", got, tt.want, faults)
			}
			for _, d := range faults {
				if d.Hint == "" || d.Pack != "kettle" || d.Path != "KNOWLEDGE.md" || d.Severity != diag.Warning {
					t.Errorf("%+v", d)
				}
			}
		})
	}
}

// A word that many entries list no longer tells them apart. It is reported at
// each place where an author wrote it.
func TestKeywordsSharedByManyEntriesAreReported(t *testing.T) {
	sections := make([]string, 20)
	for i := range sections {
		sections[i] = fmt.Sprintf("keywords: [topic %d]", 100+i)
		if i < 12 {
			sections[i] = fmt.Sprintf("keywords: [harbor, topic %d]", 100+i)
		}
	}
	_, faults := build(t, declared("kettle", sections...))
	count := 0
	for _, d := range faults {
		if d.ID != "keyword-overlap" || !strings.Contains(d.Message, `"harbor" is a keyword of 12 of`) || !strings.Contains(d.Hint, "phrase") {
			t.Errorf("%+v", d)
		}
		count++
	}
	if count != 12 {
		t.Errorf("%d findings, want one a place", count)
	}
	for i := range 3 {
		sections[i] = fmt.Sprintf("keywords: [topic %d]", 100+i)
	}
	if _, faults := build(t, declared("kettle", sections...)); len(faults) > 0 {
		t.Errorf("nine are few: %v", faults)
	}
}

// What a page declares holds for each of its splits; it is reported once.
func TestWhatAPageDeclaresIsReportedOnce(t *testing.T) {
	_, faults := build(t, files{
		"KNOWLEDGE.md":     knowledge("kettle", "ready"),
		"documents/doc.md": "---\nkeywords: [descale, use]\n---\n# Doc\n\n## One\n\nText one.\n\n## Two\n\nText two.\n\n## Three\n\nText three.\n",
	})
	if got := strings.Join(placed(faults), ", "); got != "keyword-generic 2:21, keyword-overlap 2:12" {
		t.Errorf("told %q: %v", got, faults)
	}
}
