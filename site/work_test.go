//go:build linux

package site

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/cut"
	"github.com/packgen/packgen/compiler/lint"
	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/oktest"
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
	"%20", "\\u0041", "\\x41", "[a*](b)", "![a*](b)",
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

// threadUsage is RUSAGE_THREAD of Linux.
const threadUsage = 1

// processor returns the time that the processor spends on a call: on its thread alone, so
// that neither other tests nor the collector of garbage count.
func processor(t *testing.T, call func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u syscall.Rusage
		oktest.Check(t, syscall.Getrusage(threadUsage, &u))
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	call()
	return used() - before
}

// work is what is done with one page, however many others there are.
func work(t *testing.T, s *Site, text string) {
	doc := markdown.Parse("documents/main.md", []byte(text))
	lint.Scan(doc.Path, doc.Text)
	cut.Document(doc, "main")
	if _, _, err := s.Contributor().Unit(&compiler.Unit{Doc: doc, Title: "Main", Splits: []compiler.SplitText{{Text: text, End: len(text)}}}); err != nil {
		t.Fatal(err)
	}
}

// much is the time that a page may take whatever its size.
const much = 80 * time.Millisecond

// growth says how a construct makes the work of a page of n bytes grow by more than its
// size: four times as much of it may take eight times the time of the processor. Little time
// says nothing, nor does the time of half a page of which a page that takes four times as
// long takes little; where there is more, it is taken again, without the collector of
// garbage, and the least of it counts: a machine that does something else meanwhile makes it
// longer.
func growth(t *testing.T, s *Site, page func(n int) string, n int) string {
	const head = "# K\n\n## A\n\n"
	took := func(text string) time.Duration { return processor(t, func() { work(t, s, head+text) }) }
	if took(page(n/2)) < much/4 {
		return ""
	}
	small, big := page(n/4), page(n)
	if took(big) < much {
		return ""
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	least := map[string]time.Duration{}
	for range 5 {
		for _, text := range []string{big, small} {
			runtime.GC()
			if d := took(text); least[text] == 0 || d < least[text] {
				least[text] = d
			}
			if least[big] < much {
				return ""
			}
		}
		if least[big] < 8*max(least[small], much/8) {
			return ""
		}
	}
	return fmt.Sprintf("%v for %d bytes, %v for %d", least[small], len(small), least[big], len(big))
}

// everywhere are the arrangements of all constructs. Those that are beside each other in
// the list are alike: of the other arrangements each takes the next one.
var everywhere = []string{"in a line", "on lines", "nested", "nested, spaces"}

func TestWorkGrowsWithThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds of work")
	}
	s := New(Options{Jobs: 1})
	others := slices.DeleteFunc(slices.Sorted(maps.Keys(arrangements)), func(name string) bool { return slices.Contains(everywhere, name) })
	for i, u := range constructs {
		for _, name := range append(slices.Clone(everywhere), others[i%len(others)]) {
			if strings.HasPrefix(name, "nested") && ends[u] == "" {
				continue
			}
			n := 30000
			if name == "in code" {
				n = 40000 // too large to be coloured: the lexers of code have limits of their own
			}
			page := func(n int) string { return arrangements[name](u, n) }
			if how := growth(t, s, page, n); how != "" {
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
		if how := growth(t, s, page, 40000); how != "" {
			t.Errorf("%q, %q and %q: %s", a, b, end, how)
		}
	})
}
