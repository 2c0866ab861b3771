package packpath

import (
	"strings"
	"testing"
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
