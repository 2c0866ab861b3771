package mathml

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a formula; one beyond them is not written.
const (
	maxFormula = 16 << 10 // bytes
	maxDepth   = 40       // of groups in each other
)

// Write returns a formula as a <math> element with the formula as its alttext. Ok is
// false for one that this package cannot write whole.
func Write(formula string, display bool) (markup string, ok bool) {
	if len(formula) > maxFormula || !utf8.ValidString(formula) || strings.ContainsFunc(formula, isForeign) {
		return "", false
	}
	w := &writer{rest: formula, display: display}
	body := w.row(func() bool { return w.rest == "" })
	if w.failed || strings.TrimSpace(w.rest) != "" {
		return "", false
	}
	mode := ""
	if display {
		mode = " display=block"
	}
	return "<math" + mode + ` alttext="` + html.EscapeString(strings.TrimSpace(formula)) + `">` + body + "</math>", true
}

// isForeign reports characters that no formula has: comments, and what XML forbids.
func isForeign(c rune) bool {
	return c == '%' || unicode.IsControl(c) && !unicode.IsSpace(c) || c == '\v' || c == '\f' || c == 0xFFFE || c == 0xFFFF
}

// writer reads a formula from the left. Once it has failed, whatever it returns is
// useless.
type writer struct {
	rest    string
	display bool
	depth   int
	failed  bool
}

func (w *writer) fail() string {
	w.failed, w.rest = true, ""
	return ""
}

func (w *writer) skipBlanks() { w.rest = strings.TrimLeft(w.rest, " \t\r\n") }

// command reads the name of a command whose backslash comes next: letters, or one
// other character.
func (w *writer) command() string {
	s := w.rest[1:]
	n := 0
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		n++
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(s)
	}
	w.rest = s[n:]
	return s[:n]
}

// row writes terms up to an end, in one element.
func (w *writer) row(end func() bool) string {
	if w.depth++; w.depth > maxDepth {
		return w.fail()
	}
	defer func() { w.depth-- }()
	var b strings.Builder
	n := 0
	for {
		w.skipBlanks()
		if w.failed || end() {
			break
		}
		if w.rest == "" {
			return w.fail()
		}
		b.WriteString(w.term())
		n++
	}
	if n == 1 {
		return b.String()
	}
	return "<mrow>" + b.String() + "</mrow>"
}

// term writes an atom with its scripts.
func (w *writer) term() string {
	base, over := "", false
	if c := w.rest[0]; c != '^' && c != '_' {
		base, over = w.atom()
	} else {
		base = "<mrow></mrow>"
	}
	var sub, sup string
	for {
		w.skipBlanks()
		switch {
		case strings.HasPrefix(w.rest, "_") && sub == "":
			w.rest = w.rest[1:]
			sub = w.argument()
		case strings.HasPrefix(w.rest, "^") && sup == "":
			w.rest = w.rest[1:]
			sup = w.argument()
		case strings.HasPrefix(w.rest, "'") && sup == "":
			n := len(w.rest) - len(strings.TrimLeft(w.rest, "'"))
			w.rest = w.rest[n:]
			sup = "<mo>" + strings.Repeat("′", min(n, 4)) + "</mo>"
		default:
			return scripts(base, sub, sup, over)
		}
		if w.failed {
			return ""
		}
	}
}

// scripts puts scripts at a base: over and under it, or beside it.
func scripts(base, sub, sup string, over bool) string {
	names := [3]string{"msub", "msup", "msubsup"}
	if over {
		names = [3]string{"munder", "mover", "munderover"}
	}
	switch {
	case sub != "" && sup != "":
		return "<" + names[2] + ">" + base + sub + sup + "</" + names[2] + ">"
	case sub != "":
		return "<" + names[0] + ">" + base + sub + "</" + names[0] + ">"
	case sup != "":
		return "<" + names[1] + ">" + base + sup + "</" + names[1] + ">"
	}
	return base
}

