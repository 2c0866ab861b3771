package lexers

import (
	"archive/zip"
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/alecthomas/chroma/v2"
	theirs "github.com/alecthomas/chroma/v2/lexers"
)

var update = flag.Bool("update", false, "rewrite lexers.zip")

// left are the lexers that are not in the archive.
var left = []string{"Raku"}

// file is a file of the archive.
type file struct{ name, text string }

func TestArchiveHoldsTheRulesOfChroma(t *testing.T) {
	want := made(t)
	if *update {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, f := range want {
			to, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(to, f.text); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile("lexers.zip", b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var got []file
	for _, f := range r.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, file{f.Name, string(text)})
	}
	if !slices.Equal(got, want) {
		t.Error("lexers.zip is not what chroma's lexers give: run go test -update")
	}
}

// made are the files of the archive, made from chroma's lexers.
func made(t *testing.T) []file {
	t.Helper()
	var list []file
	for i, lexer := range theirs.GlobalLexerRegistry.Lexers {
		name := lexer.Config().Name
		if slices.Contains(left, name) {
			continue
		}
		rules := rulesOf(t, lexer)
		file := func(suffix, text string) { list = append(list, file{fmt.Sprintf("%03d%s", i, suffix), text}) }
		config := *lexer.Config()
		config.Analyse = nil // only asked of text without a language
		data, err := chroma.Marshal(chroma.MustNewLexer(&config, func() chroma.Rules { return rules }))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		file(".xml", inOrder(t, string(data)))
		if source, ok := map[string]string{"Common Lisp": "cl.go", "EmacsLisp": "emacs.go"}[name]; ok {
			file(wordsSuffix, words(t, lexer, source))
		}
	}
	return list
}

// inOrder returns the XML of a lexer with its states in order: chroma keeps them in a map.
func inOrder(t *testing.T, text string) string {
	states := regexp.MustCompile(`(?s)    <state name="[^"]*"(?:/>|>.*?\n    </state>)\n`)
	list := states.FindAllString(text, -1)
	first := strings.Index(text, list[0])
	rest := states.ReplaceAllString(text, "")
	slices.Sort(list)
	return rest[:first] + strings.Join(list, "") + rest[first:]
}

// rulesOf returns the rules of a lexer, or of the one that it is made of, without functions.
func rulesOf(t *testing.T, lexer chroma.Lexer) chroma.Rules {
	t.Helper()
	for {
		inner, ok := lexer.(*chroma.RegexLexer)
		if ok {
			return withoutCode(lexer.Config().Name, inner.MustRules().Clone())
		}
		v := reflect.ValueOf(lexer).Elem()
		for _, field := range []string{"Lexer", "lexer", "language"} {
			if f := v.FieldByName(field); f.IsValid() {
				lexer = reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface().(chroma.Lexer)
			}
		}
	}
}

// withoutCode returns rules with marks in the places of functions. The functions of HTTP do
// what can be said without them.
func withoutCode(name string, rules chroma.Rules) chroma.Rules {
	for state, list := range rules {
		for i := range list {
			r := &list[i]
			switch {
			case name == "HTTP" && state == "content":
				r.Type = chroma.Generic
			case name == "HTTP" && state == "headers" && i == 0:
				r.Type = chroma.ByGroups(chroma.Name, chroma.Text, chroma.Operator, chroma.Text, chroma.Literal, chroma.Text)
			case name == "HTTP" && state == "headers" && i == 1:
				r.Type = chroma.ByGroups(chroma.Text, chroma.Literal, chroma.Text)
			case name == "Go" && strings.HasPrefix(r.Pattern, "(`)"),
				name == "Haxe" && strings.HasPrefix(r.Pattern, "(#)(if|"),
				name == "reStructuredText" && strings.Contains(r.Pattern, "code(?:-block)"):
				r.Type, r.Mutator = ruleOfCode, nil
			}
		}
	}
	return rules
}

// words lists the words of a source file of chroma that a lexer gives another type.
func words(t *testing.T, lexer chroma.Lexer, source string) string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "lexers", source), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	mapper := reflect.ValueOf(lexer).Elem().FieldByName("mapper")
	remap := reflect.NewAt(mapper.Type(), unsafe.Pointer(mapper.UnsafeAddr())).Elem().Interface().(func(chroma.Token) []chroma.Token)
	var lines []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			if to := remap(chroma.Token{Type: chroma.NameVariable, Value: word})[0].Type; to != chroma.NameVariable {
				lines = append(lines, fmt.Sprintf("%s %s\n", to, word))
			}
		}
		return true
	})
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "")
}

