package diag

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

// many makes n findings of a rule.
func many(id string, severity Severity, n int) []Diagnostic {
	list := make([]Diagnostic, n)
	for i := range list {
		list[i] = Diagnostic{ID: id, Severity: severity, Path: fmt.Sprintf("%s/%05d.md", id, i)}
	}
	return list
}

func TestEveryRuleHasItsShare(t *testing.T) {
	for _, tt := range []struct {
		name           string
		list           []Diagnostic
		perKind, limit int
		want           string
	}{
		{"no limit", slices.Concat(many("a", Info, 7), many("b", Error, 3)), 0, 0, "b 3/3, a 7/7"},
		{"one rule cannot push another one out", slices.Concat(many("loud", Warning, 4980), many("quiet", Warning, 1322)), 0, 5000, "loud 3678/4980, quiet 1322/1322"},
		{"what is left over goes to the worst", slices.Concat(many("w", Warning, 90), many("e", Error, 90), many("i", Info, 90)), 0, 90, "e 30/90, w 30/90, i 30/90"},
		{"and then to the others", slices.Concat(many("w", Warning, 90), many("e", Error, 35), many("i", Info, 2)), 0, 90, "e 35/35, w 53/90, i 2/2"},
		{"at most so many of a rule", slices.Concat(many("a", Warning, 90), many("b", Warning, 4)), 10, 50, "a 10/90, b 4/4"},
		{"more rules than places", slices.Concat(many("a", Warning, 2), many("b", Warning, 1), many("c", Error, 1), many("d", Info, 9)), 10, 2, "c 1/1, d 0/9, a 1/2, b 0/1"},
		{"nothing", nil, 10, 50, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, kinds := choose(tt.list, tt.perKind, tt.limit)
			var got []string
			for _, k := range kinds {
				got = append(got, fmt.Sprintf("%s %d/%d", k.ID, k.Shown, k.Count))
			}
			slices.Sort(got)
			want := strings.Split(tt.want, ", ")
			slices.Sort(want)
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}

func TestWorstOfARuleAreChosenFirst(t *testing.T) {
	list := []Diagnostic{{ID: "a", Path: "1"}, {ID: "a", Path: "2", Severity: Warning}, {ID: "a", Path: "3", Severity: Error}, {ID: "a", Path: "4", Severity: Warning}}
	picked, kinds := choose(list, 2, 0)
	if !slices.Equal(picked, []int{1, 2}) || kinds[0].Severity != Error || kinds[0].Left() != 2 {
		t.Errorf("picked %v of %+v", picked, kinds)
	}
}

// The laws of a choice: it keeps its limits, gives away all it can, and whoever gets
// less than an equal part has no more.
func TestChoiceKeepsItsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var list []Diagnostic
		for range r.IntN(60) {
			list = append(list, many(fmt.Sprint("k", r.IntN(12)), Severity(r.IntN(3)), r.IntN(20))...)
		}
		perKind, limit := r.IntN(15), 1+r.IntN(120)
		picked, kinds := choose(list, perKind, limit)
		room, sum := 0, 0
		for _, k := range kinds {
			most := k.Count
			if perKind > 0 {
				most = min(most, perKind)
			}
			room += most
			sum += k.Shown
			if k.Shown > most || k.Shown < min(most, limit/len(kinds)) {
				t.Fatalf("%+v with %d a kind, %d in all and %d kinds", k, perKind, limit, len(kinds))
			}
		}
		if sum != min(room, limit) || len(picked) != sum || !slices.IsSorted(picked) || len(slices.Compact(slices.Clone(picked))) != sum {
			t.Fatalf("%d shown of %d, limit %d: %v", sum, room, limit, picked)
		}
	}
}

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
