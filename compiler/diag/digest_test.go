package diag

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

func digest(t *testing.T, list []Diagnostic, o DigestOptions) string {
	t.Helper()
	before := slices.Clone(list)
	var b bytes.Buffer
	oktest.Check(t, Digest(&b, list, o))
	if !slices.Equal(list, before) {
		t.Error("the list has changed")
	}
	return b.String()
}

// Errors come first: the warnings of other files may follow from them.
func TestDigestGoesFileByFileAndLineByLine(t *testing.T) {
	list := []Diagnostic{
		{ID: "b", Severity: Error, Pack: "q", Path: "z.md", Line: 3, Message: "Three."},
		{ID: "a", Severity: Warning, Pack: "q", Path: "z.md", Line: 1, Column: 9, Message: "One, later."},
		{ID: "a", Severity: Warning, Pack: "q", Path: "z.md", Line: 1, Column: 2, Message: "One."},
		{ID: "a", Severity: Warning, Pack: "q", Path: "z.md", Message: "The file."},
		{ID: "a", Severity: Warning, Pack: "p", Path: "zz.md", Line: 10, Message: "Of the first pack."},
		{ID: "a", Severity: Warning, Pack: "q", Path: "z.md", Line: 2, Message: "Two."},
	}
	got := digest(t, list, DigestOptions{RenderOptions: RenderOptions{Path: func(d Diagnostic) string { return d.Pack + "/" + d.Path }}})
	want := `q/z.md:3: error: Three. [b]
p/zz.md:10: warning: Of the first pack. [a]
q/z.md: warning: The file. [a]
q/z.md:1:2: warning: One. [a]
q/z.md:1:9: warning: One, later. [a]
q/z.md:2: warning: Two. [a]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDigestSaysWhatItLeavesOut(t *testing.T) {
	list := slices.Concat(many("ref-broken", Warning, 29142), many("claim-conflict", Warning, 12), many("secret-suspect", Error, 1))
	got := digest(t, list, DigestOptions{PerKind: 10, Limit: 50, Rest: func(id string) string { return "packgen check --all" }})
	tail := got[strings.LastIndex(got, "[ref-broken]\n")+len("[ref-broken]\n"):]
	want := "29,132 more of ref-broken: `packgen check --all`\n2 more of claim-conflict: `packgen check --all`\n" + `29,155  findings
     1  error    secret-suspect
29,142  warning  ref-broken
    12  warning  claim-conflict
`
	if tail != want {
		t.Errorf("the digest ends with\n%s\nwant\n%s", tail, want)
	}
	if n := strings.Count(got, "[ref-broken]"); n != 10 {
		t.Errorf("%d findings of one rule", n)
	}
}

func TestSummaryCountsARuleBySeverity(t *testing.T) {
	got := digest(t, slices.Concat(many("a", Warning, 1200), many("b", Error, 7), many("a", Error, 40)), DigestOptions{PerKind: 1})
	want := `1,247  findings
   40  error    a
    7  error    b
1,200  warning  a
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("got %s", got)
	}
}

func TestDigestIsBoundedForAnyNumberOfRules(t *testing.T) {
	var list []Diagnostic
	for i := range 40 {
		list = append(list, many(fmt.Sprintf("rule-%02d", i), Warning, 30)...)
	}
	got := digest(t, list, DigestOptions{PerKind: 10, Limit: 50})
	if shown := strings.Count(got, ".md: warning: "); shown != 50 {
		t.Errorf("%d findings are printed", shown)
	}
	for i := range 40 {
		if id := fmt.Sprintf("[rule-%02d]", i); !strings.Contains(got, id) {
			t.Errorf("none of %s", id)
		}
	}
	if all := digest(t, list, DigestOptions{}); strings.Count(all, ".md: warning: ") != 1200 || strings.Contains(all, "more of") {
		t.Error("without limits not all is printed")
	}
}

func TestDigestOfFewFindingsHasNoSummary(t *testing.T) {
	for n, want := range map[int]bool{10: false, 11: true} {
		if got := strings.Contains(digest(t, many("a", Warning, n), DigestOptions{}), " findings\n"); got != want {
			t.Errorf("%d findings: summary %v, want %v", n, got, want)
		}
	}
}

func TestDigestReportsAWriteThatFails(t *testing.T) {
	if err := Digest(brokenWriter{}, sample, DigestOptions{}); err == nil {
		t.Error("no error")
	}
}