// argument writes what a command takes: a group, a command or one character.
func (w *writer) argument() string {
	w.skipBlanks()
	if w.rest == "" || strings.ContainsRune("^_}&", rune(w.rest[0])) {
		return w.fail()
	}
	if c := w.rest[0]; c >= '0' && c <= '9' {
		w.rest = w.rest[1:]
		return "<mn>" + string(c) + "</mn>"
	}
	markup, _ := w.atom()
	return markup
}

// group writes what is between braces that come next.
func (w *writer) group() string {
	w.rest = w.rest[1:]
	markup := w.row(func() bool { return strings.HasPrefix(w.rest, "}") })
	if !w.failed {
		w.rest = w.rest[1:]
	}
	return markup
}

// raw reads a group as text, without braces in it.
func (w *writer) raw() string {
	w.skipBlanks()
	if !strings.HasPrefix(w.rest, "{") {
		return w.fail()
	}
	text, rest, ok := strings.Cut(w.rest[1:], "}")
	if !ok || strings.ContainsAny(text, `{\$`) {
		return w.fail()
	}
	w.rest = rest
	return text
}

// atom writes one thing without scripts. Over says that its scripts go above and below.
func (w *writer) atom() (markup string, over bool) {
	c, size := utf8.DecodeRuneInString(w.rest)
	switch {
	case c == '{':
		return w.group(), false
	case c == '\\':
		return w.control(w.command())
	case c == '}' || c == '&' || c == '$' || c == '#':
		return w.fail(), false
	case c == '~':
		w.rest = w.rest[1:]
		return `<mspace width=0.25em></mspace>`, false
	case c >= '0' && c <= '9' || c == '.' && len(w.rest) > 1 && w.rest[1] >= '0' && w.rest[1] <= '9':
		n := 0
		for n < len(w.rest) && (w.rest[n] >= '0' && w.rest[n] <= '9' || w.rest[n] == '.' && n+1 < len(w.rest) && w.rest[n+1] >= '0' && w.rest[n+1] <= '9') {
			n++
		}
		number := w.rest[:n]
		w.rest = w.rest[n:]
		return "<mn>" + number + "</mn>", false
	}
	w.rest = w.rest[size:]
	text := html.EscapeString(string(c))
	if unicode.IsLetter(c) {
		return "<mi>" + text + "</mi>", false
	}
	if c == '-' {
		text = "−"
	}
	if strings.ContainsRune("()[]|/", c) {
		return "<mo stretchy=false>" + text + "</mo>", false
	}
	return "<mo>" + text + "</mo>", false
}

// forms are the elements around symbols, by their kinds.
var forms = [...][2]string{
	identifier: {"<mi>", "</mi>"}, operator: {"<mo stretchy=false>", "</mo>"}, bigOperator: {"<mo>", "</mo>"}, integral: {"<mo>", "</mo>"},
	function: {"<mi>", "</mi><mo>\u2061</mo>"}, limit: {"<mo movablelimits=false>", "</mo>"}, space: {"<mspace width=", "></mspace>"},
}

// control writes a command.
func (w *writer) control(name string) (markup string, over bool) {
	s := symbols()[name]
	if s.kind == accent {
		return "<mover accent=true>" + w.argument() + "<mo>" + html.EscapeString(s.text) + "</mo></mover>", false
	}
	if form := forms[s.kind]; form[0] != "" {
		return form[0] + html.EscapeString(s.text) + form[1], w.display && (s.kind == bigOperator || s.kind == limit)
	}
	switch name {
	case "frac", "dfrac", "tfrac":
		return "<mfrac>" + w.argument() + w.argument() + "</mfrac>", false
	case "binom":
		return "<mrow><mo>(</mo><mfrac linethickness=0>" + w.argument() + w.argument() + "</mfrac><mo>)</mo></mrow>", false
	case "sqrt":
		return w.root(), false
	case "underline":
		return "<munder>" + w.argument() + "<mo>_</mo></munder>", false
	case "text", "textrm", "mathrm", "textbf", "textit", "texttt", "operatorname", "mbox":
		if name == "mathrm" || name == "operatorname" {
			return "<mi mathvariant=normal>" + html.EscapeString(w.raw()) + "</mi>", false
		}
		return "<mtext>" + strings.ReplaceAll(html.EscapeString(w.raw()), " ", "\u00a0") + "</mtext>", false
	case "left":
		return w.fenced(), false
	case "big", "Big", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "textstyle", "limits", "nolimits", "mathit":
		return "<mrow></mrow>", false
	case "begin":
		return w.environment(), false
	}
	if a, ok := alphabetOf(name); ok {
		var b strings.Builder
		for _, c := range w.raw() {
			b.WriteRune(a.letter(c))
		}
		return "<mi>" + html.EscapeString(b.String()) + "</mi>", false
	}
	return w.fail(), false
}

