package compiler

import (
	"strings"
	"testing"
)

func TestOptionalLayers(t *testing.T) {
	const ontology = "metadata:\n  primaryOntology: ontology/ontology.json"
	for _, tt := range []struct {
		name   string
		meta   string
		files  tree
		want   string // "severity id path", "" for none
		status string
	}{
		{"declared and there", ontology, tree{"ontology/ontology.json": `{"name": "o"}`}, "", "passed"},
		{"declared without the directory", ontology, nil, "warning optional-layer-missing KNOWLEDGE.md", "passed"},
		{"directory without a pointer", "license: MIT", tree{"ontology/ontology.json": "{}"}, "warning optional-layer-undeclared KNOWLEDGE.md", "passed"},
		{"answers without a pointer", "license: MIT", tree{"answers/questions.json": "[]"}, "warning optional-layer-undeclared KNOWLEDGE.md", "passed"},
		{"pointer to a missing file", ontology, tree{"ontology/claims.json": "{}"}, "error metadata-invalid KNOWLEDGE.md", "failed"},
		{"no JSON", ontology, tree{"ontology/ontology.json": "{\n  \"name\": }\n"}, "error schema-invalid ontology/ontology.json", "failed"},
		{"empty", ontology, tree{"ontology/ontology.json": ""}, "error schema-invalid ontology/ontology.json", "failed"},
		{"binary", ontology, tree{"ontology/ontology.json": "\xff\x00"}, "error schema-invalid ontology/ontology.json", "failed"},
		{"other files are data of another form", ontology, tree{"ontology/ontology.json": "{}", "ontology/exports/o.ttl": "x", "ontology/own.json": "{"}, "", "passed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := compileFiles(t, tree{
				"KNOWLEDGE.md": entry("wiki-first", "none", tt.meta), "wiki/a.md": "# A\n\nText.\n",
			}.with(tt.files))
			var got []string
			for _, d := range r.Diagnostics {
				got = append(got, d.Severity.String()+" "+d.ID+" "+d.Path)
			}
			if strings.Join(got, "; ") != tt.want || string(r.Run.Status) != tt.status {
				t.Errorf("%s: %s; want %s: %s\n%v", r.Run.Status, strings.Join(got, "; "), tt.status, tt.want, r.Diagnostics)
			}
			for name := range tt.files {
				if isInput(name) && !strings.Contains(strings.Join(inputsOf(r), " "), name) {
					t.Errorf("%s is not an input of the run", name)
				}
			}
		})
	}
}

func inputsOf(r *Result) []string {
	var list []string
	for _, in := range r.Run.Inputs {
		list = append(list, in.Path)
	}
	return list
}

func TestContentOntologyNeedsItsLayer(t *testing.T) {
	text := strings.Replace(entry("wiki-first", ""), "type: domain-reference", "type: content-ontology", 1)
	if r, _ := compileFiles(t, tree{"KNOWLEDGE.md": text, "wiki/a.md": "# A\n"}); r.Run.Status != "failed" {
		t.Errorf("the run is %s: %v", r.Run.Status, r.Diagnostics)
	}
}

func TestPersonaWithoutLimitsIsReported(t *testing.T) {
	guide := entry("document-first", "", "runtime:\n  mode: persona", "metadata:\n  primaryDocument: documents/d.md")
	for _, tt := range []struct {
		name   string
		files  tree
		warned bool
	}{
		{"without", nil, true},
		{"empty section", tree{"documents/d.md": "# D\n\n## Taboos\n\n## Voice\n\nx\n"}, true},
		{"in a document", tree{"documents/d.md": "# D\n\n## Taboos\n\n- never\n"}, false},
		{"in the guide", tree{"KNOWLEDGE.md": guide + "\n## Boundaries\n\n- never\n"}, false},
	} {
		dir := packDir(t, tree{"KNOWLEDGE.md": guide, "documents/d.md": "# D\n\nx\n"}.with(tt.files))
		for range 3 { // the third finds nothing changed
			r := rememberDir(t, dir, Options{})
			warned := false
			for _, d := range r.Diagnostics {
				warned = warned || d.ID == "persona-limits"
			}
			if warned != tt.warned || r.Run.Status != "passed" {
				t.Errorf("%s: warned %v, run %s", tt.name, warned, r.Run.Status)
			}
			believe(t, dir)
		}
	}
}
