package frontmatter

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

func TestDecode(t *testing.T) {
	for _, tt := range []struct {
		name, file, want string
		ok               bool
	}{
		{"plain", "a\nb\n", "a\nb\n", true},
		{"empty", "", "", true},
		{"byte-order mark", "\xef\xbb\xbfa", "a", true},
		{"only the first mark", "\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa", true},
		{"CRLF", "a\r\nb\r\n", "a\nb\n", true},
		{"CR", "a\rb\r", "a\nb\n", true},
		{"mixed", "a\r\r\nb\n\r", "a\n\nb\n\n", true},
		{"NUL", "a\x00b", "", false},
		{"not UTF-8", "a\xff", "", false},
		{"surrogate", "\xed\xa0\x80", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := Decode([]byte(tt.file))
			if string(got) != tt.want || ok != tt.ok {
				t.Errorf("Decode(%q) = %q, %v; want %q, %v", tt.file, got, ok, tt.want, tt.ok)
			}
		})
	}
}

func TestLegibleReadsOtherEncodings(t *testing.T) {
	for _, tt := range []struct {
		name, file, want string
		ok               bool
	}{
		{"what Decode reads", "\xef\xbb\xbfa\r\nb", "a\nb", true},
		{"Latin-1", "caf\xe9\r\nb", "caf?\nb", true},
		{"UTF-8 after a stray byte", "\xff\u00e9", "?\u00e9", true},
		{"UTF-16, little end first", "\xff\xfea\x00\r\x00\n\x00\xac\x20", "a\n\u20ac", true},
		{"UTF-16, big end first", "\xfe\xff\x00a\xd8\x3d\xde\x80", "a\U0001f680", true},
		{"half a unit at the end", "\xff\xfea\x00b", "a", true},
		{"half a pair", "\xfe\xff\xd8\x3d\x00a", "\ufffda", true},
		{"only a mark", "\xff\xfe", "", true},
		{"binary", "\x89PNG\x00", "", false},
		{"binary behind a mark", "\xff\xfe\x00\x00", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := []byte(tt.file)
			got, ok := Legible(file)
			if string(got) != tt.want || ok != tt.ok {
				t.Errorf("Legible(%q) = %q, %v; want %q, %v", tt.file, got, ok, tt.want, tt.ok)
			}
			if string(file) != tt.file {
				t.Errorf("the file was changed to %q", file)
			}
		})
	}
}

func TestDecodeDoesNotCopyWhatIsText(t *testing.T) {
	file := []byte("\xef\xbb\xbfa\nb\n")
	text, _ := Decode(file)
	if &text[0] != &file[3] {
		t.Error("the text is a copy")
	}
}

