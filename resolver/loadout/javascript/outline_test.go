package javascript

import (
	"strings"
	"testing"
)

func TestOutlineFindsUnderlinesAndWhatIsNoHeading(t *testing.T) {
	const text, inert, underline = "t", "i", "u"
	for name, c := range map[string]struct{ lines, want string }{
		"a heading with a line below":         {"A|---|b", "tut"},
		"any length, and blanks":              {"A|  -  |B|------- ", "tutu"},
		"of level 1":                          {"A|===|b|---", "tttu"},
		"two lines are a paragraph":           {"a|b|---", "ttt"},
		"a rule after a blank line":           {"a||---", "ttt"},
		"a rule below a heading":              {"# A|---", "tt"},
		"a rule below a rule":                 {"a||***|---", "tttt"},
		"of a list":                           {"- a|---|b|---", "tttu"},
		"of a list of numbers":                {"12. a|---", "tt"},
		"a number is not a list":              {"12.a|---", "tu"},
		"the line goes on in the list":        {"- a|b|---", "ttt"},
		"in a list":                           {"- a||  b|  ---|c|---", "tttttu"},
		"of a quotation":                      {"> a|---", "tt"},
		"code by indentation":                 {"    a|---", "tt"},
		"an indented underline":               {"a|    ---", "tt"},
		"front matter":                        {"---|a: b|## c|- d|---|e|---", "iiiiitu"},
		"a line across the page at the start": {"---|a b|---|## C|---", "ttutt"},
		"lines across without a key":          {"---|## C|---", "ttt"},
		"front matter that does not end":      {"---|a|b", "ttt"},
		"a table":                             {"a - b|--- - ---", "tt"},
		"a fence":                             {"```|A|---|```|B|---", "iiiitu"},
		"a comment":                           {"<!--|## A|B|---|-->|C|---", "iiiiitu"},
		"a comment on one line":               {"<!-- ## A -->|B|---", "itu"},
		"the shortest comment":                {"<!-->|B|---", "itu"},
		"a comment in a paragraph":            {"a|<!--|---|-->|b|---", "tiiitu"},
		"a comment that starts within":        {"a <!--|---", "tu"},
		"a comment by indentation":            {"    <!--|a|---", "ttt"},
		"a fence in a comment":                {"<!--|```|-->|A|---", "iiitu"},
		"a comment in a fence":                {"```|<!--|```|A|---", "iiitu"},
		"a comment that does not end":         {"<!--|A|---", "iii"},
		"preformatted HTML":                   {"<pre>|## A|</PRE>|B|---", "iiitu"},
		"preformatted HTML on one line":       {"<Pre class=x>a</pre>|B|---", "itu"},
		"HTML of another name":                {"<preface>|---", "tu"},
		"a carriage return":                   {"A\r|---\r", "tu"},
		"white space alone":                   {"A| \t|---", "ttt"},
	} {
		o := NewOutline(strings.ReplaceAll(c.lines, "|", "\n"))
		var got strings.Builder
		for line := range strings.SplitSeq(c.lines, "|") {
			got.WriteString(map[LineKind]string{Text: text, Inert: inert, Underline: underline}[o.Next(line)])
		}
		if got.String() != c.want {
			t.Errorf("%s: %s, want %s", name, got.String(), c.want)
		}
	}
}

func TestHeadingTextIsWithoutBlanksAndClosingMarks(t *testing.T) {
	for s, want := range map[string]string{
		"A  ": "A", "\tA b \u00a0": "A b", "A ##": "A", "A ## ": "A", "C#": "C#", "C #": "C", "A \\#": "A \\#", "##": "", "": "", "A #b": "A #b", "à##": "à##",
	} {
		if got := HeadingText(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}
