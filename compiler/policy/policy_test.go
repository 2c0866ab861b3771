package policy

import (
	"path"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/diag"
)

// place is where packs are in these tests.
func place(d diag.Diagnostic) string {
	if d.Pack == "" {
		return d.Path
	}
	return path.Join("packs", d.Pack, d.Path)
}

func TestALaterRuleDecides(t *testing.T) {
	p := &Policy{Rules: []Rule{
		{Rule: "claim-unsourced", Level: Off},
		{Rule: "claim-unsourced", Level: Error, Packs: []string{"law"}},
		{Rule: "claim-unsourced", Level: Info, Files: []string{"packs/law/wiki/drafts"}},
		{Rule: "ref-broken", Level: Error, Files: []string{"packs/*/documents/**/*.md", "roles"}},
		{Rule: "scripts-present", Level: Warning},
	}}
	for _, tt := range []struct {
		d    diag.Diagnostic
		want string
		by   int
	}{
		{diag.Diagnostic{ID: "claim-unsourced", Severity: diag.Warning, Pack: "kettle", Path: "wiki/a.md"}, "off", 0},
		{diag.Diagnostic{ID: "claim-unsourced", Severity: diag.Warning, Pack: "law", Path: "wiki/a.md"}, "error", 1},
		{diag.Diagnostic{ID: "claim-unsourced", Severity: diag.Warning, Pack: "law", Path: "wiki/drafts/x/a.md"}, "info", 2},
		{diag.Diagnostic{ID: "claim-unsourced", Severity: diag.Info, Pack: "law", Path: "wiki/drafts/x/a.md"}, "", 0},
		{diag.Diagnostic{ID: "claim-unsourced", Severity: diag.Error, Pack: "kettle", Path: "wiki/a.md"}, "", 0},
		{diag.Diagnostic{ID: "ref-broken", Severity: diag.Warning, Pack: "law", Path: "documents/x/y.md"}, "error", 3},
		{diag.Diagnostic{ID: "ref-broken", Severity: diag.Warning, Pack: "law", Path: "wiki/y.md"}, "", 0},
		{diag.Diagnostic{ID: "ref-broken", Severity: diag.Warning, Path: "roles/mech/briefs/x.md"}, "error", 3},
		{diag.Diagnostic{ID: "scripts-present", Severity: diag.Info, Pack: "law", Path: "scripts"}, "warning", 4},
		{diag.Diagnostic{ID: "raw-copy", Severity: diag.Warning, Pack: "law", Path: "scripts"}, "", 0},
	} {
		kept, changed := p.Apply([]diag.Diagnostic{tt.d}, place)
		if tt.want == "" {
			if diff := cmp.Diff([]diag.Diagnostic{tt.d}, kept); diff != "" || len(changed) > 0 {
				t.Errorf("%v: changed %v (-want +got):\n%s", tt.d, changed, diff)
			}
			continue
		}
		if len(changed) != 1 || changed[0].By != tt.by || changed[0].To.String() != tt.want || changed[0].Diagnostic != tt.d {
			t.Errorf("%v: changed %v, want %s by %d", tt.d, changed, tt.want, tt.by)
			continue
		}
		if off := tt.want == "off"; off != (len(kept) == 0) || !off && kept[0].Severity.String() != tt.want {
			t.Errorf("%v: kept %v", tt.d, kept)
		}
	}
}

// What was left out or must not be published stays an error.
func TestAnErrorStaysAnError(t *testing.T) {
	var p Policy
	for _, level := range []Level{Off, Info, Warning, Error} {
		p.Rules = append(p.Rules, Rule{Rule: "secret-suspect", Level: level})
		d := diag.Diagnostic{ID: "secret-suspect", Severity: diag.Error, Pack: "law", Path: "a.md"}
		if kept, changed := p.Apply([]diag.Diagnostic{d}, place); len(changed) > 0 || len(kept) != 1 || kept[0] != d {
			t.Errorf("%s: kept %v, changed %v", level, kept, changed)
		}
	}
}

func TestNoPolicyChangesNothing(t *testing.T) {
	list := []diag.Diagnostic{{ID: "x"}}
	if kept, changed := (*Policy)(nil).Apply(list, place); len(kept) != 1 || len(changed) > 0 || (*Policy)(nil).Key() != "" {
		t.Errorf("kept %v, changed %v", kept, changed)
	}
}

func TestTheKeyIsWhatDecides(t *testing.T) {
	one := Policy{Rules: []Rule{{Rule: "x", Level: Off, Reason: "a", Line: 1}}}
	two := Policy{Rules: []Rule{{Rule: "x", Level: Off, Reason: "b", Line: 2}}}
	if one.Key() != two.Key() {
		t.Error("a reason changes what is decided")
	}
	for _, r := range []Rule{{Rule: "x", Level: Info}, {Rule: "y"}, {Rule: "x", Packs: []string{"a"}}, {Rule: "x", Files: []string{"a"}}} {
		if other := (Policy{Rules: []Rule{r}}); other.Key() == one.Key() {
			t.Errorf("%+v has the key of %+v", r, one.Rules[0])
		}
	}
}
