package site

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/compiler/oktest"
)

// hostile is what somebody may write to have a browser run it.
var hostile = []string{
	`<script>alert(1)</script>`,
	`<img src=x onerror=alert(1)>`,
	`<svg/onload=alert(1)>`,
	`text <b onmouseover="alert(1)">bold</b>`,
	`[a](javascript:alert(1))`,
	`[a](JaVaScRiPt:alert(1))`,
	`[a](java&#x73;cript:alert(1))`,
	`[a](javascript&colon;alert(1))`,
	`[a](<java` + "\t" + `script:alert(1)>)`,
	`[a](&#1;javascript:alert(1))`,
	`[a](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)`,
	`[a](vbscript:alert(1))`,
	`[a](file:///etc/passwd)`,
	`![a](javascript:alert(1))`,
	`![a](data:image/svg+xml,<svg/onload=alert(1)>)`,
	`<javascript:alert(1)>`,
	`[a](https://example.com/"onmouseover="alert(1))`,
	`[a](x.md "title\" onmouseover=\"alert(1)")`,
	`![a" onerror="alert(1)](img.png)`,
	`[[Page" onmouseover="alert(1)|label<script>]]`,
	`[[<script>alert(1)</script>]]`,
	`[source: sources/a"onmouseover="alert(1).md#<script>]`,
	"```\"><script>alert(1)</script>\nx\n```",
	"```go\n</code></pre><script>alert(1)</script>\n```",
	"```html\n<script>alert(1)</script>\n```",
	"`</code><script>alert(1)</script>`",
	"| a |\n| --- |\n| <script>alert(1)</script> |",
	"# Heading <script>alert(1)</script> {#x\"onclick=\"alert(1)}",
	"## <img src=x onerror=alert(1)>",
	"[ref]\n\n[ref]: javascript:alert(1) \"x\"",
	`&lt;script&gt;alert(1)&lt;/script&gt; &#60;script&#62; \<script>`,
	"<!-- --><script>alert(1)</script>",
	"<!-- comment -->",
	"<style>*{display:none}</style>",
	"<a href=javascript:alert(1)>x</a>",
	"{{define \"x\"}}{{.}}{{template \"head\"}}",
	"{% page \"/travel/\" %} {{ base.baseurl }}",
	`<details open ontoggle=alert(1)><summary onclick=alert(1)>x</summary>y</details>`,
	"<details>\n<summary><script>alert(1)</script></summary>\n\n**x**\n",
	`<a name="x\"onclick=alert(1)" href="java&#x0A;script:alert(1)">x</a>`,
	`<a href="  javascript:alert(1)">x</a> <a href='jAvAsCrIpT&colon;alert(1)'>y</a> <a href=//evil.example>z</a>`,
	`<a id=s.main name="s.main">x</a><p id="location">y</p>`,
	`<img src=x onerror=alert(1)//><img src="javascript:alert(1)"><img src="data:text/html,x" alt="<script>">`,
	`<picture><source media="(prefers-color-scheme: dark)" srcset="javascript:alert(1)"><img src=y></picture>`,
	`<kbd style="position:fixed">x</kbd><sub onmouseover=alert(1)>y`,
	`<iframe src="javascript:alert(1)"></iframe><iframe src="https://evil.example" srcdoc="<script>alert(1)</script>"></iframe>`,
	`<form action=javascript:alert(1)><button formaction=javascript:alert(1)>x</button><input onfocus=alert(1) autofocus></form>`,
	`<object data=x></object><embed src=javascript:alert(1)><meta http-equiv=refresh content="0;url=javascript:alert(1)"><base href=//evil.example>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
	`<svg><style><img src=x onerror=alert(1)></style></svg><template><script>alert(1)</script></template>`,
	`<table><tr><td><a href="javascript:alert(1)">x</table></div></article></main><script>alert(1)</script>`,
	"</div></article></main>\n\n</details></ul></li>\n",
	"<div\nonclick=alert(1)\n>x</div\n>",
	"<b <script>alert(1)</script>>",
	"> [!note\"onclick=alert(1)] <script>alert(1)</script>\n> x",
	"> [!note]- <img src=x onerror=alert(1)>\n> x",
	":::note[<script>alert(1)</script>]{onclick=alert(1)}\n<script>alert(1)</script>\n:::",
	"!!! note \"<script>alert(1)</script>\"\n    <img src=x onerror=alert(1)>",
	"=== \"<script>alert(1)</script>\"\n\n    x",
	"x[^1\"><script>alert(1)</script>]\n\n[^1\"><script>alert(1)</script>]: <script>alert(1)</script>",
	"```js title=\"<script>alert(1)</script>\" {1}\n</span></code><script>alert(1)</script>\n```",
	"```mermaid\n</code></pre><script>alert(1)</script>\n```",
	"$</code><script>alert(1)</script>$\n\n$$\n</code><script>alert(1)</script>\n$$",
	"Term <script>alert(1)</script>\n: <img src=x onerror=alert(1)>",
	"![[x.md#a\" onclick=alert(1)|<script>alert(1)</script>]]\n\n![[x]]\n",
	"[x](y){ onclick=alert(1) #\"><script> .a }",
	"[[_TOC_]]\n\n## <script>alert(1)</script>\n\n## \"onclick=alert(1)\n",
	":tada: :<script>: :material-x\"onclick:",
	"http://e.example/\"onmouseover=alert(1) www.e.example/<script>alert(1)</script> a@b.example\"onclick=alert(1)",
	"a \x01 b \x02 c &#0; &#1; \\\x01",
}

