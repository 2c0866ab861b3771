package pack

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/schema"
)

// open opens a pack of one KNOWLEDGE.md with those lines of front matter and
// the named empty files.
func open(t *testing.T, dir, lines string, files ...string) (*Pack, []diag.Diagnostic) {
	t.Helper()
	fsys := fstest.MapFS{EntryName: {Data: []byte("---\n" + lines + "---\n")}}
	for _, name := range files {
		fsys[name] = &fstest.MapFile{}
	}
	p, found, err := OpenFS(fsys, dir)
	oktest.Check(t, err)
	return p, found
}

const required = "name: p\ndescription: D\ntype: research-wiki\nstatus: ready\nprofile: wiki-first\n"

func TestEveryFieldIsRead(t *testing.T) {
	p, found := open(t, "p", `name: p
description: >-
  Two
  lines
type: custom:acme
status: needs-review
profile: document-first
version: "1.10"
language: zh-CN
license: MIT
maintainers: [a, b]
scope: team
trust: official
updated: 2026-05-20
grounding: required
runtime: {mode: persona}
compatibility: any
metadata:
  primaryDocument: documents/m.md
  primaryOntology: ontology/o.json
  primaryAnswers: answers/a.json
  producedBy: {kind: skill, name: n, version: "2", digest: "sha256:ab"}
  loadout: {x: 1}
  compile: {join: 0, facts: 7}
`, "documents/m.md", "ontology/o.json", "answers/a.json")
	if len(found) > 0 {
		t.Fatal(lines(found))
	}
	want := Knowledge{
		Name: "p", Description: "Two lines", Type: "custom:acme", Status: "needs-review", Profile: "document-first", Version: "1.10", Language: "zh-CN", License: "MIT",
		Maintainers: []string{"a", "b"}, Scope: "team", Trust: "official", Updated: "2026-05-20", Grounding: "required", RuntimeMode: "persona", Compatibility: "any",
		PrimaryDocument: "documents/m.md", PrimaryOntology: "ontology/o.json", PrimaryAnswers: "answers/a.json", ProducedBy: &Producer{"agent-skill", "n", "2", "sha256:ab"},
		Shape: Shape{Join: 0, Briefing: 2000, Facts: 7, Boundaries: 2000},
	}
	if diff := cmp.Diff(want, p.Meta, cmpopts.IgnoreUnexported(Knowledge{}), cmpopts.IgnoreTypes((*yaml.Node)(nil))); diff != "" {
		t.Error(diff)
	}
	if p.Meta.Metadata == nil || p.Meta.Metadata.Kind != yaml.MappingNode {
		t.Error("the metadata map is not kept")
	}
	if line, column := p.Meta.Place("runtime.mode"); line != 17 || column != 17 {
		t.Errorf("runtime.mode is at %d:%d", line, column)
	}
	entry := p.CatalogEntry("packs/p/KNOWLEDGE.md")
	wantEntry := schema.CatalogEntry{
		Name: "p", Description: "Two lines", Type: "custom:acme", Status: "needs-review", Profile: "document-first", RuntimeMode: "persona", Version: "1.10", Language: "zh-CN",
		Trust: "official", Grounding: "required", Scope: "team", Compatibility: "any", PrimaryDocument: "documents/m.md",
		ProducedBy: &schema.CatalogProducer{Kind: "agent-skill", Name: "n", Version: "2", Digest: "sha256:ab"}, PrimaryOntology: "ontology/o.json", Location: "packs/p/KNOWLEDGE.md",
	}
	if diff := cmp.Diff(wantEntry, entry); diff != "" {
		t.Error(diff)
	}
	if c := NewCatalog([]schema.CatalogEntry{entry}); c.SchemaVersion != 1 || !p.InCatalog() {
		t.Error("not in the catalog")
	}
}

