package strictyaml

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// lines writes diagnostics the way these tests compare them.
func lines(list []diag.Diagnostic) string {
	var out []string
	for _, d := range list {
		out = append(out, fmt.Sprintf("%d:%d %s", d.Line, d.Column, d.Message))
	}
	return strings.Join(out, "; ")
}

func TestFaultsHaveTheirPlaceAsEditorsCount(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"key given twice", "a: 1\n'a': 2\n", `2:1 key "a" is given twice; the first is on line 1`},
		{"columns count bytes", "ü: {é: 1, é: 2}\n", `1:13 key "é" is given twice; the first is on line 1`},
		{"byte-order mark", "\ufeff{a: 1, a: 2}\n", `1:11 key "a" is given twice; the first is on line 1`},
		{"CRLF", "a: 1\r\nb: 1\r\nb: 2\r\n", `3:1 key "b" is given twice; the first is on line 2`},
		{"a line end that YAML alone counts", "a: 'x\u2028 y'\nb: 1\nb: 2\n", `3:1 key "b" is given twice; the first is on line 2`},
		{"every fault", "a: &x 1\nb: *x\nc: !env y\n[k]: 1\n", "4:1 a key must be text; 1:4 anchor &x is not allowed; 2:4 alias *x is not allowed; 3:4 tag !env is not allowed"},
		{"no such anchor", "b: 1\na: *b\n", "2:1 alias *b has no anchor"},
		{"second document", "a: 1\n---\nb: 1\n", "2:1 there is more than one YAML document"},
		{"not UTF-8", "a: 1\n# \xff\n", "2:1 the file is not UTF-8 text"},
		{"tab", "a:\n\tb: 1\n", "2:2 the line is indented with a tab; YAML allows only spaces"},
		{"YAML 1.2", "# c\n%YAML 1.2\n---\na: 1\na: 2\n", `5:1 key "a" is given twice; the first is on line 4`},
		{"nothing", "# c\n", ""},
		{"nothing, written out", "~\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, faults := Parse([]byte(tt.text), Options{ID: "x", Path: "f"}); lines(faults) != tt.want {
				t.Errorf("got  %s\nwant %s", lines(faults), tt.want)
			}
		})
	}
}

func TestAFileWithAliasesIsBoundByWhatTheyAdd(t *testing.T) {
	bomb := "a: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	for _, tt := range []struct{ name, text, want string }{
		{"few", "a: &a [x]\nb: *a\n1: x\n'1': y\n", ""},
		{"bomb", bomb, "1:1 aliases add more than 1000 nodes"},
		{"loop", "a: &a [*a]\n", "1:8 alias *a contains itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, faults := Parse([]byte(tt.text), Options{Aliases: 1000}); lines(faults) != tt.want {
				t.Errorf("got  %s\nwant %s", lines(faults), tt.want)
			}
		})
	}
}

func TestManyFaultsAreCut(t *testing.T) {
	_, faults := Parse([]byte(strings.Repeat("a: 1\n", 5000)), Options{})
	if n := len(faults); n != maxFaults+1 || faults[n-1].Message != "there are more faults" {
		t.Errorf("%d diagnostics, the last %q", n, faults[n-1].Message)
	}
}

func TestAReaderCollectsEveryFault(t *testing.T) {
	var s struct {
		text  string
		flag  bool
		n     int
		names []string
	}
	r := &Reader{}
	doc := r.Document([]byte("text: 1\nflag: yes\nn: 0\nnames: [a, 2]\nsub:\n  colour: x\nnames: []\n"))
	r.Mapping(doc.Content[0], "", Keys{
		"text": r.Text(&s.text), "flag": r.Bool(&s.flag), "n": r.Whole(&s.n, 1), "names": r.List(&s.names, Any),
		"sub": r.Section("sub", Keys{"color": r.Text(&s.text)}),
	})
	want := `7:1 key "names" is given twice; the first is on line 4; 1:7 the value must be a string, not a number; ` +
		`2:7 the value must be true or false, not a string; 3:4 the value must be a whole number from 1 on, not 0; 4:12 the value must be a string, not a number; ` +
		`6:3 the key "sub.colour" is not known`
	if got := lines(r.Faults); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTypeFollowsTheCoreSchema(t *testing.T) {
	for _, tt := range []struct {
		value string
		want  ValueType
	}{
		{"yes", String}, {"on", String}, {"off", String}, {"n", String}, {"2026-05-20", String}, {"1_000", String},
		{"0b11", String}, {"12:30", String}, {"a", String}, {"'1'", String}, {`"true"`, String}, {"!!str 1", String}, {"|\n  1", String},
		{"<<", String}, {"1.2.3", String}, {"+", String}, {".", String}, {"é", String}, {"0o18", String},
		{"true", Bool}, {"False", Bool}, {"tRUE", String},
		{"1", Number}, {"-1.5e3", Number}, {"1.10", Number}, {"0x1F", Number}, {"0o17", Number}, {".inf", Number}, {"-.Inf", Number}, {".NaN", Number}, {"007", Number},
		{"", Null}, {"~", Null}, {"null", Null},
		{"[a]", List}, {"{a: b}", Mapping},
	} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte("k: "+tt.value+"\n"), &doc); err != nil {
			t.Fatalf("%q: %v", tt.value, err)
		}
		if got := Type(doc.Content[0].Content[1]); got != tt.want {
			t.Errorf("Type(%q) is %s, want %s", tt.value, got, tt.want)
		}
	}
}

func FuzzPlacesLieInTheFile(f *testing.F) {
	f.Add([]byte("a: 1\na: é\n"), 0)
	f.Add([]byte("?"), 1)
	f.Add([]byte("\ufeffa: &x [*x]\r\n"), 100)
	f.Fuzz(func(t *testing.T, data []byte, aliases int) {
		doc, faults := Parse(data, Options{Aliases: max(0, min(aliases, 1000))})
		text := strings.Split(string(data), "\n")
		var walk func(*yaml.Node)
		walk = func(n *yaml.Node) {
			if n.Line < 1 || n.Line > len(text) || n.Column < 1 || n.Column > len(text[n.Line-1])+1 {
				t.Fatalf("a node at %d:%d", n.Line, n.Column)
			}
			for _, c := range n.Content {
				walk(c)
			}
		}
		if doc != nil && len(faults) == 0 {
			walk(doc)
		}
	})
}