// elements are the ones that pages may have. Anything else in a page got there
// from a pack.
var elements = strings.Fields("html meta title link script a header nav div main p h1 h2 h3 h4 h5 h6 span ul ol li dl dt dd table thead tbody tr th td pre code i em strong b blockquote hr br img input article section aside footer details summary svg rect small u var del ins noscript form label textarea output button fieldset legend kbd sub sup s mark abbr q samp cite dfn wbr figure figcaption caption tfoot" +
	" math mfrac mi mn mo mover mroot mrow mspace msqrt msub msubsup msup mtable mtd mtext mtr munder munderover")

var (
	anyTag = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z-]+(?:="[^"]*"|=[^\s">]+)?)*)\s*(/?)>`)
	anAttr = regexp.MustCompile(`([a-zA-Z-]+)(?:="([^"]*)"|=([^\s">]+))?`)
)

// faults lists everything in a page that a browser would run, load or take for
// markup of a pack. It does not count on the policy.
func faults(page []byte) []string {
	var list []string
	fault := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	rest := anyTag.ReplaceAllFunc(page, func(tag []byte) []byte {
		parts := anyTag.FindSubmatch(tag)
		if name := string(parts[2]); !slices.Contains(elements, name) {
			fault("an element <%s>", name)
		}
		for _, a := range anAttr.FindAllSubmatch(parts[3], -1) {
			name := strings.ToLower(string(a[1]))
			value := html.UnescapeString(string(a[2]) + string(a[3]))
			if strings.HasPrefix(name, "on") || name == "style" || name == "srcdoc" {
				fault("an attribute %s=%q", name, value)
			}
			if name != "href" && name != "src" {
				continue
			}
			u, err := url.Parse(strings.TrimSpace(value))
			if err != nil || !slices.Contains([]string{"", "http", "https", "mailto", "tel"}, u.Scheme) {
				fault("an address %q", value)
			}
			if name == "src" && (err != nil || u.Host != "") {
				fault("loads %q", value)
			}
		}
		return nil
	})
	rest = bytes.Replace(rest, []byte("<!doctype html>"), nil, 1)
	if i := bytes.IndexByte(rest, '<'); i >= 0 {
		fault("a stray <: …%s…", rest[i:min(len(rest), i+60)])
	}
	if bytes.IndexByte(page, 0) >= 0 {
		fault("a NUL")
	}
	if n := bytes.Count(page, []byte("<script")); n > 2 {
		fault("%d scripts", n)
	}
	return list
}

func inspect(t *testing.T, path string, page []byte) {
	t.Helper()
	if path == "404.html" { // it carries a script and a stylesheet of ours, which the policy names by their sums
		own := oktest.Value(assets.Build(assets.Options{}))(t)
		page = bytes.Replace(page, []byte(">"+string(own.Lost.Text)+"</script>"), []byte(" src=/ours.js></script>"), 1)
		page = bytes.Replace(page, []byte("<style>"+string(own.LostLook.Text)+"</style>"), nil, 1)
	}
	for _, f := range faults(page) {
		t.Errorf("%s has %s", path, f)
	}
}

func TestInspectionSeesWhatItLooksFor(t *testing.T) {
	for _, bad := range []string{
		"<iframe>", "<p onclick=x>", `<p style="x">`, `<a href="javascript:x">`, `<img src="https://example.com/x">`,
		"<script></script><script></script><script></script>", "a < b", "<!-- x -->", "\x00",
	} {
		if len(faults([]byte(bad))) == 0 {
			t.Errorf("nothing is found in %q", bad)
		}
	}
	if list := faults([]byte(`<!doctype html><p class="x"><a href="x.html#y">z</a>`)); len(list) > 0 {
		t.Errorf("a good page has %v", list)
	}
}

func TestNothingInAPackRunsInABrowser(t *testing.T) {
	for _, text := range hostile {
		t.Run(text, func(t *testing.T) {
			document := "# Title\n\nbefore\n\n" + text + "\n\nafter\n\n- item " + text + "\n\n> quote " + text + "\n\n## Facts\n\n" + text + "\n"
			m := generate(t, Options{NoPolicy: true, PublishSources: true}, map[string]files{"kettle": {
				"KNOWLEDGE.md":      entry("kettle", "hybrid", "license: \"<script>alert(1)</script>\"\nversion: '\"><script>'\nlanguage: 'en\" onload=\"x'\nmetadata:\n  primaryDocument: documents/main.md\n") + "\n" + text + "\n",
				"documents/main.md": document,
				"documents/x.md":    text + "\n",
				"wiki/a.md":         document,
				"sources/spec.md":   "# Spec\n",
			}})
			seen := 0
			for path, data := range m.files {
				if strings.HasSuffix(path, ".html") {
					inspect(t, path, data)
					seen++
				}
			}
			if seen < 10 {
				t.Errorf("only %d pages were made", seen)
			}
		})
	}
}

func TestHTMLOutsideOfTheListIsShownAsText(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "# Title\n\n<Panel class=\"x\">\nblock\n</Panel>\n\nin <blink>line</blink> {{ liquid }} {% tag %}\n\n<!-- note -->\n",
	}})
	m.has("packs/kettle/documents/main.html", "&lt;Panel class=\"x\"&gt;\nblock\n&lt;/Panel&gt;")
	m.has("packs/kettle/documents/main.html", "in &lt;blink&gt;line&lt;/blink&gt; {{ liquid }} {% tag %}")
	m.hasNot("packs/kettle/documents/main.html", "note")
}

func TestDroppedLinksAreTextOnThePage(t *testing.T) {
	m := generate(t, Options{}, map[string]files{"kettle": {
		"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
		"documents/main.md": "# Title\n\nOne [two](javascript:x) three.\n",
	}})
	m.has("packs/kettle/documents/main.html", "<p>One two three.\n")
}

// FuzzPage looks for Markdown that gets markup of its own into a page.
func FuzzPage(f *testing.F) {
	for _, text := range hostile {
		f.Add(text)
	}
	f.Add("[[a|b]] [[c#d]] **[[e]]** [x]([[y]])\n\n```sh\necho \"$x\"\n```\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := generate(t, Options{NoPolicy: true, Jobs: 1}, map[string]files{"kettle": {
			"KNOWLEDGE.md":      entry("kettle", "document-first", "metadata:\n  primaryDocument: documents/main.md\n"),
			"documents/main.md": text,
		}})
		for path, data := range m.files {
			if strings.HasPrefix(path, "packs/kettle/documents/") && strings.HasSuffix(path, ".html") {
				inspect(t, path, data)
			}
		}
	})
}
