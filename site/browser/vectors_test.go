package browser_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/packgen/packgen/assets"
	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/torturetest"
)

// vector makes a piece of Markdown that tries to run a script or to load something, out
// of an element, an attribute, a scheme, a way to write it and a place for it.
func vector(chance *rand.Rand) string {
	pick := func(list string) string { all := strings.Fields(list); return all[chance.IntN(len(all))] }
	element := pick("a abbr b code div details summary span p table td th li ul ol dl dt dd blockquote pre img h1 h2 h6 kbd mark figure center font time section main nav sub sup q del br hr wbr " +
		"script style svg iframe object embed base meta link form input button textarea select option template noscript math mtext mglyph annotation-xml video audio source track body html head frameset marquee isindex xmp plaintext listing noembed portal dialog slot canvas address keygen image foreignObject use animate set title my-own A DIV IMG SVG ScRiPt")
	attribute := pick("onload onerror onclick onmouseover onfocus ontoggle onbegin onanimationstart onpointerenter onscroll onbeforetoggle onfocusin oncontentvisibilityautostatechange ONERROR OnLoad " +
		"href src srcdoc srcset action formaction style xlink:href poster data background content ping to from values id name class target http-equiv is slot part {onclick :onclick @click v-html x-on:click")
	const code = "pwned=1"
	scheme := pick("javascript: JaVaScRiPt: java&#115;cript: &#x6a;avascript: javascript&colon; java%0ascript: &#1;javascript: vbscript: data:text/html,<script>pwned=1</script> data:image/svg+xml,<svg/onload=pwned=1> " +
		"javascript&#58; jav&Tab;ascript: jav&NewLine;ascript: //other.example/ blob: file:/// view-source:javascript: feed:javascript: \\x6aavascript: javascript&#x3A ")
	value := scheme + code
	if strings.HasPrefix(strings.ToLower(attribute), "on") || chance.IntN(5) == 0 {
		value = code
	}
	tag := "<" + element + pick("~ / ~/ ~~ ~a=1~ /~") + attribute + pick("= ~= =~") + pick("' \" ~ `")
	quote := tag[len(tag)-1:]
	if quote == "~" {
		quote = ""
		tag = tag[:len(tag)-1]
	}
	tag += value + quote + pick("> ~> /> ~autofocus> ~open> >x ~tabindex=1>x ~//> <b> >")
	tag = strings.ReplaceAll(tag, "~", []string{" ", " ", " ", "\t", "\n", "\f"}[chance.IntN(6)])
	if chance.IntN(2) == 0 {
		tag += pick("x <img~src=x~onerror=pwned=1> <script>pwned=1</script> </script><script>pwned=1</script>") + "</" + element + ">"
		tag = strings.ReplaceAll(tag, "~", " ")
	}
	flat := strings.NewReplacer("\n", " ", "\f", " ").Replace(tag)
	switch chance.IntN(20) {
	case 0:
		return "[x](" + value + ") [y](<" + value + ">) ![z](" + value + ")"
	case 1:
		return "[x](page.md \"" + flat + "\") ![" + flat + "](" + value + " '" + flat + "')"
	case 2:
		return "[r]\n\n[r]: " + value + " \"" + flat + "\""
	case 3:
		return "<" + value + "> [[" + value + "|" + flat + "]] ![[" + flat + "]]"
	case 4:
		return "- " + flat + "\n- [ ] " + flat + "\n  1. " + flat
	case 5:
		return "| a | " + flat + " |\n| --- | --- |\n| " + flat + " | [x](" + value + ") |"
	case 6:
		return "> [!NOTE] " + flat + "\n> " + flat
	case 7:
		return "```" + strings.ReplaceAll(flat, "`", "") + "\n" + flat + "\n```"
	case 8:
		return "```mermaid\ngraph TD\nA[\"" + flat + "\"] -->|" + flat + "| B\nclick A \"" + value + "\"\n```"
	case 9:
		return "$" + flat + "$ $$\\text{" + flat + "} \\href{" + value + "}{x}$$"
	case 10:
		return "x[^n]\n\n[^n]: " + flat
	case 11:
		return ":::note[" + flat + "]{" + attribute + "=" + value + "}\n" + flat + "\n:::"
	case 12:
		return "!!! note \"" + flat + "\"\n    " + flat + "\n\n=== \"" + flat + "\"\n\n    " + flat
	case 13:
		return "x{ " + attribute + "=\"" + value + "\" .a #" + element + " } [y](z){ " + attribute + "=" + value + " }"
	case 14:
		return "<Card title='" + flat + "' href={'" + value + "'} " + attribute + "={" + value + "}>" + flat + "</Card>"
	case 15:
		return "{% hint style=\"" + flat + "\" %}\n" + flat + "\n{% endhint %} {{< figure src=\"" + value + "\" alt=\"" + flat + "\" >}}"
	case 16:
		return "- A claim " + flat + ". [source: sources/" + strings.NewReplacer("]", "", ";", "", "\t", " ").Replace(flat) + ".md#L1]"
	}
	return tag
}