func TestReadFindsTheBlock(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		end        int
		required   bool
		want       string // the diagnostic, "" for none
	}{
		{"simple", "---\na: b\n---\nx", 13, false, ""},
		{"blanks after the markers", "--- \na: b\n---\t \nx", 16, false, ""},
		{"at the end of the file", "---\na: b\n---", 12, true, ""},
		{"empty", "---\n---\n", 8, true, ""},
		{"comment only", "---\n# c\n---\n", 12, false, ""},
		{"null", "---\n~\n---\n", 10, false, ""},
		{"none", "a: b\n---\n", 0, false, ""},
		{"none, required", "a: b\n---\n", 0, true, "1:1 front matter is missing"},
		{"empty file, required", "", 0, true, "1:1 front matter is missing"},
		{"blank line first", "\n---\n---\n", 0, false, ""},
		{"blank before the marker", " ---\n---\n", 0, false, ""},
		{"four dashes", "----\n---\n", 0, false, ""},
		{"unclosed", "---\na: b\n", 9, false, "1:1 the front matter is never closed, so none of the page is published"},
		{"unclosed, required", "---\na: b\n", 0, true, "1:1 front matter is not closed"},
		{"dots do not close", "---\na: b\n...\n", 0, true, "1:1 front matter is not closed"},
		{"indented dashes do not close", "---\na: |\n ---\n---\nx", 18, false, ""},
		{"dashes with text do not close", "---\n\na: b\n---x\n", 0, false, ""},
		{"list", "---\n- a\n---\n", 12, false, "2:1 the value must be a map, not a list"},
		{"text", "---\ntext\n---\n", 13, false, "2:1 the value must be a map, not a string"},
		{"duplicate key", "---\na: 1\n'a': 2\n---\n", 20, false, `3:1 key "a" is given twice; the first is on line 2`},
		{"duplicate key below", "---\na: {b: 1, b: 2}\n---\n", 24, false, `2:11 key "b" is given twice; the first is on line 2`},
		{"alias", "---\na: *b\n---\n", 14, false, "2:1 alias *b has no anchor"},
		{"anchor", "---\na: &b 1\n---\n", 16, false, "2:4 anchor &b is not allowed"},
		{"tag", "---\na: !env x\n---\n", 18, false, "2:4 tag !env is not allowed"},
		{"second document", "---\na: 1\n--- b\n---\n", 19, false, "3:1 there is more than one YAML document"},
		{"list as key", "---\n[a]: b\n---\n", 15, false, "2:1 a key must be text"},
		{"tab", "---\na:\n\tb: 1\n---\n", 17, false, "3:2 the line is indented with a tab; YAML allows only spaces"},
		{"colon in a value", "---\nx: 1\na: b: c\n---\n", 21, false, "3:1 this is not valid YAML: mapping values are not allowed in this context"},
		{"open bracket", "---\nx: 1\na: [1\n---\n", 19, false, "3:1 this is not valid YAML: did not find expected ',' or ']'"},
		{"column in bytes", "---\nü: {é: 1, é: 2}\n---\n", 27, false, `2:13 key "é" is given twice; the first is on line 2`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			block, faults := Read([]byte(tt.text), Options{Path: "f.md", Required: tt.required})
			if block.End != tt.end {
				t.Errorf("End = %d, want %d", block.End, tt.end)
			}
			got := ""
			for i, x := range faults {
				if i > 0 {
					got += "; "
				}
				got += strings.TrimPrefix(x.Place(), "f.md:") + " " + x.Message
				if x.ID != ID || x.Severity != diag.Error {
					t.Errorf("diagnostic %+v is not an error %s", x, ID)
				}
			}
			if got != tt.want {
				t.Errorf("diagnostics %q, want %q", got, tt.want)
			}
			if len(faults) > 0 && block.Node != nil {
				t.Error("a broken block has a node")
			}
		})
	}
}

