package htmltag

import (
	"fmt"
	"strings"
	"testing"
)

// show writes the tokens of a text, one after another.
func show(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		t := Next([]byte(text), at)
		switch t.Kind {
		case Text:
			fmt.Fprintf(&b, "[%s]", text[t.Start:t.End])
		case Open:
			fmt.Fprintf(&b, "+%s", t.Name)
			for _, a := range t.Attrs {
				fmt.Fprintf(&b, " %s=%s", a.Name, a.Value)
			}
		case Close:
			b.WriteString("-" + t.Name)
		case Comment:
			b.WriteString("!")
		}
		b.WriteByte(';')
		at = t.End
	}
	return b.String()
}

func TestTokensOfHTML(t *testing.T) {
	for text, want := range map[string]string{
		`a <b>c</b> d`:                     `[a ];+b;[c];-b;[ d];`,
		`<IMG SRC="x y" width=10 alt='"'>`: `+img src=x y width=10 alt=";`,
		`<br/><hr />`:                      `+br;+hr;`,
		`<a href=x href=y>`:                `+a href=x;`,
		`a < b > c`:                        `[a < b > c];`,
		`<a"b">`:                           `[<a"b">];`,
		`<a href="x`:                       `[<a href="x];`,
		`x<!-- <b> -->y`:                   `[x];!;[y];`,
		`x<!-- <b>`:                        `[x];!;`,
		`<!DOCTYPE html><?php x ?>`:        `!;!;`,
		`</a ></b`:                         `-a;[</b];`,
		`<svg/onload=alert(1)>`:            `[<svg/onload=alert(1)>];`,
		`<details open>`:                   `+details open=;`,
		`<Tabs.Item x={1}>`:                `+tabs.item x={1};`,
		`<p style={{a: '>'}} b={x('}')}>c`: `+p style={{a: '>'}} b={x('}')};[c];`,
		`<p style={{a: '}>c`:               `[<p style={{a: '}>c];`,
		`<a b = c>`:                        `+a b=c;`,
	} {
		if got := show(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func FuzzTokensCoverTheText(f *testing.F) {
	f.Add("a <b c='d'>e</b> <!-- x")
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for at < len(text) {
			tok := Next([]byte(text), at)
			if tok.Start != at || tok.End <= at || tok.End > len(text) {
				t.Fatalf("token %+v at %d of %d", tok, at, len(text))
			}
			at = tok.End
		}
	})
}