// Nothing runs and nothing is loaded on pages of such pieces, with their policy and
// without it. It is apart from TestInBrowser, so that make torture can run it alone.
func TestBrowserRunsNoHostileVector(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(41, 1))
	count := torturetest.Start(t, "browser", "with the policy of the page, and without", 60, 1000)
	b := startBrowser(t)
	const each = 20
	dir := t.TempDir()
	packgentest.WriteText(t, filepath.Join(dir, "packs/v/KNOWLEDGE.md"), "---\nname: v\ndescription: Vectors.\ntype: custom:x\nprofile: document-first\nstatus: ready\nmetadata:\n  primaryDocument: documents/v0.md\n---\n\n# V\n")
	var pages []string
	for len(pages)*each < count.Rounds() {
		var page strings.Builder
		fmt.Fprintf(&page, "# Vectors %d\n", len(pages))
		for range each {
			page.WriteString("\n## One\n\n" + vector(chance) + "\n")
		}
		packgentest.WriteText(t, filepath.Join(dir, fmt.Sprintf("packs/v/documents/v%d.md", len(pages))), page.String())
		pages = append(pages, fmt.Sprintf("packs/v/documents/v%d.html", len(pages)))
	}
	packgentest.WriteText(t, filepath.Join(dir, "packgen.yaml"), "base_url: https://example.org"+subPath+"\n")
	if code, stdout, stderr := packgentest.Run(t, "", "-C", dir, "build", "-q"); code > 1 {
		t.Fatalf("%s%s", stdout, stderr)
	}
	ours := oktest.Value(assets.Build(assets.Options{}))(t)
	for _, policy := range []bool{true, false} {
		s := serve(t, dir, subPath)
		if !policy {
			s.alter(func(name string, data []byte) []byte {
				if strings.HasSuffix(name, ".html") {
					data = policyTag.ReplaceAll(bytes.Replace(data, []byte("<script>"+string(ours.Lost.Text)+"</script>"), nil, 1), nil)
				}
				return data
			})
		}
		s.add("control.html", []byte(`<!doctype html><main><img src=x onerror="pwned=1"></main>`))
		p := newTab(t, b)
		p.open(s.url("control.html"))
		p.wait(`"pwned" in window`) // what runs is seen
		p.taken()
		for i, path := range pages {
			if i%10 == 9 {
				p = newTab(t, b)
			}
			p.open(s.url(path))
			if p.truth(`document.querySelector("meta[http-equiv]")`) != policy {
				t.Fatalf("%s: the policy is not %t", path, policy)
			}
			var found []string
			p.eval(injected(ours), &found)
			var active []string
			p.eval(`[...document.querySelectorAll("main [formaction], main [poster], main [ping], main [background], main [*|href]:not([href]), main [http-equiv], main [is], main [data]")].map((e) => e.outerHTML.slice(0, 160))`, &active)
			for _, f := range append(found, active...) {
				count.Wrong("%s holds %s", path, f)
			}
			_, requests := p.taken()
			for _, r := range requests {
				if !strings.HasPrefix(r, s.URL+"/") {
					count.Wrong("%s asks another host: %s", path, r)
				}
			}
			if !policy {
				count.Done(each)
			}
		}
	}
}
