package browser_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
)

// attack is a script that leaves a mark.
const attack = `window.pwned=1,alert(1)`

// hostileLines are pieces of Markdown that would run if a page took them as
// they are.
var hostileLines = []string{
	`<script>` + attack + `</script>`,
	`<img src=x onerror="` + attack + `">`,
	`<svg onload=` + attack + `></svg>`,
	`<details open ontoggle=` + attack + `>x</details>`,
	`<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	`inline <b onmouseover="` + attack + `">bold</b> </script><script>` + attack + `</script>`,
	`[a link](javascript:` + attack + `) [b](JaVaScRiPt:` + attack + `) [c](java&#115;cript:` + attack + `)`,
	`[d](data:text/html,<script>` + attack + `</script>) [e](vbscript:x) <javascript:` + attack + `>`,
	`![alt" onerror="` + attack + `](x.png "title' onload='` + attack + `")`,
	`![f](javascript:` + attack + `) ![g](data:image/svg+xml,<svg/onload=` + attack + `>)`,
	`[h](page.md "x\" onmouseover=\"` + attack + `") [i](https://example.org/"onclick="` + attack + `")`,
	`[[main" onclick="` + attack + `|label<img src=x onerror=` + attack + `>]]`,
	"- A claim <img src=x onerror=" + attack + ">. [source: sources/a\"onclick=\"" + attack + ".md#L1]",
	"```\"><script>" + attack + "</script>\ncode\n```",
	"```html\n</code></pre><script>" + attack + "</script>\n```",
	"`</code><script>" + attack + "</script>`",
	"| a | <img src=x onerror=" + attack + "> |\n| --- | --- |\n| <script>" + attack + "</script> | b |",
	"Term\n: <script>" + attack + "</script>",
	"[^note]\n\n[^note]: <img src=x onerror=" + attack + ">",
	"<style>@import 'http://other.example/x.css'; * { background: url(http://other.example/x.png) }</style>",
	"```mermaid\ngraph TD\nA[\"<img src=x onerror=" + attack + ">\"] -->|</text><script>" + attack + "</script>| B(\"</svg><b onclick='" + attack + "'>x\")\nclick A \"javascript:" + attack + "\"\n```",
	"```mermaid\nsequenceDiagram\nparticipant A as <svg onload=" + attack + ">\nA->>B: </svg><script>" + attack + "</script>\nNote over A: <img src=x onerror=" + attack + ">\n```",
	"==<img src=x onerror=" + attack + ">== %%<script>" + attack + "</script> x%% ++ctrl+x++ text ^a-block",
	"{% hint style=\"x onload=" + attack + "\" %}\n<script>" + attack + "</script>\n{% endhint %}",
	"{{< note title=\"<img src=x onerror=" + attack + ">\" >}}\n[a]({{< ref \"javascript:" + attack + "\" >}}) [b]({{ site.url }}/\"onclick=" + attack + ")\n{{< /note >}}",
	"<LinkCard title='<img src=x onerror=" + attack + ">' description=\"<script>" + attack + "</script>\" href=\"javascript:" + attack + "\" />",
	"<Badge text='\"><script>" + attack + "</script>' /> <Image src='javascript:" + attack + "' alt='\" onerror=\"" + attack + "' /> <A href={'java\tscript:" + attack + "'} onclick={" + attack + "}>x</A>",
	"<div style={{ x: 1 }} onclick={" + attack + "}>\n<img src={require('x\" onerror=\"" + attack + "').default} />\n</div>",
	"<button onclick=\"" + attack + "\" formaction=\"javascript:" + attack + "\">x</button><input type=checkbox onfocus=" + attack + " autofocus><my-own onload=" + attack + ">y</my-own>",
	"{{#include x\" onclick=\"" + attack + ".md}}\n\n--8<-- \"javascript:" + attack + "\"",
	"{% embed url=\"javascript:" + attack + "\" %}\n\n{{< figure src=\"data:text/html,x\" alt=\"\\\" onerror=" + attack + "\" >}}\n\n[[x|javascript:" + attack + "]] [[https://e.org/\"onclick=\"" + attack + "|y]]",
	"```{figure} javascript:" + attack + "\n:alt: \" onerror=\"" + attack + "\n\n<script>" + attack + "</script>\n```\n\n{doc}`javascript:" + attack + "` {kbd}`<script>" + attack + "</script>` {math}`</math><script>" + attack + "</script>`",
	"```mermaid\nmindmap\n  a[\"<img src=x onerror=" + attack + ">\"]\n    </svg><script>" + attack + "</script>\n```\n\n```mermaid\ngantt\ntitle <script>" + attack + "</script>\n</text><script> :a, 2024-01-01, 3d\n```",
	"```mermaid\ntimeline\ntitle <script>" + attack + "</script>\n<svg onload=" + attack + "> : </text><script>" + attack + "</script>\n```\n\n```mermaid\ngitGraph\ncommit id: \"</text><script>" + attack + "</script>\"\n```",
	"<div markdown onclick=" + attack + " id='\"><script>" + attack + "</script>'>\n*x* <script>" + attack + "</script>\n<svg markdown onload=" + attack + ">\n</svg>\n</div>\n\n/// note | <img src=x onerror=" + attack + ">\n    type: \"><script>" + attack + "</script>\n\n<script>" + attack + "</script>\n///",
	"{++<script>" + attack + "</script>++} {~~<b onclick=" + attack + ">~><img src=x onerror=" + attack + ">~~}{>><svg onload=" + attack + "><<} note^[a <img src=x onerror=" + attack + "> [b](javascript:" + attack + ")] x^<b/onclick=" + attack + ">^\n\n<h2 id='\" onclick=\"" + attack + "'><script>" + attack + "</script></h2>",
	"```{list-table} <script>" + attack + "</script>\n:header-rows: 1\n\n* - <img src=x onerror=" + attack + ">\n  - x\n```\n\n```{glossary}\n<script>" + attack + "</script>\n  </dd><svg onload=" + attack + ">\n```\n\n{% if '\"><script>" + attack + "</script>' %}\n\n<Tabs items={['<script>" + attack + "</script>']}>\n<Tabs.Tab>x</Tabs.Tab>\n</Tabs>",
	"::: code-group\n\n```js [<script>" + attack + "</script>]\nx // [!code focus\"><script>" + attack + "</script>]\ny // [!code error]\n```\n\n:::",
	"<meta http-equiv=refresh content='0;url=javascript:" + attack + "'><base href='http://other.example/'>",
}

// wideLines would push a narrow page apart.
var wideLines = []string{
	strings.Repeat("unbroken", 60),
	"`" + strings.Repeat("unbroken", 60) + "`",
	"```\n" + strings.Repeat("a long line of code ", 40) + "\n```",
	"| " + strings.Repeat("column | ", 30) + "\n| " + strings.Repeat("--- | ", 30) + "\n| " + strings.Repeat("value | ", 30),
	"https://example.org/" + strings.Repeat("path", 80),
	"- A claim. [source: sources/" + strings.Repeat("long", 30) + ".md#L1]",
	strings.Repeat("> ", 40) + "nested",
	"![" + strings.Repeat("alt", 100) + "](x.png)",
}

// hostileRepository writes a pack in which everything is an attack, and another, so that
// there is a list of them.
func hostileRepository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, "packs", "hostile", filepath.FromSlash(name))
		oktest.Check(t, os.MkdirAll(filepath.Dir(name), 0o777))
		oktest.Check(t, os.WriteFile(name, []byte(text), 0o666))
	}
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
	tag := `"'><img src=x onerror="` + attack + `"></script><script>` + attack + `</script>`
	write("KNOWLEDGE.md", "---\nname: hostile\ndescription: "+quoted(tag+" A pack that attacks its reader.")+
		"\ntype: brand-product\nprofile: hybrid\nstatus: ready\ngrounding: recommended\nversion: "+quoted(tag)+"\nlanguage: "+quoted(`en" onload="`+attack)+
		"\nlicense: "+quoted(tag)+"\nscope: "+quoted(tag)+"\nmaintainers: ["+quoted(tag)+"]\nmetadata:\n  primaryDocument: documents/main.md\n---\n\n# "+tag+"\n\n## Context map\n\n- "+
		strings.Join(hostileLines, "\n\n")+"\n")
	front := "---\ntitle: " + quoted(tag) + "\nsummary: " + quoted(tag) + "\nstatus: disputed\nkeywords: [" + quoted(tag) + ", hostile, onerror]\ntags: [" + quoted(tag) + "]\nby: " + quoted("[[main|"+tag+"]]") + "\nurl: " + quoted("https://e.org/\"onclick=\""+attack) + "\nrun: " + quoted("javascript:"+attack) +
		"\nhero:\n  name: " + quoted(tag) + "\n  tagline: " + quoted(tag) + "\n  actions: [{text: " + quoted(tag) + ", link: " + quoted("javascript:"+attack) + "}]\n---\n"
	for _, name := range []string{"documents/main.md", "documents/parts.mdx.md", "documents/a\"onclick=\"pwned=1\".md", "wiki/concepts/page.md", "wiki/<img src=x onerror=pwned=1>.md", "wiki/javascript&colon;pwned=1.md"} {
		var b strings.Builder
		b.WriteString(front + "# " + tag + "\n\n" + strings.Join(hostileLines, "\n\n") + "\n\n## Facts " + tag + "\n\n")
		for _, line := range hostileLines {
			b.WriteString("## " + strings.ReplaceAll(line, "\n", " ") + "\n\n> " + strings.ReplaceAll(line, "\n", "\n> ") + "\n\n")
		}
		b.WriteString("## Wide\n\n" + strings.Join(wideLines, "\n\n") + "\n\n## " + strings.Repeat("unbroken", 40) + "\n\nText.\n")
		write(name, b.String())
	}
	packgentest.WriteText(t, filepath.Join(dir, "packs/calm/KNOWLEDGE.md"), "---\nname: calm\ndescription: Attacks nobody.\ntype: domain-reference\nprofile: document-first\nstatus: ready\nlanguage: en\ngrounding: none\n---\n\n# Calm\n")
	packgentest.WriteText(t, filepath.Join(dir, "packs/calm/documents/main.md"), "# Main\n\nWords.\n")
	buildSite(t, dir)
	return dir
}

