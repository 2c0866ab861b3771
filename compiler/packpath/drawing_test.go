package packpath

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

const svgHead = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:h="http://www.w3.org/1999/xhtml">`

// What is opened by its own address draws, and does nothing else.
func TestADrawingThatCanActIsRefused(t *testing.T) {
	for _, svg := range []string{
		"", " ", "not xml <", svgHead,
		// another root
		`<svg><rect/></svg>`, `<svg xmlns="urn:x"/>`, `<g xmlns="http://www.w3.org/2000/svg"/>`,
		`<html xmlns="http://www.w3.org/1999/xhtml"><body><form action="javascript:x"><button>Show</button></form></body></html>`,
		`<h:svg xmlns:h="http://www.w3.org/1999/xhtml"/>`, `<meta xmlns="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0;url=https://evil.example"/>`,
		`<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>`, `<xsl:transform xmlns:xsl="http://www.w3.org/1999/XSL/Transform" version="1.0"/>`,
		svgHead + `</svg><html xmlns="http://www.w3.org/1999/xhtml"/>`,
		// declarations
		`<!DOCTYPE svg [<!ENTITY x "y">]>` + svgHead + `</svg>`, `<!DOCTYPE html>` + svgHead + `</svg>`,
		`<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "https://evil.example/x.dtd">` + svgHead + `</svg>`,
		`<!DOCTYPE svg SYSTEM "x.dtd">` + svgHead + `</svg>`, `<?xml-stylesheet href="x"?>` + svgHead + `</svg>`,
	} {
		if RefuseDrawing(strings.NewReader(svg)) == nil {
			t.Errorf("%s is published", svg)
		}
	}
	for _, part := range []string{
		// elements of SVG that run, embed or change others
		`<script>x</script>`, `<SCRIPT/>`, `<handler/>`, `<listener/>`, `<foreignObject/>`, `<iframe/>`, `<audio/>`, `<video/>`, `<discard/>`, `<new/>`,
		`<set attributeName="href" to="javascript:x"/>`, `<animate attributeName="href" values="javascript:x"/>`,
		`<a><animateTransform attributeName="href" from="javascript:x"/></a>`, `<animateTransform attributeName="xlink:href"/>`,
		`<animateTransform href="javascript:x"/>`, `<animateMotion onbegin="x"/>`,
		// elements of other languages, wherever they are
		`<h:meta http-equiv="refresh" content="0;url=https://evil.example"/>`, `<metadata><h:script/></metadata>`, `<desc><h:form action="x"/></desc>`, `<h:img srcset="x"/>`, `<h:video poster="x"/>`,
		`<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"/>`, `<x:x xmlns:x="urn:new"/>`, `<x xmlns=""/>`, `<e:listener xmlns:e="http://www.w3.org/2001/xml-events"/>`,
		`<b:bindings xmlns:b="http://www.mozilla.org/xbl"/>`,
		// attributes
		`<rect onload="x"/>`, `<rect OnLoad="x"/>`, `<a href="javascript:x"/>`, `<a href=" https://evil.example"/>`, `<a xlink:href="x.html"/>`, `<a href=""/>`, `<a href="#a" ping="https://evil.example"/>`,
		`<rect formaction="x"/>`, `<rect srcset="x"/>`, `<rect poster="x"/>`, `<g xml:base="https://evil.example/"><use href="#a"/></g>`,
		`<image xlink:href="https://example.com/x.png"/>`, `<image href="data:image/svg+xml,x"/>`, `<image href="data:text/html,x"/>`, `<a href="data:image/png;base64,x"/>`, `<use href="data:image/png;base64,x"/>`,
		// styles
		`<rect style="fill:url(https://evil.example)"/>`, `<rect style="fill:url(#a);background:url(https://evil.example/)"/>`, `<rect fill="url( ' x.svg#a')"/>`,
		`<rect style="fill:\75rl(https://evil.example/)"/>`, `<rect style="fill:\000075 rl(x)"/>`, `<rect style="fill:u\r\l(x)"/>`, `<rect style="fill:URL(x)"/>`, `<rect style="fill:url(\22 #a)"/>`,
		`<rect style="cursor:image-set('x' 1x)"/>`, `<rect style="mask:src('x')"/>`, `<rect filter="url(#a) url(x)"/>`,
		`<style>@import "x";</style>`, `<style>@IMPORT "x";</style>`, `<style>@\69mport "x";</style>`, `<style>@im<!-- -->port "x";</style>`, `<style>@im<![CDATA[port]]> "x";</style>`, `<style>@im&#112;ort "x";</style>`,
		`<style>a{b:"/*";c:url(x);d:"*/"}</style>`, `<style>a{b:url(#a)}</style><style>a{b:url(x)}</style>`, `<style>a{b:url(data:image/svg+xml,x)}</style>`, `<style><g/></style>`,
		`<g style="b:url(data:text/css,x)"/>`,
	} {
		if RefuseDrawing(strings.NewReader(svgHead+part+`</svg>`)) == nil {
			t.Errorf("%s is published", part)
		}
	}
}