func TestFindings(t *testing.T) {
	long := strings.Repeat("é", 1025)
	for _, tt := range []struct {
		name, text string
		want       []string
		hint       string // of the first
	}{
		{"nothing wrong", required, nil, ""},
		{"empty block", "", []string{
			`KNOWLEDGE.md:1:1 error metadata-invalid required field "description" is missing or empty`, `KNOWLEDGE.md:1:1 error metadata-invalid required field "name" is missing or empty`,
			`KNOWLEDGE.md:1:1 error metadata-invalid required field "status" is missing or empty`, `KNOWLEDGE.md:1:1 error metadata-invalid required field "type" is missing or empty`,
			"KNOWLEDGE.md warning profile-missing no profile is declared; wiki-first is assumed",
		}, ""},
		{"empty and null", "name: p\ndescription: '  '\ntype: research-wiki\nstatus:\nprofile: hybrid\n", []string{
			`KNOWLEDGE.md:3:14 error metadata-invalid required field "description" is missing or empty`, `KNOWLEDGE.md:2:1 error metadata-invalid required field "status" is missing or empty`,
		}, "1024"},
		{"wrong types are told once", "name: 12\ndescription: [D]\ntype: research-wiki\nstatus: ready\nprofile: hybrid\n", []string{
			`KNOWLEDGE.md:3:14 error metadata-invalid key "description" must be a string, not a list`, `KNOWLEDGE.md:2:7 error metadata-invalid key "name" must be a string, not a number`,
		}, ""},
		{"bad enums", "name: p\ndescription: D\ntype: research\nstatus: redy\nprofile: wiki\ntrust: me\ngrounding: requird\nruntime:\n  mode: person\n", []string{
			`KNOWLEDGE.md:8:12 error metadata-invalid field "grounding" is "requird", not one of none, recommended, required`,
			`KNOWLEDGE.md:6:10 error metadata-invalid field "profile" is "wiki", not one of document-first, wiki-first, hybrid`,
			`KNOWLEDGE.md:10:9 error metadata-invalid field "runtime.mode" is "person", not one of data, persona`,
			`KNOWLEDGE.md:5:9 error metadata-invalid field "status" is "redy", not one of draft, ready, needs-review, stale, disputed, archived`,
			`KNOWLEDGE.md:7:8 error metadata-invalid field "trust" is "me", not one of unreviewed, user-confirmed, official, external`,
			`KNOWLEDGE.md:4:7 error metadata-invalid type "research" is not known`,
		}, `did you mean "required"?`},
		{"name with capitals", strings.Replace(required, "name: p", "name: Big", 1), []string{`KNOWLEDGE.md:2:7 error metadata-invalid name "Big" may hold only a-z, 0-9 and -`}, ""},
		{"name too long", strings.Replace(required, "name: p", "name: "+strings.Repeat("a", 65), 1), []string{`KNOWLEDGE.md:2:7 error metadata-invalid field "name" has 65 characters; at most 64 are allowed`, `KNOWLEDGE.md:2:7 warning name-mismatch name "` + strings.Repeat("a", 65) + `" differs from the directory "p"`}, ""},
		{"name with dashes", strings.Replace(required, "name: p", "name: a--b-", 1), []string{`KNOWLEDGE.md:2:7 warning name-dashes name "a--b-" starts or ends with a dash, or doubles one`, `KNOWLEDGE.md:2:7 warning name-mismatch name "a--b-" differs from the directory "p"`}, ""},
		{"description too long", strings.Replace(required, ": D", ": "+long, 1), []string{`KNOWLEDGE.md:3:14 error metadata-invalid field "description" has 1025 characters; at most 1024 are allowed`}, ""},
		{"description with escapes", strings.Replace(required, ": D", `: "A\x1b[31m \u202eb\u200dc\nd"`, 1), []string{`KNOWLEDGE.md:3:14 warning metadata-invalid field "description" holds characters that cannot be seen; they are left out`}, "escapes"},
		{"description just fits", strings.Replace(required, ": D", ": "+long[2:], 1), nil, ""},
		{"compatibility too long", required + "compatibility: " + strings.Repeat("x", 500) + "\n", []string{`KNOWLEDGE.md:7:16 error metadata-invalid field "compatibility" has 500 characters; at most 499 are allowed`}, ""},
		{"unknown field", required + "verzion: 1\n", []string{`KNOWLEDGE.md:7:1 warning unknown-field field "verzion" is not part of the format and has no effect`}, `did you mean "version"?`},
		{"unknown field like none", required + "x-acme: 1\n", []string{`KNOWLEDGE.md:7:1 info unknown-field field "x-acme" is not part of the format`}, "put fields of your own below metadata"},
		{"maintainers as a string", required + "maintainers: me\n", nil, ""},
		{"updated is not a date", required + "updated: last week\n", []string{`KNOWLEDGE.md:7:10 error metadata-invalid "last week" is not an ISO date`}, "such as 2026-02-28"},
		{"updated is no day", required + "updated: 2026-02-31\n", []string{`KNOWLEDGE.md:7:10 error metadata-invalid "2026-02-31" is not a date: there is no 31 February 2026`}, "correct the day"},
		{"updated is no month", required + "updated: 2026-13-01\n", []string{`KNOWLEDGE.md:7:10 error metadata-invalid "2026-13-01" is not a date: there is no month 13`}, "such as 2026-02-28"},
		{"a field that is not indented", required + "primaryDocument: documents/a.md\n", []string{`KNOWLEDGE.md:7:1 warning unknown-field field "primaryDocument" is not part of the format and has no effect`}, "indent it below metadata:"},
		{"a field in other letters", required + "Language: en\n", []string{`KNOWLEDGE.md:7:1 warning unknown-field field "Language" is not part of the format and has no effect`}, `did you mean "language"?`},
		{"a field of metadata is misspelt", required + "metadata:\n  primaryDocumnet: documents/a.md\n", []string{`KNOWLEDGE.md:8:20 warning unknown-field field metadata.primaryDocumnet is not part of the format and has no effect`}, `did you mean "primaryDocument"?`},
		{"a required field is misspelt", strings.Replace(required, "description", "desciption", 1), []string{`KNOWLEDGE.md:3:1 error metadata-invalid required field "description" is missing or empty`}, `did you mean "description"?`},
		{"metadata is misspelt", strings.Replace(required, "wiki-first", "document-first", 1) + "metdata:\n  primaryDocument: documents/a.md\n", []string{
			"KNOWLEDGE.md:6:10 warning documents-missing a document-first pack needs files in documents/", `KNOWLEDGE.md:7:1 warning unknown-field field "metdata" is not part of the format and has no effect`,
		}, ""},
		{"a field of the author", required + "zone: north\n", []string{`KNOWLEDGE.md:7:1 info unknown-field field "zone" is not part of the format`}, "below metadata"},
		{"custom type without namespace", strings.Replace(required, "research-wiki", "'custom:'", 1), []string{`KNOWLEDGE.md:4:7 error metadata-invalid type "custom:" is not known`}, ""},
		{"producer kind", required + "metadata:\n  producedBy:\n    kind: robot\n", []string{`KNOWLEDGE.md:9:11 info producer-unknown metadata.producedBy.kind "robot" is not known`}, ""},
		{"primary document is not there", required + "metadata:\n  primaryDocument: documents/x.md\n", []string{`KNOWLEDGE.md:8:20 error metadata-invalid metadata.primaryDocument "documents/x.md" does not exist`}, ""},
		{"primary document leaves the pack", required + "metadata:\n  primaryDocument: ../x.md\n", []string{`KNOWLEDGE.md:8:20 error metadata-invalid metadata.primaryDocument cannot be "../x.md": path leads out of the pack: it has a ".." component`}, ""},
		{"document-first with neither", strings.Replace(required, "wiki-first", "document-first", 1), []string{
			"KNOWLEDGE.md:6:10 warning documents-missing a document-first pack needs files in documents/", "KNOWLEDGE.md:6:10 warning primary-document-missing a document-first pack should name its default document",
		}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, found := open(t, "p", tt.text)
			if diff := cmp.Diff(tt.want, lines(found)); diff != "" {
				t.Error(diff)
			}
			if tt.hint != "" && !strings.Contains(found[0].Hint, tt.hint) {
				t.Errorf("hint is %q, want %q", found[0].Hint, tt.hint)
			}
		})
	}
}