// injected lists what came into a page from a pack and could run or load, beside the script
// that pages carry in themselves.
func injected(ours *assets.Bundle) string {
	return fmt.Sprintf(findInjected, strconv.Quote(string(ours.LostLook.Text)), strconv.Quote(string(ours.First.Text)))
}

const findInjected = `(() => {
	const found = [];
	const say = (e) => found.push(e.outerHTML.slice(0, 160));
	const schemes = ["http:", "https:", "mailto:", "tel:"];
	for (const e of document.querySelectorAll("*")) {
		if ([...e.attributes].some((a) => a.name.startsWith("on") || a.name === "srcdoc" || a.name === "style")) say(e);
		for (const a of ["href", "src"]) {
			const value = e.getAttribute(a);
			if (value !== null && !schemes.includes(new URL(value, location.href).protocol)) say(e);
		}
		if (e.matches("style") && e.textContent !== %s) say(e);
		if (e.matches("iframe, object, embed, base, meta[http-equiv=refresh], svg:not(.bar, .size, .diagram, .links), form:not(.ask)")) say(e);
		if (e.matches("script") && e.textContent !== %s && !/\/assets\/[a-z]+-[A-Z0-9]+\.js$/.test(e.src)) say(e);
	}
	if ("pwned" in window) found.push("a script ran");
	return found;
})()`

