package pack

import (
	"slices"
	"strings"
	"testing"
)

func TestInspectOpensWhatOpenDoesNot(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		files      []string
		profile    string
		grounding  string
		found      []string // part of each diagnostic, in order
	}{
		{"a line tells the profile", "---\nname: p\nprofile: wiki-first # ours\nprofile: \"hybrid\"\ngrounding: required\n", []string{"documents/a.md"}, "hybrid", "required", []string{"not closed"}},
		{"documents alone", "---\nname: [p\n---\n", []string{"documents/a.md"}, "document-first", "none", []string{"not valid YAML"}},
		{"a wiki alone", "# Guide\n", []string{"wiki/a.md"}, "wiki-first", "none", []string{"is missing"}},
		{"both", "---\n- name\n---\n", []string{"documents/a.md", "wiki/a.md"}, "hybrid", "none", []string{"must be a map"}},
		{"not text", "---\nname: \xff\n---\n", []string{"wiki/a.md"}, "wiki-first", "none", []string{"not UTF-8"}},
		{"a link out", "-> /etc/hostname", []string{"wiki/a.md"}, "wiki-first", "none", []string{"leads out"}},
		{"a key twice, and more", "---\nname: p\nname: q\nversion: &x \"1\"\ndescription: *x\ntype: nonsense\nstatus: redy\nprofile: document-first\nmetadata:\n  primaryDocument: documents/none.md\n---\n", []string{"wiki/a.md"}, "document-first", "none", []string{
			"alias *x", "anchor &x", `"status" is "redy", not one of`, `"name" is given twice`,
			`primaryDocument "documents/none.md" does not exist`, `type "nonsense"`, "needs files in documents/",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{EntryName: tt.text, "wiki/.hidden.md": ""}
			for _, name := range tt.files {
				files[name] = "x"
			}
			dir := write(t, files)
			if p, _ := mustOpen(t, dir); p != nil {
				t.Fatal("Open gives the pack, so nothing is to be inspected")
			}
			p, found, err := Inspect(dir)
			if err != nil || p == nil {
				t.Fatalf("no pack: %v, %v", lines(found), err)
			}
			defer p.Close()
			for _, name := range tt.files {
				if !p.Has(name) {
					t.Errorf("%s is not listed", name)
				}
			}
			if got := p.Meta.EffectiveProfile() + " " + p.Meta.EffectiveGrounding(); got != tt.profile+" "+tt.grounding {
				t.Errorf("profile and grounding %s", got)
			}
			got := lines(found)
			if !slices.EqualFunc(got, tt.found, strings.Contains) {
				t.Errorf("diagnostics\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

func TestInspectGuessesAProfileThatIsNone(t *testing.T) {
	for profile, want := range map[string]string{"profile: docs": documentFirst, "profile: [x]": documentFirst, "scope: x": WikiFirst} {
		p, _, err := Inspect(write(t, map[string]string{EntryName: "---\nname: p\n" + profile + "\n---\n", "documents/a.md": "x"}))
		if err != nil || p.Meta.EffectiveProfile() != want {
			t.Errorf("%s: %s, %v", profile, p.Meta.EffectiveProfile(), err)
		}
		p.Close()
	}
}

func TestInspectNeedsAnEntry(t *testing.T) {
	p, found, err := Inspect(write(t, map[string]string{"wiki/a.md": "x"}))
	if p != nil || len(found) != 1 || err != nil {
		t.Errorf("%v %v %v", p, lines(found), err)
	}
}
