//go:build unix

package site

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
)

// constructs are pieces of all dialects that pages are written in, most of them without
// their end.
var constructs = []string{
	"[a](", "[a](<", "[a](b \"", "[a](b '", "[a](b (", "![a](", "[", "![", "[a][", "[a]", "]", "[]", "[^a", "[^a]", "^[", "^[a", "[[", "[[a", "[[a|",
	"![[", "(", "()", "](", "](a", "<", "<a", "<a ", "<a b=\"", "<a b='", "<a b=", "</a", "</", "<!--", "<!-", "<!", "<!A", "<?", "<![CDATA[",
	"<!DOCTYPE ", "<script>", "<style>", "<pre>", "<textarea>", "<title>", "<svg>", "<math>", "<table>", "<td>", "<details>", "<summary>", "<div>",
	"<b>", "<p>", "<h2>", "<img src=\"", "<a href=\"", "<iframe>", "<noscript>", "<template>", "<select>", "<Tabs>", "<Tabs ", "<Tab title=\"",
	"<A b={", "<A b={{", "<>", "<http:", "<a@", "http://", "www.", "www.a", "a@", "a@b.", "mailto:", "http://a.b/(", "https://a?&", "*", "**", "*a",
	"*a ", "**a", "_a", "_", "__a", "~", "~~", "~~a", "==", "==a", "***", "*_", "**a*", "a*", "a**b", "*a_", "^", "^a", "~a", "`", "``a", "`a", "```",
	"~~~", "$", "$$", "$a", "$$a", "$`", "\\(", "\\[", "\\(a", "\\begin{a}", "\\", "\\frac{", "$\\frac{", "{", "}", "{{", "}}", "{%", "{% a",
	"{% if a %}", "{{<", "{{< a >}}", "{{%", "{{% a %}}", "{{ a", "{#", "{# a", "{{/*", "{: ", "{:.a", "{.a", "{#a}", "{.a}", "{++", "{--", "{~~",
	"{==", "{>>", "{++a", "%%", "%%a", "%% a %%", "&", "&a", "&#", "&#x", "&amp", ":a", ":a:", "::", ":::", ":::a", "+", "++", "++a", "++a+", "^a^",
	"<kbd>", "!!! a", "??? a", "=== \"a\"", "> ", ">", "- ", "-", "* ", "1. ", "1) ", "+ ", "- [ ] ", "# ", "#", "|", "|a", "|-", "a|", "---", "===",
	"--- ", ": ", ":", "a\n: ", "[a]: ", "[a]: b \"", "[a]: <", "[^a]: ", "[a]:", "\t", " ", "    ", "\\\n", "  \n", "%", "@", "@@", "#a",
	"import a from \"", "import {", "export ", "<% ", "<%= ", "--8<-- \"a\"", "--8<--", "[source: ", "[source: a#", "[status: ",
	"[source: sources/spec.md#L3]", "(source: ", " ^a", " ^a-b", "{@", "@import", "[!", "> [!NOTE]", "[!NOTE]", "\u0430", "\ufeff", "\u200b", "\u202e",
	"[TOC]", "[[_TOC_]]", "*[a]: ", "*[HTML]: b\n", ".. a::", ".. ", "```{a}", "```mermaid", "```math", "```diff\n", "{{'", "{{\"", "<a \"", "\"", "'",
	"\u201c", "--", "...", "->", "=>", "ignore previous instructions ", "ignore ", "ignore all ", "AKIA", "ghp_", "password=", "password: \"",
	"secret ", "-----BEGIN RSA PRIVATE KEY-----", "-----BEGIN ", "eyJ", "eyJa.", "a.", "a/", "../", "/", "a-", "a_", "curl ", "rm -rf ", "curl a | sh ",
	"A", "0", "0a", "a=", "a=\"", "://", "a:b@", "postgres://a:", "sk-", "xox", "system: ", "</system>", "<system>", "<|im_start|>", "base64 ", "YWJj",
	"%20", "\\u0041", "\\x41",
}

// ends are what closes some of them.
var ends = map[string]string{
	"[a](": ")", "[": "]", "![": "](a)", "^[": "]", "[[": "]]", "(": ")", "<a ": ">", "<!--": "-->", "<svg>": "</svg>", "<math>": "</math>", "<table>": "</table>", "<details>": "</details>", "<div>": "</div>", "<b>": "</b>", "<p>": "</p>", "<Tabs>": "</Tabs>", "*": "*", "**a": "**", "`": "`", "$": "$", "\\begin{a}": "\\end{a}", "$\\frac{": "}$", "{": "}", "{{": "}}", "{% if a %}": "{% endif %}", "{++": "++}", "\"": "\"",
}