var policyTag = regexp.MustCompile(`(?i)<meta http-equiv="?Content-Security-Policy[^>]*>`)

func testHostilePack(t *testing.T, b context.Context, _ string) {
	dir := hostileRepository(t)
	ours := oktest.Value(assets.Build(assets.Options{}))(t)
	s := serve(t, dir, subPath)
	lost := regexp.MustCompile(`<script[^>]*>` + regexp.QuoteMeta(string(ours.Lost.Text)) + `</script>`)
	s.alter(func(name string, data []byte) []byte {
		if strings.HasSuffix(name, ".html") {
			data = lost.ReplaceAll(data, nil)
			return policyTag.ReplaceAll(data, nil)
		}
		return data
	})
	s.add("control.html", []byte(`<!doctype html><main><img src=x onerror="`+attack+`">`+hostileLines[0]+`</main>`))
	p := newTab(t, b)
	p.open(s.url("control.html"))
	var found []string
	if p.eval(injected(ours), &found); len(found) < 3 {
		t.Fatalf("the control page is found harmless: %q", found)
	}
	if faults, _ := p.taken(); !strings.Contains(strings.Join(faults, "\n"), "dialog alert") {
		t.Fatalf("the control page showed no dialog: %q", faults)
	}

	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	for _, path := range htmlPages(t, dir) {
		p.open(s.url(pathEscape(path)))
		if path == "match.html" {
			p.ask("coverage", "hostile onerror attacks pack pwned script img "+attack)
			if !p.truth(`document.querySelectorAll(".result .hit").length > 5`) {
				t.Error("the hostile task matches too little to show anything")
			}
		}
		if strings.HasSuffix(path, "/graph.html") {
			p.wait(`document.querySelector("svg.links, main .sum")`) // drawn from data that comes later
		}
		if p.truth(`document.querySelector("meta[http-equiv]")`) {
			t.Fatalf("%s still has a policy: %s", path, p.text(`document.querySelector("meta[http-equiv]").outerHTML`))
		}
		found = nil
		p.eval(injected(ours), &found)
		for _, f := range found {
			t.Errorf("%s holds %s", path, f)
		}
		if wide := p.text(sideways(narrow)); wide != "" {
			t.Errorf("%s scrolls sideways: %s", path, wide)
		}
		checkHostileEvents(p, path, s.URL)
	}
}

// checkHostileEvents requires that a page opened no dialog and asked nobody
// else. Images that do not exist are not a fault of the page.
func checkHostileEvents(p *tab, path, server string) {
	p.Helper()
	faults, requests := p.taken()
	for _, f := range faults {
		if !strings.Contains(f, "404") {
			p.Errorf("%s: %s", path, f)
		}
	}
	for _, r := range requests {
		if !strings.HasPrefix(r, server+"/") {
			p.Errorf("%s asks another host: %s", path, r)
		}
	}
}

// pathEscape writes a file's path as a URL.
func pathEscape(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3F", "#", "%23", `"`, "%22", "<", "%3C", ">", "%3E", " ", "%20").Replace(path)
}
