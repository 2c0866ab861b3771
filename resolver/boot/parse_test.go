package boot

import (
	"fmt"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/diag"
)

// line writes a diagnostic the way these tests compare it.
func line(d diag.Diagnostic) string {
	return fmt.Sprintf("%s: %s [%s] %s", d.Place(), d.Severity, d.ID, d.Message)
}

func TestParseNamesThePlaceOfEveryFault(t *testing.T) {
	for _, tt := range []struct {
		name, yml string
		want      []string
	}{
		{"duplicate key", "briefs: {}\nbriefs: {}\n", []string{
			`boot.yml:2:1: error [boot-yaml-invalid] boot.yml has invalid yaml: key "briefs" is given twice; the first is on line 1`}},
		{"duplicate key below an ignored one", "x:\n  a: 1\n  a: 2\n", []string{
			`boot.yml:3:3: error [boot-yaml-invalid] boot.yml has invalid yaml: key "a" is given twice; the first is on line 2`}},
		{"second document", "briefs: {}\n---\nskills: {}\n", []string{
			`boot.yml:2:1: error [boot-yaml-invalid] boot.yml has invalid yaml: there is more than one YAML document`}},
		{"tab as indentation", "briefs:\n\tsay: []\n", []string{
			`boot.yml:2:2: error [boot-yaml-invalid] boot.yml has invalid yaml: the line is indented with a tab; YAML allows only spaces`}},
		{"not UTF-8", "briefs: {}\n# \xff\n", []string{
			`boot.yml:2:1: error [boot-yaml-invalid] boot.yml has invalid yaml: the file is not UTF-8 text`}},
		{"top level", "- a\n", []string{
			`boot.yml:1:1: error [boot-schema-invalid] boot.yml has invalid schema: the top level must be a mapping, not a list`}},
		{"mixed mode points at the later key", "always: {}\n\nskills: {}\n", []string{
			`boot.yml:3:1: error [boot-mode-mixed] mixed mode not allowed — use either top-level briefs/skills OR always/subject, not both.`}},
		{"every fault of the file", "always: [a]\nsubject.: {}\nsubject.b:\n  briefs:\n    say: [7, true, ~, {a: b}]\n    ref: x\n", []string{
			`boot.yml:1:9: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "always" must be a mapping, not a list`,
			`boot.yml:2:1: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: subject. has no slug`,
			`boot.yml:5:11: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "say" must be a list of strings, and this item is the number 7`,
			`boot.yml:5:14: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "say" must be a list of strings, and this item is the truth value true`,
			`boot.yml:5:20: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "say" must be a list of strings, and this item is empty`,
			`boot.yml:5:23: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "say" must be a list of strings, and this item is a mapping`,
			`boot.yml:6:10: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: "ref" must be a list of strings, not text`}},
		{"say without a value in simple mode", "briefs:\n  say:\n", []string{
			`boot.yml:2:3: error [boot-schema-invalid] boot.yml has invalid schema for simple mode: say has no value, which could mean all or none`}},
		{"columns count bytes", "always: {briefs: {say: [ü.md, '[']}}\n", []string{
			`boot.yml:1:32: error [boot-glob-invalid] boot.yml has an invalid glob: "[": unclosed [`}},
		{"byte-order mark", "\ufeff[]\n", []string{
			`boot.yml:1:4: error [boot-schema-invalid] boot.yml has invalid schema: the top level must be a mapping, not a list`}},
		{"CRLF", "briefs:\r\n  say: x\r\n", []string{
			`boot.yml:2:8: error [boot-schema-invalid] boot.yml has invalid schema for simple mode: "say" must be a list of strings, not text`}},
		{"misspelled section", "subjct.a: {briefs: {}}\n", []string{
			`boot.yml:1:1: error [boot-key-unread] key "subjct.a" declares a section under a key no mode reads`}},
		{"misspelled list", "briefs: {said: [a]}\n", []string{
			`boot.yml:1:10: warning [boot-key-unknown] key "said" in briefs means nothing in boot.yml and is ignored`}},
		{"merge key", "x: &x {say: []}\nbriefs: {<<: *x}\n", []string{
			`boot.yml:1:1: warning [boot-key-unknown] key "x" means nothing in boot.yml and is ignored`,
			`boot.yml:2:10: error [boot-schema-invalid] boot.yml has invalid schema for simple mode: merge keys (<<) are not read`}},
		{"budget in a section", "always: {budget: {tokens: 1}}\n", []string{
			`boot.yml:1:10: error [boot-schema-invalid] boot.yml has invalid schema for subject mode: a budget belongs at the top level, not in a section`}},
		{"budget cut at its comma", "budget: {tokens: 5,000}\n", []string{
			`boot.yml:1:20: error [boot-schema-invalid] boot.yml has invalid schema: budget has no key "000"`}},
		{"budget of nothing", "budget: {tokens: 0}\n", []string{
			`boot.yml:1:18: error [boot-schema-invalid] boot.yml has invalid schema: budget tokens must be a positive whole number`}},
		{"alias to itself", "a: &a [*a]\n", []string{
			`boot.yml:1:8: error [boot-yaml-invalid] boot.yml has invalid yaml: alias *a contains itself`}},
		{"slug that no flag can name", "subject.a,b: {}\n", []string{
			`boot.yml:1:1: warning [boot-key-unknown] subject "a,b" can never be named by a usecase, which is split at commas and trimmed`}},
		{"control characters in what is quoted", "\"a\\nb\\u202e\": 1\n", []string{
			`boot.yml:1:1: warning [boot-key-unknown] key "a\u000ab\u202e" means nothing in boot.yml and is ignored`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := Parse("boot.yml", []byte(tt.yml))
			var lines []string
			for _, d := range got {
				lines = append(lines, line(d))
			}
			want := strings.Join(sorted(tt.want), "\n")
			if got := strings.Join(sorted(lines), "\n"); got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

func TestParseSuggestsTheKnownKey(t *testing.T) {
	for yml, want := range map[string]string{
		"briefs: {sya: [a]}":        "did you mean say?",
		"brief: {say: [a]}":         "did you mean briefs?",
		"always: {skils: {}}":       "did you mean skills?",
		"author: me":                "use one of briefs, skills, always, budget",
		"always: {briefs: {nto: }}": "use one of say, ref, hide",
	} {
		_, got := Parse("boot.yml", []byte(yml))
		if len(got) != 1 || got[0].Hint != want {
			t.Errorf("Parse(%q) = %v, want the hint %q", yml, got, want)
		}
	}
}

func TestBudgetNumbers(t *testing.T) {
	for yml, want := range map[string]int{
		"budget: {tokens: 20000}":       20000,
		"budget: {tokens: 5_000}":       5000,
		"budget:\n  tokens: 5,000":      5000,
		"budget: {tokens: \"5,000\"}":   5000,
		"budget:":                       0,
		"budget: {}":                    0,
		"budget: {tokens: -1}":          -1,
		"budget: {tokens: 1.5}":         -1,
		"budget: {tokens: 0x10}":        -1,
		"budget: {tokens: 99999999999}": -1,
		"budget: {tokens: }":            -1,
		"budget: 5000":                  -1,
		"budget: {tokens: _5}":          -1,
	} {
		cfg, found := Parse("boot.yml", []byte(yml))
		switch {
		case want < 0:
			if !hasError(found, "boot.yml has invalid schema: budget") {
				t.Errorf("Parse(%q) = %v, want a refused budget", yml, found)
			}
		case cfg == nil || cfg.Budget != want:
			t.Errorf("Parse(%q) = %v, %v, want a budget of %d", yml, cfg, found, want)
		}
	}
}

func TestParseBoundsHostileFiles(t *testing.T) {
	bomb := "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for _, tt := range []struct{ name, yml, want string }{
		{"ten megabytes", strings.Repeat("# nothing\n", 1<<20), "is larger than 4 MiB"},
		{"alias bomb", bomb, "aliases add more than 10000 nodes"},
		{"deep nesting", strings.Repeat("[", 100_000), "exceeded max depth"},
		{"one key many times", strings.Repeat("a:\n", 50_000), "there are more faults"},
		{"braces that multiply", "briefs: {say: ['" + strings.Repeat("{a,b}", 40) + "']}", "stands for more than 256 plain globs"},
		{"brackets that multiply", "briefs: {say: ['" + strings.Repeat("[ab]", 40) + "']}", "stands for more than 256 plain globs"},
		{"braces inside each other", "briefs: {say: ['" + strings.Repeat("{", 1000) + strings.Repeat("}", 1000) + "']}", "more than 32 deep"},
		{"a long glob", "briefs: {say: [" + strings.Repeat("a", 5000) + "]}", "longer than 4096 bytes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg, found := Parse("boot.yml", []byte(tt.yml))
			if cfg != nil || !hasError(found, tt.want) {
				t.Errorf("no error says %q: %.300v", tt.want, found)
			}
			if len(found) > maxFaults+1 {
				t.Errorf("%d diagnostics", len(found))
			}
		})
	}
}

func TestParseTakesTenThousandSubjects(t *testing.T) {
	var yml strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&yml, "subject.s%d:\n  briefs: {say: [a%d.md]}\n", i, i)
	}
	cfg, found := Parse("boot.yml", []byte(yml.String()))
	if cfg == nil || len(found) > 0 {
		t.Fatalf("refused: %.300v", found)
	}
	if slugs := cfg.Subjects(); len(slugs) != 10_000 || slugs[9999] != "s9999" {
		t.Errorf("%d subjects", len(slugs))
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range loadGolden(f) {
		if c.BootYml != nil {
			f.Add([]byte(*c.BootYml))
		}
	}
	f.Add([]byte("\ufeffalways: &a {briefs: {say: [*a]}}\r"))
	f.Add([]byte("a: \u2028b\n? [x]\n: {<<: *x}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		cfg, found := Parse("boot.yml", data)
		if refused := diag.Count(found, diag.Error) > 0; refused == (cfg != nil) {
			t.Errorf("Config %v beside %v", cfg, found)
		}
		lines := 1 + strings.Count(string(data), "\n")
		for _, d := range found {
			if d.Line > lines || d.Column < 0 || strings.ContainsAny(d.Message+d.Hint, "\n\x1b") {
				t.Errorf("bad diagnostic in a file of %d lines: %q", lines, line(d))
			}
		}
	})
}

// The YAML package counts some lines from 0 and others from 1. What is left open
// is named where it began, or at the end of the file when that is line 1.
func TestSyntaxErrorsNameTheirLine(t *testing.T) {
	for text, want := range map[string]int{
		"briefs: {say: [a.md\n":                           2,
		"\nbriefs:\n  say: [a.md\n":                       3,
		"briefs:\n  say: {a\n":                            2,
		"skills: {}\nbriefs: {}\n  say: [a.md]\n":         3,
		"skills: {}\nbriefs:\n  say:\n    - a\n   b: c\n": 3,
		"briefs:\n\tsay: [a.md]\n":                        2,
		"skills: {}\nbriefs: \"a\n":                       2,
		"skills: {}\nbriefs: !nope!x {}\n":                2,
	} {
		_, found := Parse("boot.yml", []byte(text))
		if len(found) != 1 || found[0].ID != idYAML || found[0].Line != want {
			t.Errorf("%q: found %v, want one fault in line %d", text, found, want)
		}
	}
}

func TestADirectiveOfYAML12IsRead(t *testing.T) {
	for _, text := range []string{
		"%YAML 1.2\n---\nalways: {}\n",
		"# A role.\n\n%YAML  1.2 # the version\n---\nalways: {}\n...\n",
	} {
		if cfg, faults := Parse("boot.yml", []byte(text)); cfg == nil || cfg.Mode != ModeSubject {
			t.Errorf("%q: %v", text, faults)
		}
	}
	for _, text := range []string{"%YAML 1.3\n---\nalways: {}\n", "always: {}\n%YAML 1.2\n---\n"} {
		if cfg, _ := Parse("boot.yml", []byte(text)); cfg != nil {
			t.Errorf("%q is taken", text)
		}
	}
	if _, faults := Parse("boot.yml", []byte("%YAML 1.2\n---\nalways: [a]\n")); len(faults) != 1 || faults[0].Line != 3 {
		t.Errorf("faults %v, want one in line 3", faults)
	}
}
