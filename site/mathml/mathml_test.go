package mathml

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bare is the markup without its <math> element.
func bare(t *testing.T, formula string, display bool) string {
	t.Helper()
	markup, ok := Write(formula, display)
	if !ok {
		t.Errorf("%s is not written", formula)
		return ""
	}
	_, rest, _ := strings.Cut(markup, `">`)
	return strings.TrimSuffix(rest, "</math>")
}

func TestFormulas(t *testing.T) {
	for formula, want := range map[string]string{
		`x`:                    "<mi>x</mi>",
		`a^2`:                  "<msup><mi>a</mi><mn>2</mn></msup>",
		`x_i^{n+1}`:            "<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup>",
		`\frac12`:              "<mfrac><mn>1</mn><mn>2</mn></mfrac>",
		`\frac{a}{b}`:          "<mfrac><mi>a</mi><mi>b</mi></mfrac>",
		`\sqrt[3]{x}`:          "<mroot><mi>x</mi><mn>3</mn></mroot>",
		`f'(x)`:                "<mrow><msup><mi>f</mi><mo>′</mo></msup><mo stretchy=false>(</mo><mi>x</mi><mo stretchy=false>)</mo></mrow>",
		`\alpha \leq 3.14`:     "<mrow><mi>α</mi><mo stretchy=false>≤</mo><mn>3.14</mn></mrow>",
		`\text{if } a < b`:     "<mrow><mtext>if\u00a0</mtext><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>",
		`\mathbb{R}^n`:         "<msup><mi>ℝ</mi><mi>n</mi></msup>",
		`\left(\frac1x\right)`: "<mrow><mo stretchy=true>(</mo><mfrac><mn>1</mn><mi>x</mi></mfrac><mo stretchy=true>)</mo></mrow>",
		`\hat y`:               "<mover accent=true><mi>y</mi><mo>^</mo></mover>",
		`\begin{pmatrix} a & b \\ c & d \end{pmatrix}`: "<mrow><mo>(</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo>)</mo></mrow>",
	} {
		if got := bare(t, formula, false); got != want {
			t.Errorf("%s gives\n%s, want\n%s", formula, got, want)
		}
	}
	if got := bare(t, `\sum_{i=1}^n i`, true); !strings.HasPrefix(got, "<mrow><munderover><mo>∑</mo>") {
		t.Errorf("limits of a sum on its own line: %s", got)
	}
}

func TestWhatIsNotKnownIsNotWritten(t *testing.T) {
	for _, formula := range []string{
		`\unknown`, `{a`, `a}`, `\frac{a}`, `x^`, `a & b`, `\left( a`, `\begin{tikz}a\end{tikz}`, `\begin{matrix} a`, `\href{javascript:x}{y}`,
		`\text{a \b}`, `\sqrt[`, strings.Repeat("{", 50) + strings.Repeat("}", 50), strings.Repeat("x", maxFormula+1), "a % b", "\xff", `\`,
		strings.Repeat(`\frac`, 8000), strings.Repeat(`x^`, 8000), `\left`, `\mathbb R`,
	} {
		if got, ok := Write(formula, true); ok {
			t.Errorf("%.40s gives %.200s", formula, got)
		}
	}
}

// values finds what attributes hold, with quotes or without.
var values = regexp.MustCompile(`"[^"]*"|=[a-z0-9.-]+`)

// checkSafe checks that markup is well formed and holds nothing but what a formula is
// made of.
func checkSafe(t *testing.T, formula string) {
	t.Helper()
	markup, ok := Write(formula, true)
	if !ok {
		return
	}
	if len(markup) > 200*len(formula)+200 {
		t.Errorf("%d bytes become %d", len(formula), len(markup))
	}
	quoted := values.ReplaceAllStringFunc(markup, func(value string) string {
		if value[0] == '"' {
			return value
		}
		return `="` + value[1:] + `"`
	})
	d := xml.NewDecoder(strings.NewReader(quoted))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%q gives %q: %v", formula, markup, err)
		}
		e, is := token.(xml.StartElement)
		if !is {
			continue
		}
		if !slices.Contains(strings.Fields("math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mtable mtr mtd"), e.Name.Local) {
			t.Errorf("%q gives <%s>", formula, e.Name.Local)
		}
		for _, a := range e.Attr {
			if !slices.Contains(strings.Fields("display alttext stretchy movablelimits accent linethickness width mathvariant"), a.Name.Local) {
				t.Errorf("%q gives %s=%q", formula, a.Name.Local, a.Value)
			}
		}
	}
}

func TestFormulasHoldNothingElse(t *testing.T) {
	for _, formula := range []string{`"><script>alert(1)</script>`, `\text{<b onclick=x>}`, `\mathrm{<img src=x>}`, `\left< a \right>`, `a & b`, `\& \_ \{ \}`, `\text{&amp;"}`, `<!--`, `\operatorname{"}`, "\v", "a\fb", `a =b \sum_{i=1}`} {
		checkSafe(t, formula)
	}
}

func FuzzFormulasHoldNothingElse(f *testing.F) {
	f.Add(`\frac{a}{b} = \sum_{i=1}^{n} x_i`)
	f.Add(`\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise} \end{cases}`)
	f.Add(`\left\{ \mathbb{R}' \right.`)
	f.Fuzz(func(t *testing.T, formula string) { checkSafe(t, formula) })
}