// A refusal says where.
func TestARefusalNamesItsPlace(t *testing.T) {
	got := RefuseDrawing(strings.NewReader(svgHead + "\n <rect onclick=\"x\"/></svg>"))
	if got == nil || *got != (Refusal{"the handler onclick", 2, 2}) {
		t.Errorf("got %v", got)
	}
}

// What editors and programs write is published.
func TestDrawingsOfEditorsArePublished(t *testing.T) {
	for name, svg := range map[string]string{
		"plain":    svgHead + `<title>T</title><rect fill="url(#g)"/><use xlink:href="#a"/><image href="data:image/png;base64,AAAA"/></svg>`,
		"prefixed": `<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:path d="M0 0"/></s:svg>`,
		"style":    svgHead + `<style>/* a */ .a{fill:teal;mask:url("#m")} @font-face{font-family:x;src:url(data:font/woff2;base64,AA)} @keyframes k{to{opacity:0}}</style></svg>`,
		"spinner":  svgHead + `<g><animateTransform attributeName="transform" type="rotate" dur="1s"/></g></svg>`,
		"Graphviz": `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
 "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<!-- Title: G Pages: 1 -->
<svg width="62pt" height="116pt" viewBox="0.00 0.00 62.00 116.00" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">
<g id="graph0" class="graph" transform="scale(1 1) rotate(0) translate(4 112)"><title>G</title>
<polygon fill="white" stroke="none" points="-4,4 -4,-112"/><ellipse cx="27" cy="-90" rx="27" ry="18"/><text text-anchor="middle">a</text></g>
</svg>`,
		"Inkscape": `<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<svg width="10mm" id="svg1" inkscape:version="1.3" sodipodi:docname="a.svg" inkscape:export-filename="/home/a.png" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
<sodipodi:namedview id="v" pagecolor="#fff" inkscape:zoom="1"><inkscape:page x="0"/></sodipodi:namedview>
<defs id="d"><linearGradient id="g"><stop offset="0" style="stop-color:#000"/></linearGradient><inkscape:path-effect effect="spiro"/></defs>
<metadata><rdf:RDF><cc:Work rdf:about=""><dc:format>image/svg+xml</dc:format><dc:type rdf:resource="http://purl.org/dc/dcmitype/StillImage"/></cc:Work></rdf:RDF></metadata>
<g inkscape:label="Layer 1" inkscape:groupmode="layer"><path style="fill:url(#g);-inkscape-stroke:none" d="M 0 0" sodipodi:nodetypes="cc"/><flowRoot xml:space="preserve"><flowRegion><rect/></flowRegion><flowPara>t</flowPara></flowRoot></g></svg>`,
		"draw.io": `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" style="background: #fff; background-color: light-dark(#fff, var(--ge-dark-color, #121212)); color-scheme: light dark;" version="1.1" host="app.diagrams.net" content="&lt;mxfile&gt;&lt;mxCell style=&quot;image=url(https://x)&quot;/&gt;&lt;/mxfile&gt;"><defs/><g><g data-cell-id="2"><rect pointer-events="all"/><text x="1">Node</text></g></g></svg>`,
		"mermaid": `<svg id="my-svg" width="100%" xmlns="http://www.w3.org/2000/svg" class="flowchart" style="max-width: 99px;" viewBox="0 0 9 9" role="graphics-document document" aria-roledescription="flowchart-v2"><style>#my-svg{font-family:"trebuchet ms",verdana;fill:#333;}@keyframes edge-animation-frame{from{stroke-dashoffset:0;}}#my-svg .edge{stroke:#333;}#my-svg :root{--mermaid-font-family:arial;}</style><g><marker id="e" viewBox="0 0 10 10" orient="auto"><path d="M 0 0"/></marker><path d="M1,1" marker-end="url(#e)" data-edge="true"/><text><tspan>a</tspan></text></g></svg>`,
	} {
		if r := RefuseDrawing(strings.NewReader(svg)); r != nil {
			t.Errorf("%s: %v", name, r)
		}
	}
}