// root writes \sqrt{x} or \sqrt[n]{x}.
func (w *writer) root() string {
	w.skipBlanks()
	if !strings.HasPrefix(w.rest, "[") {
		return "<msqrt>" + w.argument() + "</msqrt>"
	}
	w.rest = w.rest[1:]
	index := w.row(func() bool { return strings.HasPrefix(w.rest, "]") })
	if w.failed {
		return ""
	}
	w.rest = w.rest[1:]
	return "<mroot>" + w.argument() + index + "</mroot>"
}

// fence reads the character after \left or \right; "." is none.
func (w *writer) fence() string {
	w.skipBlanks()
	if w.rest == "" {
		return w.fail()
	}
	if w.rest[0] == '\\' {
		s := symbols()[w.command()]
		if s.kind != operator {
			return w.fail()
		}
		return html.EscapeString(s.text)
	}
	c, size := utf8.DecodeRuneInString(w.rest)
	if !strings.ContainsRune("()[]|/.<>", c) {
		return w.fail()
	}
	w.rest = w.rest[size:]
	switch c {
	case '.':
		return ""
	case '<':
		return "⟨"
	case '>':
		return "⟩"
	}
	return string(c)
}

// fenced writes \left( … \right).
func (w *writer) fenced() string {
	open := w.fence()
	body := w.row(func() bool { return strings.HasPrefix(w.rest, `\right`) && !strings.HasPrefix(w.rest, `\rightarrow`) })
	if w.failed {
		return ""
	}
	w.rest = w.rest[len(`\right`):]
	end := w.fence()
	return "<mrow><mo stretchy=true>" + open + "</mo>" + body + "<mo stretchy=true>" + end + "</mo></mrow>"
}

// environment writes \begin{…} … \end{…}: a table with what is around it.
func (w *writer) environment() string {
	name := w.raw()
	around := map[string][2]string{
		"matrix": {}, "pmatrix": {"(", ")"}, "bmatrix": {"[", "]"}, "vmatrix": {"|", "|"}, "Vmatrix": {"‖", "‖"}, "Bmatrix": {"{", "}"},
		"cases": {"{", ""}, "aligned": {}, "align": {}, "align*": {}, "array": {}, "gathered": {}, "split": {},
	}
	fences, ok := around[name]
	if !ok {
		return w.fail()
	}
	if name == "array" {
		w.raw() // how the columns are set
	}
	stop := `\end{` + name + `}`
	var b strings.Builder
	b.WriteString("<mtable><mtr>")
	for {
		cell := w.row(func() bool {
			return strings.HasPrefix(w.rest, "&") || strings.HasPrefix(w.rest, `\\`) || strings.HasPrefix(w.rest, stop)
		})
		if w.failed {
			return ""
		}
		b.WriteString("<mtd>" + cell + "</mtd>")
		switch {
		case w.rest[0] == '&':
			w.rest = w.rest[1:]
			continue
		case strings.HasPrefix(w.rest, stop):
			w.rest = w.rest[len(stop):]
			b.WriteString("</mtr></mtable>")
			table := b.String()
			if fences[0] == "" {
				return table
			}
			return "<mrow><mo>" + fences[0] + "</mo>" + table + "<mo>" + fences[1] + "</mo></mrow>"
		}
		w.rest = w.rest[2:]
		b.WriteString("</mtr><mtr>")
	}
}