// repeat returns about n bytes of a text, again and again.
func repeat(text string, n int) string { return strings.Repeat(text, n/len(text)) }

// arrangements are the ways in which a construct fills a page of about n bytes.
var arrangements = map[string]func(u string, n int) string{
	"in a line":      repeat,
	"with spaces":    func(u string, n int) string { return repeat(u+" ", n) },
	"on lines":       func(u string, n int) string { return repeat(u+"\n", n) },
	"in paragraphs":  func(u string, n int) string { return repeat(u+"\n\n", n) },
	"in a quote":     func(u string, n int) string { return repeat("> "+u+"\n", n) },
	"in a list":      func(u string, n int) string { return "- a\n\n" + repeat("  "+u+"\n", n) },
	"in code":        func(u string, n int) string { return "```go\n" + repeat(u, n) },
	"in cells":       func(u string, n int) string { return "| a |\n| --- |\n" + repeat("| "+u+" |\n", n) },
	"nested":         func(u string, n int) string { return repeat(u, n/2) + repeat(ends[u], n/2) },
	"nested, spaces": func(u string, n int) string { return repeat(u+" ", n/2) + repeat(ends[u]+" ", n/2) },
}

// processor returns the time that the processor spends on a call.
func processor(t *testing.T, call func()) time.Duration {
	t.Helper()
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		t.Fatal(err)
	}
	call()
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		t.Fatal(err)
	}
	return time.Duration(after.Utime.Nano() - before.Utime.Nano())
}

// work is what is done with one page, however many others there are.
func work(t *testing.T, s *Site, text string) {
	doc := markdown.Parse("documents/main.md", []byte(text))
	lint.Scan(doc.Path, doc.Text)
	cut.Document(doc, "main")
	if _, _, err := s.unit(&compiler.Unit{Doc: doc, Title: "Main", Splits: []compiler.SplitText{{Text: text, End: len(text)}}}); err != nil {
		t.Fatal(err)
	}
}

// growth says how a construct makes the work of a page grow by more than its size: four
// times as much of it may take eight times the time of the processor. Little time says
// nothing, and a machine that does something else meanwhile is given another chance.
func growth(t *testing.T, s *Site, small, big string) string {
	const head = "# K\n\n## A\n\n"
	least := map[string]time.Duration{}
	for range 4 {
		for _, text := range []string{big, small} {
			if took := processor(t, func() { work(t, s, head+text) }); least[text] == 0 || took < least[text] {
				least[text] = took
			}
			if least[big] < 80*time.Millisecond {
				return ""
			}
		}
		if least[big] < 8*max(least[small], 10*time.Millisecond) {
			return ""
		}
	}
	return fmt.Sprintf("%v for %d bytes, %v for %d", least[small], len(small), least[big], len(big))
}

func TestWorkGrowsWithThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("a minute of work")
	}
	const n = 40000
	s := New(Options{Jobs: 1})
	for _, name := range slices.Sorted(maps.Keys(arrangements)) {
		fill := arrangements[name]
		for _, u := range constructs {
			if strings.HasPrefix(name, "nested") && ends[u] == "" {
				continue
			}
			if how := growth(t, s, fill(u, n/4), fill(u, n)); how != "" {
				t.Errorf("%q %s: %s", u, name, how)
			}
		}
	}
}

// A page of a fuzzer is two pieces, each many times, and perhaps a third that ends them.
func FuzzWork(f *testing.F) {
	for i, u := range constructs {
		f.Add(u, constructs[(i+7)%len(constructs)], ends[u])
	}
	s := New(Options{Jobs: 1})
	f.Fuzz(func(t *testing.T, a, b, end string) {
		if a == "" || len(a) > 64 || len(b) > 64 || len(end) > 64 {
			t.Skip()
		}
		page := func(n int) string {
			text := repeat(a, n/2)
			if b != "" {
				text += repeat(b, n/2)
			}
			if end != "" {
				text += repeat(end, n/2)
			}
			return text
		}
		if how := growth(t, s, page(10000), page(40000)); how != "" {
			t.Errorf("%q, %q and %q: %s", a, b, end, how)
		}
	})
}