func TestReadLimits(t *testing.T) {
	deep := func(n int) string { return "a: " + strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, tt := range []struct {
		name, inside, want string
	}{
		{"1 MiB", "a: " + strings.Repeat("x", MaxPageBytes-len("---\na: \n---\n")), ""},
		{"over 1 MiB", "a: " + strings.Repeat("x", MaxPageBytes), "front matter is larger than 1024 KiB"},
		{"10 MB", strings.Repeat("a: b\n", 2<<20), "front matter is larger than 1024 KiB"},
		{"depth", deep(strictyaml.MaxDepth - 1), ""},
		{"too deep", deep(strictyaml.MaxDepth), "the YAML is nested deeper than 32 levels"},
		{"brackets", strings.Repeat("[", 60_000), "this is not valid YAML: exceeded max depth of 10000"},
		{"dashes", strings.Repeat("- ", 30_000), "this is not valid YAML: exceeded max depth of 10000"},
		{"brackets in a string", `a: "` + strings.Repeat("[", 1000) + `"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, faults := Read([]byte("---\n"+tt.inside+"\n---\n"), Options{})
			got := ""
			if len(faults) > 0 {
				got = faults[0].Message
			}
			if got != tt.want {
				t.Errorf("diagnostic %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMapReadsTypedValues(t *testing.T) {
	text := "---\ns: text\nn: 1.10\nyes: on\nt: true\nlist: [a, 'b']\none: x\nbad: [a, 1, [b]]\nnone: ~\nm:\n  deep: [c]\n  num: 7\nempty: []\n---\n"
	block, faults := Read([]byte(text), Options{Path: "f.md"})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var sink []diag.Diagnostic
	m := NewMap("f.md", block.Node, &sink)
	type result struct {
		Value any
		OK    bool
	}
	of := func(value any, ok bool) result { return result{value, ok} }
	s, ok := m.String("s")
	yes, yesOK := m.String("yes")
	n, nOK := m.String("n")
	absent, absentOK := m.String("absent")
	none, noneOK := m.String("none")
	list, listOK := m.Strings("list")
	one, oneOK := m.StringOrStrings("one")
	bad, badOK := m.Strings("bad")
	empty, emptyOK := m.Strings("empty")
	truth, truthOK := m.Bool("t")
	notBool, notBoolOK := m.Bool("yes")
	deep, deepOK := m.Map("m").Strings("deep")
	num, numOK := m.Map("m").String("num")
	notMap := m.Map("s").Keys()
	got := []result{
		of(s, ok), of(yes, yesOK), of(n, nOK), of(absent, absentOK), of(none, noneOK), of(list, listOK), of(one, oneOK),
		of(bad, badOK), of(empty, emptyOK), of(truth, truthOK), of(notBool, notBoolOK), of(deep, deepOK), of(num, numOK), of(len(notMap), true),
	}
	want := []result{
		{"text", true}, {"on", true}, {"", false}, {"", false}, {"", false}, {[]string{"a", "b"}, true}, {[]string{"x"}, true},
		{[]string(nil), false}, {[]string{}, true}, {true, true}, {false, false}, {[]string{"c"}, true}, {"", false}, {0, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	var messages []string
	for _, x := range sink {
		messages = append(messages, fmt.Sprintf("%s %s %s", x.Place(), x.Message, x.Hint))
	}
	wantMessages := []string{
		`f.md:3:4 key "n" must be a string, not a number quote it: "1.10"`,
		`f.md:8:10 key "bad" must be a string, not a number quote it: "1"`,
		`f.md:8:13 key "bad" must be a string, not a list write a string`,
		`f.md:4:6 key "yes" must be a boolean, not a string write true or false, without quotes`,
		`f.md:12:8 key "m.num" must be a string, not a number quote it: "7"`,
		`f.md:2:4 key "s" must be a map, not a string write a map`,
	}
	if diff := cmp.Diff(wantMessages, messages); diff != "" {
		t.Errorf("diagnostics (-want +got):\n%s", diff)
	}
	if keys := m.Keys(); len(keys) != 10 || keys[0].Value != "s" {
		t.Errorf("got %d keys", len(keys))
	}
}

func TestZeroMapIsEmpty(t *testing.T) {
	var m Map
	if _, ok := m.String("a"); ok || m.Keys() != nil || m.Map("a").Map("b").Value("c") != nil {
		t.Error("the zero Map holds something")
	}
	m.Report("a", ID, diag.Error, "dropped", "")
}

// Whoever reads all keys of a mapping looks each of them up.
func TestLargeMappingsAreReadInLinearTime(t *testing.T) {
	node := &yaml.Node{Kind: yaml.MappingNode}
	add := func(key, value, tag string) {
		node.Content = append(node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value})
	}
	add("none", "null", "!!null")
	for i := range 200_000 {
		add(fmt.Sprintf("a key of some length %d", i), "x", "!!str")
	}
	add("none", "y", "!!str")
	m := NewMap("f", &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Tag: "!!str", Value: "all"}, node}}, nil).Map("all")
	began := time.Now()
	for i, key := range m.Keys() {
		if text, ok := m.String(key.Value); ok != (key.Value != "none") || ok && text != "x" {
			t.Fatalf("%q: %q, %t", key.Value, text, ok)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Fatalf("%s for %d keys", took, i)
		}
	}
	if m.Value("gone") != nil {
		t.Error("a key that is not there has a value")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"---\na: b\n---\nx", "---\n---\n", "---\na: &a [*a]\n---\n", "\xef\xbb\xbf---\r\na: 1\r\n---\r\n", "---\n? [a]\n: {é: 1, é: 2}\n---",
		"---\na: |\n  ---\n\n---\n", "---\n!!map {a: !!str 1}\n---\n", "---\n%YAML 1.1\n---\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		text, ok := Decode(file)
		if !ok {
			return
		}
		if again, ok := Decode(text); ok && len(again) != len(text) && !strings.HasPrefix(string(text), "\ufeff") {
			t.Fatalf("decoding %q twice gives %q", text, again)
		}
		for _, required := range []bool{false, true} {
			block, faults := Read(text, Options{Path: "f", Required: required})
			if block.End < 0 || block.End > len(text) || block.Node != nil && len(faults) > 0 {
				t.Fatalf("block %+v, faults %v", block, faults)
			}
			if block.End > 0 && block.End < len(text) && text[block.End-1] != '\n' {
				t.Fatalf("the body does not start a line: %q", text[:block.End])
			}
			lines := strings.Count(string(text), "\n") + 1
			for _, x := range faults {
				if x.Line < 1 || x.Line > lines || x.Message == "" {
					t.Fatalf("diagnostic %+v in %d lines", x, lines)
				}
			}
			var sink []diag.Diagnostic
			m := NewMap("f", block.Node, &sink)
			for _, key := range m.Keys() {
				m.String(key.Value)
				m.Strings(key.Value)
				m.Bool(key.Value)
				m.Map(key.Value)
			}
		}
	})
}