func TestSecretsInValuesAreCutShort(t *testing.T) {
	token := "ghp" + "_Abcdefghij0123456789abcdefghij012345"
	for _, key := range []string{
		"name", "description", "type", "status", "profile", "version", "language", "license", "scope", "trust",
		"updated", "grounding", "compatibility", "runtime.mode", "metadata.primaryDocument",
		"metadata.producedBy.kind", "metadata.producedBy.name", "metadata.producedBy.version", "metadata.producedBy.digest",
	} {
		t.Run(key, func(t *testing.T) {
			var lines strings.Builder
			for line := range strings.Lines(required) {
				if !strings.HasPrefix(line, key+":") {
					lines.WriteString(line)
				}
			}
			for i, part := range strings.Split(key, ".") {
				lines.WriteString(strings.Repeat("  ", i) + part + ":\n")
			}
			p, found := open(t, "p", strings.TrimSuffix(lines.String(), "\n")+" "+token+"\n")
			p.Meta.Metadata = nil // as written, for those who look inside
			if read := fmt.Sprintf("%+v %+v", p.Meta, p.Meta.ProducedBy); strings.Contains(read, "Abcd") || !strings.Contains(read, "ghp_…") {
				t.Errorf("read %s", read)
			}
			for _, d := range found {
				if strings.Contains(d.Message+d.Hint+d.Pack, "Abcd") {
					t.Errorf("%s names it: %s %s", d.ID, d.Message, d.Pack)
				}
			}
			if key == "name" && !strings.Contains(fmt.Sprint(found), metadataInvalid) {
				t.Error("a secret passes for a name")
			}
		})
	}
}