// Lexers are looked for by name and alias, then by patterns of file names, in order.
func TestLexersAreFoundAsInChroma(t *testing.T) {
	ours := Registry()
	i := 0
	for _, lexer := range theirs.GlobalLexerRegistry.Lexers {
		want := *lexer.Config()
		if slices.Contains(left, want.Name) {
			continue
		}
		got := *ours.Lexers[i].Config()
		i++
		got.Analyse, want.Analyse = nil, nil
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the configuration %d is %+v, want %+v", i, got, want)
		}
		for _, name := range append(want.Aliases, want.Name) {
			if got, want := ours.Get(name).Config().Name, theirs.Get(name).Config().Name; got != want {
				t.Errorf("%s: found %s, want %s", name, got, want)
			}
		}
	}
	if i != len(ours.Lexers) {
		t.Errorf("%d lexers, want %d", len(ours.Lexers), i)
	}
}

// samples are for the lexers that are made of more than rules.
var samples = map[string][]string{
	"Common Lisp":      {"(defun f (x &optional y) (declare (type integer x)) (car (list x 'fixnum)))\n"},
	"EmacsLisp":        {"(defun f (x) (interactive) (error \"no\") (provide 'x) (use-package y) (cl-assert t) (car x) &rest)\n"},
	"ERB":              {"<p class=\"a\"><%= name.upcase %></p><% if x %>text<% end %>\n"},
	"Go HTML Template": {"<ul>{{range .Items}}<li id=\"{{.ID}}\">{{.Name | html}}</li>{{end}}</ul>\n"},
	"Go":               {"var t = `a {{.B | printf \"%s\"}} c`\nvar u = ``\nfunc f() { g(1) }\n"},
	"Haxe":             {"#if js\nvar x = 1;\n#elseif (cpp && !debug)\nvar x:Int = 2;\n#else\nvar x = 3;\n#end\n#error \"no\"\nclass A {\n#if a\nfunction f() {\n#else\nfunction g() {\n#end\n}}\n"},
	"HTTP":             {"POST /x HTTP/1.1\nHost: example.org\nX: a\n  b\nContent-Type: application/json; charset=utf-8\n\n{\"a\": [1, true]}\n", "HTTP/1.1 200 OK\ncontent-type: application/atom+xml\n\n<a b=\"c\">d</a>\n", "GET / HTTP/2\nContent-Type: x/y\n\nbody\n", "GET / HTTP/1.1\n\nbody\n"},
	"markdown":         {"---\na: [1, b]\n---\n# T\n\nx *y* `z`\n", "---\r\na: 1\r\n---\r\nx\n", "---\nno end\n# T\n", "---\n---\nx", "---", "# T\n\n```go\nfunc f() {}\n```\n"},
	"PHTML":            {"<h1><?php echo $x['y'] ?? strtoupper(\"z\"); ?></h1>\n<p>text\n"},
	"reStructuredText": {"Title\n=====\n\n.. code-block:: python\n\n    def f(x):\n        return \"y\"\n\ntext *x*\n\n.. code:: nosuchlanguage\n\n  a b\n  c\n\nend::\n\n  literal\n"},
	"Svelte":           {"<script lang=\"ts\">let a: number = 1;</script>\n<!-- c -->\n{#each items as item}<p on:click|once={f}>{item.x}</p>{/each}\n{#await p then v}{v}{/await}\n"},
	"YAML+Jinja":       {"a: {{ b | default('c') }}\n{% if x %}\nd: [1, two]\n{% endif %}\n# {# note #}\n"},
	"Python":           {"def f(x: int) -> str:\n    return f'{x!r}'\n"},
	"TypeScript":       {"let x: Map<string, number> = new Map(); // c\n"},
}

func TestLexersGiveTheTokensOfChroma(t *testing.T) {
	for name, texts := range samples {
		for _, text := range texts {
			got, want := tokens(t, Registry().Get(name), text), tokens(t, theirs.Get(name), text)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q gives\n%v\nwant\n%v", name, text, got, want)
			}
		}
	}
}

// tokens are what a lexer makes of a text, without those that are empty.
func tokens(t *testing.T, lexer chroma.Lexer, text string) (list []chroma.Token) {
	t.Helper()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		t.Fatal(err)
	}
	for token := next(); token != chroma.EOF; token = next() {
		if token.Value != "" {
			list = append(list, token)
		}
	}
	return list
}
