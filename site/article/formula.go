package article

import "github.com/packgen/packgen/site/mathml"

// writeFormula writes a formula in a block of its own: drawn by the browser, or as it was
// typed when it holds what package mathml does not know.
func writeFormula(r *renderer, latex []byte) {
	if markup, ok := mathml.Write(string(latex), true); ok {
		r.Raw("<div class=\"scroll formula\">" + markup + "</div>\n")
		return
	}
	r.Raw("<pre class=math><code>")
	r.Literal(latex)
	r.Raw("</code></pre>\n")
}

// wideFormula is how long a formula in a line is that may be wider than a page, in bytes.
const wideFormula = 24

// writeInlineFormula writes a formula in a line.
func writeInlineFormula(r *renderer, latex []byte, display bool) {
	if markup, ok := mathml.Write(string(latex), display); ok {
		if len(latex) > wideFormula { // a formula does not break, and a narrow page does not widen
			markup = "<span class=scroll>" + markup + "</span>"
		}
		r.Raw(markup)
		return
	}
	r.Raw("<code class=math>")
	r.Literal(latex)
	r.Raw("</code>")
}