func TestEffectiveValues(t *testing.T) {
	var k Knowledge
	got := []string{k.EffectiveProfile(), k.EffectiveMode(), k.EffectiveGrounding(), k.EffectiveTrust()}
	if diff := cmp.Diff([]string{"wiki-first", "data", "none", "unreviewed"}, got); diff != "" {
		t.Error(diff)
	}
	k = Knowledge{Type: "brand-persona", Profile: "hybrid", RuntimeMode: "persona", Grounding: "required", Trust: "official"}
	got = []string{k.EffectiveProfile(), k.EffectiveMode(), k.EffectiveGrounding(), k.EffectiveTrust()}
	if diff := cmp.Diff([]string{"hybrid", "persona", "required", "official"}, got); diff != "" {
		t.Error(diff)
	}
	k.RuntimeMode = ""
	if k.EffectiveMode() != "data" {
		t.Error("the type must not decide the mode")
	}
	for profile, want := range map[string][2]bool{"": {false, true}, documentFirst: {true, false}, WikiFirst: {false, true}, Hybrid: {true, true}} {
		k.Profile = profile
		if k.HasDocuments() != want[0] || k.HasWiki() != want[1] {
			t.Errorf("%q: documents %v, wiki %v", profile, k.HasDocuments(), k.HasWiki())
		}
	}
}

func TestTrustRank(t *testing.T) {
	if !(TrustRank("official") > TrustRank("user-confirmed") && TrustRank("user-confirmed") > TrustRank("external") && TrustRank("external") > TrustRank("unreviewed") && TrustRank("unreviewed") == TrustRank("")) {
		t.Error("order is wrong")
	}
}

func TestArchivedAndUnnamedPacksAreNotInTheCatalog(t *testing.T) {
	for _, change := range [][2]string{{"status: ready", "status: archived"}, {"description: D", "scope: D"}} {
		p, _ := open(t, "p", strings.Replace(required, change[0], change[1], 1))
		if p.InCatalog() {
			t.Errorf("%s is in the catalog", change[1])
		}
	}
}