func TestThePathsOfAPublishedPackAreAClosedList(t *testing.T) {
	for _, path := range []string{
		"KNOWLEDGE.md", "boot.yml", "LICENSE", "LICENSE.txt", "licence.md", "NOTICE", "readme.md", "README.txt", "CHANGELOG.md", "COPYING",
		"documents/a.md", "documents/a b/日本.md", "wiki/agents.md", "wiki/entities/claude.md", "sources/mail.eml", "sources/deep/er/x.bin",
		"ontology/concepts.json", "answers/questions.json", "compiled/index.json", "compiled/splits/a/b.md", "indexes/source-map.json",
		"indexes/vector/x.bin", "runs/compile-2026-01-01T00-00-00Z.json", "schemas/claim.schema.json", "evals/files/x", "assets/logo.png",
		"skills/make.sh", "skills/look/SKILL.md", "briefs/tone.md", "documents/head/neck.md", "documents/HEAD.md", "documents/a..b", "documents/console.md",
		"documents/com10.md", "documents/a~1.md", "documents/widget~1.md", "documents/نیم\u200cفاصله.md", "assets/👩\u200d🚀.png", "documents/'x' & y.md",
		"documents/CLAUDE.md/a.md", "documents/Agents.md",
	} {
		if err := CheckPublished(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
	for _, tt := range []struct {
		want  error
		paths []string
	}{
		{ErrLayout, []string{
			"CLAUDE.md", "AGENTS.md", "GEMINI.md", "Makefile", "package.json", "HEAD", "config", "a.md", "knowledge.md", "Boot.yml", "boot.yaml",
			"pack.json", "pack.tar.gz", "LICENSE.md.sh", "LiCENSE", "lICENSE.md", "LICENSE.MD", "LICENSE.sh", "LICENSEX", "README.html", "documents", "hooks/pre-commit", "scripts/run.sh", "Documents/a.md",
			"objects/x", "refs/x", "raw/a.md", "src/a.go", "mise.toml", "opencode.json", "x/CLAUDE.md",
		}},
		{errName, []string{
			".git/config", ".git/HEAD", ".claude/settings.json", ".mcp.json", ".envrc", ".cursor/rules/a.mdc", ".vscode/tasks.json", ".gitattributes",
			"documents/.git/config", "documents/.envrc", "documents/a/.b/c.md", "documents/..a", "documents/...", ".GIT/config", "docu\u200cments/a.md", ".g\u200cit/config",
			"\u200c.git/config", "\ufeff.envrc", "documents/\u200e.claude/settings.json",
			"git~1/config", "GIT~1/config", "documents/git~1/HEAD", "Git~23/x", "g\u200dit~2/x",
			"documents/con", "documents/NUL.md", "documents/aux.tar.md", "documents/Prn .md", "com1/a.md", "documents/lpt9.md", "documents/COM².md", "assets/CONOUT$",
			"documents/a.", "documents/a ", "documents/a./b.md", "documents/ ",
			"documents/a*b.md", "documents/a?.md", "documents/a<b.md", "documents/a>b.md", `documents/a"b.md`, "documents/a|b.md", "documents/a:b.md", "documents/a.txt:x",
			"documents/a\u202edm.exe", "documents/te\u200ba.md", "documents/tea\U000E0041.md", "documents/te\u200da/x.md",
			"documents/CLAUDE.md", "wiki/x/AGENTS.md", "assets/GEMINI.md", "documents/CLAUDE.local.md", "documents/CLAU\u200dDE.md", "sources/AGENTS.override.md",
			"documents/HEAD", "assets/repository/head", "documents/opencode.json", "documents/Crush.json", "wiki/mise.toml", "documents/OPENCODE.JSONC",
		}},
		{ErrEscape, []string{"../documents/a.md", "documents/../../a.md", "/documents/a.md", `documents\a.md`, "C:/documents/a.md", "documents/a\nb.md"}},
		{ErrUnclean, []string{"", "documents//a.md", "documents/./a.md", "./documents/a.md", "documents/", "documents/a\xff"}},
	} {
		for _, path := range tt.paths {
			if err := CheckPublished(path); !errors.Is(err, tt.want) {
				t.Errorf("%q: %v, want %v", path, err, tt.want)
			}
		}
	}
}

// layoutPattern is a regular expression for what CheckPublished takes by its place;
// it says nothing of the names.
func layoutPattern() string {
	var stems []string
	for _, s := range notices {
		stems = append(stems, s, strings.ToUpper(s[:1])+s[1:], strings.ToUpper(s))
	}
	return `^(?:` + strings.ReplaceAll(strings.Join(rootFiles, "|"), ".", `\.`) +
		`|(?:` + strings.Join(stems, "|") + `)(?:\.md|\.txt)?` +
		`|(?:` + strings.Join(folders, "|") + `)/.+)$`
}

// What an editor learns about the paths of a pack.json is what its reader takes.
func TestTheSchemaOfPackManifestsKnowsTheLayout(t *testing.T) {
	var s struct {
		Properties struct {
			Files struct {
				Items struct {
					Properties struct {
						Path struct{ Pattern string }
					}
				}
			}
		}
	}
	data, err := os.ReadFile("../schema/json/pack-manifest.json")
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	oktest.Check(t, err)
	if got, want := s.Properties.Files.Items.Properties.Path.Pattern, layoutPattern(); got != want {
		t.Errorf("the schema has %s\nwant %s", got, want)
	}
}

// The pattern for schemas and the rule say the same of places.
func TestTheLayoutPatternFollowsTheLists(t *testing.T) {
	pattern := regexp.MustCompile(layoutPattern())
	for _, path := range []string{
		"KNOWLEDGE.md", "boot.yml", "bootxyml", "LICENSE", "license.txt", "Readme.md", "ReadMe.md", "README.sh", "CLAUDE.md", "documents/a/b.md", "documents",
		"xdocuments/a", "compiled/index.json", ".git/config", "hooks/x", "KNOWLEDGE.md/x",
	} {
		err := CheckPublished(path)
		if got, want := pattern.MatchString(path), err == nil; got != want {
			t.Errorf("%q: the pattern says %v, the rule %v", path, got, err)
		}
	}
}

// A site may hold names with a dot; git's own folder no archive may hold.
func TestNamesThatAreTheSameOnEverySystem(t *testing.T) {
	for _, name := range []string{"a", ".nojekyll", ".well-known", "..a", "a.b", "~", "-rf", "com", "COM10", "nul-set.md", "git~", "git~x", "git~1.md", "gits~1"} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{".git", ".Git", ".gi\u200ct", "git~1", "GIT~12", "a*", "a?", `a"`, "a|", "a<", "a>", "a:", `a\`, "a.", "a ", "Con", "aux.md"} {
		if err := CheckName(name); !errors.Is(err, errName) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestObeyedNamesAreRefused(t *testing.T) {
	if len(Obeyed()) == 0 {
		t.Fatal("none")
	}
	for _, name := range Obeyed() {
		for _, spelled := range []string{name, name + " ", name + ".", name + ". \u3000", "\u00a0" + name, name[:3] + "\u200b" + name[3:], "\u00ad" + name, name + "\ufe0f", "\u034f" + name, name + "\U000E0041"} {
			if err := CheckPublished("documents/" + spelled); !errors.Is(err, errName) {
				t.Errorf("%+q: %v", spelled, err)
			}
			if err := CheckFile(spelled); !errors.Is(err, errName) || !IsObeyed(spelled) {
				t.Errorf("%+q is read as another name: %v", spelled, err)
			}
		}
	}
}
