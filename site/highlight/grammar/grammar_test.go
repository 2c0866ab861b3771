package grammar

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	theirs "github.com/alecthomas/chroma/v2/lexers"

	"github.com/packgen/packgen/site/highlight/lexers"
)

// samples hold something of many languages, and much that is wrong in all.
var samples = []string{
	"package main\n\nimport \"fmt\"\n\n// done\nfunc main() {\n\tfmt.Println(`raw`, 'x', 0x1F, 1.5e3, \"a\\n\")\n}\n",
	"def f(x: int = 3, *args, **kw) -> str:\n    \"\"\"Doc\n    string\"\"\"\n    return f'{x!r:>{10}}' + r\"\\d\" # no\n\n@decorated\nclass A(B): pass\n",
	"#!/bin/sh\nset -eu\nfor f in \"$@\"; do\n  echo \"${f%.md}\" | sed 's/a/b/' > /dev/null && cat <<EOF\nx $y $(z)\nEOF\ndone\n",
	"key: value\nlist:\n  - 1\n  - \"two\"\n  - {a: b, c: [1, 2]}\ntext: |\n  several\n  lines\n# note\n&anchor x: *anchor\n",
	"{\"a\": [1, -2.5e10, true, null], \"b\": {\"c\": \"\\u00e9\\\"\"}}\n",
	"<!doctype html>\n<a href=\"x\" class='y'>text &amp; more</a>\n<script>let x = a => `${a}`; /* c */</script>\n<style>p > a { color: #fff; margin: 1px 2em }</style>\n<?php echo $x['y'] ?? 1; ?>\n",
	"SELECT a.id, COUNT(*) FROM t AS a LEFT JOIN u USING (id) WHERE a.x LIKE 'it''s%' AND y >= 3; -- end\nselect Kelvin, \u212a, \u017f from \"q\";\n",
	"#include <stdio.h>\n#define X(a) ((a) + 1)\nint main(void) { char *s = \"x\\0\"; return X(2) << 3; /* c */ }\nstruct s { unsigned long a : 3; };\n",
	"use std::io;\n/// Doc\n#[derive(Debug)]\npub fn f<'a, T: Into<u8>>(x: &'a str) -> Option<T> { let r = r#\"raw\"#; match x { _ => None } }\n",
	"module M where\nf :: Int -> [a] -> Maybe a\nf n xs | n < 0 = Nothing\n       | otherwise = Just $ xs !! n {- c -}\n",
	"--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n",
	"# Title\n\nSome *text* with `code`, [a link](x.md).\n\n```go\nfunc f() {}\n```\n\n- item\n",
	"FROM alpine:3 AS x\nRUN apk add --no-cache \\\n  git\nCOPY --from=x /a /b\n",
	"[section]\nname = \"value\" ; c\nn = 3\n; comment\n",
	"\u00e9t\u00e9 = \u4e2d\u6587 \u2028 \U0001f600 \u0130\u0131 \u00df\n\t \r\n\v\f end of it",
	"}}}]]])))>>> ''' \"\"\" ``` \\\\ /* <!-- {{ {% %} }} #} $x @y ~z ^ | % ! ? : ;\n\"unclosed\n'unclosed\n/* unclosed",
	"select Select SELECT selects _select select_ select9 select\u00e9 for\u200dfor for\u0301 \u017felect if\u212a if-else return;return\nreturn$ func.func break\tint int64 int65 TRUE true null None",
	"\n\n\n", "x", "",
}

// TestGrammarsGiveTheTokensOfTheirLexers compares every lexer of chroma with our way to
// run its rules, as our archive has them.
func TestGrammarsGiveTheTokensOfTheirLexers(t *testing.T) {
	ran := 0
	for i, lexer := range theirs.GlobalLexerRegistry.Lexers {
		name := lexer.Config().Name
		if testing.Short() && i%8 != 0 && !slices.Contains(common, name) {
			continue
		}
		ours := lexers.Registry()
		g := New(ours.Get(name), ours)
		if g == nil {
			continue
		}
		ran++
		for _, text := range samples {
			got, gotErr := grammarTokens(g, text)
			if gotErr == errEndless.Error() {
				continue // the lexer itself would never end
			}
			want, wantErr := lexed(lexer, text)
			if (wantErr != "") != (gotErr != "") {
				t.Errorf("%s: %q: error %q, want %q", name, text, gotErr, wantErr)
			} else if wantErr == "" && !slices.Equal(got, want) {
				t.Errorf("%s: %q gives\n%v\nwant\n%v", name, text, got, want)
			}
		}
	}
	if !testing.Short() && ran < 200 {
		t.Errorf("only %d lexers are made of rules", ran)
	}
}

var common = []string{"Go", "Python", "Bash", "YAML", "JSON", "HTML", "SQL", "C", "Rust", "TypeScript", "TOML"}

func lexed(lexer chroma.Lexer, text string) (list []chroma.Token, failed string) {
	defer func() {
		if recover() != nil {
			failed = "panic"
		}
	}()
	next, err := lexer.Tokenise(&chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return nil, err.Error()
	}
	for token := next(); token != chroma.EOF; token = next() {
		list = append(list, token)
	}
	return list, ""
}

func grammarTokens(g *Grammar, text string) (list []chroma.Token, failed string) {
	defer func() {
		if recover() != nil {
			failed = "panic"
		}
	}()
	err := g.Lex(text, func(t chroma.TokenType, text string) {
		list = append(list, chroma.Token{Type: t, Value: strings.Clone(text)})
	})
	if err != nil {
		return nil, err.Error()
	}
	return list, ""
}

// Openings without an end take no time each for all of the code that follows: that no end
// follows is known, or the work is counted and given up.
func TestOpeningsWithoutAnEndAreBoundedWork(t *testing.T) {
	for _, test := range []struct {
		lexer, opening string
		want           error
	}{
		{"Go", "{{/*", ErrWork}, {"C", "/*", nil}, {"Python", "\"\"\"", nil},
		{"YAML", "* ", ErrWork}, {"Raku", "$", ErrWork}, {"Protocol Buffer", "/", ErrWork}, {"PostgreSQL SQL dialect", "$", ErrWork},
	} {
		text := strings.Repeat(test.opening, 6000/len(test.opening))
		if err := New(theirs.Get(test.lexer), theirs.GlobalLexerRegistry).Lex(text, func(chroma.TokenType, string) {}); err != test.want {
			t.Errorf("%s: %q again and again: %v, want %v", test.lexer, test.opening, err, test.want)
		}
	}
}
