package templates

import (
	"bytes"
	"errors"
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// views has one of each kind, with nothing in it.
var views = []View{Catalog{}, Pack{}, Document{}, Listing{}, Claims{}, History{}, Match{}, NotFound{}, Role{}, Report{}, Graph{}, Source{}, Print{}, Diff{}}

func TestEveryPageRendersEmpty(t *testing.T) {
	for _, v := range views {
		var out bytes.Buffer
		if err := Render(&out, v); err != nil {
			t.Errorf("%s: %v", v.page(), err)
			continue
		}
		text := out.String()
		if !strings.HasPrefix(text, "<!doctype html>\n<html lang=") {
			t.Errorf("%s starts with %.60q", v.page(), text)
		}
		if strings.Contains(text, "<no value>") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s has a hole: %s", v.page(), text)
		}
	}
}

func TestTextIsEscaped(t *testing.T) {
	const bad = `<script>"'&`
	for _, v := range []View{
		Catalog{Frame: Frame{Site: bad, Title: bad, Description: bad}, Intro: bad, Packs: []Card{{Name: bad, Description: bad, Type: bad, URL: bad}}},
		Pack{Name: bad, Description: bad, Facts: []Fact{{Name: bad, Value: bad}}, Notices: []Notice{{Title: bad, Text: bad}}},
		Document{Heading: bad, Kind: bad, Contents: []Heading{{ID: bad, Text: bad}}, Back: []Backlink{{Link: Link{URL: bad, Text: bad}, Said: bad}}},
		Claims{Rows: []ClaimRow{{ID: bad, Text: bad, Status: bad, Source: Link{Text: bad}}}},
		Match{Examples: []string{bad}},
		Diff{Before: bad, After: bad, Tasks: []DiffTask{{Task: bad, Gained: []string{bad}, Lost: []string{bad}, Moved: []string{bad}}}, Changed: []DiffEntry{{ID: bad, Text: bad}}},
		Report{Events: 1, From: bad, Misses: 1, Loads: []LoadRow{{ID: bad, Last: bad}}, Dead: []DeadRow{{ID: bad}}, Overlaps: []OverlapRow{{Keyword: bad, Entries: []string{bad}}}, Words: []WordRow{{Word: bad, Entry: bad}}},
	} {
		var out bytes.Buffer
		oktest.Check(t, Render(&out, v))
		if strings.Contains(out.String(), "<script>") {
			t.Errorf("%s lets markup through: %s", v.page(), out.String())
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	if err := Render(brokenWriter{}, NotFound{}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("got %v, want the writer's error", err)
	}
}

func TestEscapedTextMeansItself(t *testing.T) {
	const text = `a <b class="x">&amp; 'c'</b>` + "\x00\t\u00e9"
	const want = `a &lt;b class="x"&gt;&amp;amp; 'c'&lt;/b&gt;` + "\ufffd\t\u00e9"
	if got := string(AppendText([]byte("> "), text)); got != "> "+want {
		t.Errorf("text between tags: %q, want %q", got, want)
	}
	if got := string(AppendText(nil, []byte(text))); got != want {
		t.Errorf("bytes between tags: %q, want %q", got, want)
	}
	quoted := string(appendEscaped(nil, text, true))
	if strings.ContainsAny(quoted, `"'<>`) || html.UnescapeString(quoted) != strings.ReplaceAll(text, "\x00", "\ufffd") {
		t.Errorf("text between quotes: %q", quoted)
	}
}

func TestValuesWithoutQuotes(t *testing.T) {
	for value, want := range map[string]bool{
		"a-b.c_d#9": true, "../x/y.html": true, "x/": false, "": false, "a b": false, "a=b": false, "a\"": false, "\u00e9": false,
	} {
		if got := needsNoQuotes(value); got != want {
			t.Errorf("%q needs no quotes: %v, want %v", value, got, want)
		}
	}
}

// hostile is text that would break out of any place it is not escaped for.
const hostile = "x\x00' onload='a\" onload=\"a <script>a</script> --> </title></article><img src=x onerror=a> &amp; javascript:a"

// fill puts the text into every string a value holds.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		v.SetInt(2)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return // HTML of the site's renderer
		}
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	}
}

var (
	tag       = regexp.MustCompile(`<(/?[a-z][a-z0-9]*|!doctype)((?:\s[a-z-]+(?:="[^"<>]*"|=[^\s"'=<>` + "`" + `]+)?)*)>`)
	attribute = regexp.MustCompile(`\s([a-z-]+)(?:="([^"]*)"|=(\S+))?`)
)

// shape is the page without its text and the values of its attributes. Every
// "<" of the page must start a tag that is whole.
func shape(t *testing.T, v View) (elements, values []string) {
	t.Helper()
	var out bytes.Buffer
	oktest.Check(t, Render(&out, v))
	page := out.String()
	tags := tag.FindAllStringSubmatch(page, -1)
	if n := strings.Count(page, "<"); n != len(tags) {
		t.Errorf("%s: %d tags, %d of them whole:\n%s", v.page(), n, len(tags), page)
	}
	for _, found := range tags {
		element := found[1]
		for _, a := range attribute.FindAllStringSubmatch(found[2], -1) {
			element += " " + a[1]
			values = append(values, a[1]+"="+html.UnescapeString(a[2]+a[3]))
		}
		elements = append(elements, element)
	}
	return elements, values
}

// TestHostileTextChangesNoElement compares pages full of hostile text with
// pages full of plain text: they have the same elements and attributes.
func TestHostileTextChangesNoElement(t *testing.T) {
	for _, view := range []func(text string) View{
		func(text string) View { var v Document; fill(reflect.ValueOf(&v).Elem(), text); return v },
		func(text string) View { var v Claims; fill(reflect.ValueOf(&v).Elem(), text); return v },
		func(text string) View { var v Listing; fill(reflect.ValueOf(&v).Elem(), text); return v },
		func(text string) View { var v History; fill(reflect.ValueOf(&v).Elem(), text); return v },
	} {
		plain, _ := shape(t, view("plain"))
		for _, text := range []string{hostile, "x y", "a/", "a>b", "a=b", "`", "javascript:alert(1)"} {
			got, values := shape(t, view(text))
			if strings.Join(got, "\n") != strings.Join(plain, "\n") {
				t.Errorf("%q changes the elements of %s", text, view(text).page())
			}
			for _, v := range values {
				name, value, _ := strings.Cut(v, "=")
				if (name == "href" || name == "src") && strings.HasPrefix(strings.TrimSpace(value), "javascript:") {
					t.Errorf("%s holds %s", view(text).page(), v)
				}
			}
		}
	}
}

func TestAttributes(t *testing.T) {
	for value, want := range map[string]string{
		"": ` a=""`, "plain-1.html#top": " a=plain-1.html#top", "../": ` a="../"`, "a b": ` a="a b"`,
		`"><x`: ` a="&#34;&gt;&lt;x"`, "it's": ` a="it&#39;s"`, "a\x00": " a=\"a\ufffd\"", "é": ` a="é"`, "a=b": ` a="a=b"`, "`": " a=\"`\"",
	} {
		var m Markup
		m.Attr("a", value)
		if string(m.B) != want {
			t.Errorf("attr(%q) writes %q, want %q", value, m.B, want)
		}
	}
}

func TestAddressesOfOtherSchemesAreReplaced(t *testing.T) {
	for address, safe := range map[string]bool{
		"a.html": true, "../a.html#b:c": true, "./a:b.html": true, "https://example.org/": true, "HTTP://x": true, "?a:b": true, "": true,
		"javascript:a": false, "JavaScript:a": false, " javascript:a": false, "java\nscript:a": false, "data:text/html,a": false, "a:b": false,
	} {
		if got := isSafe(address); got != safe {
			t.Errorf("isSafe(%q) = %v", address, got)
		}
	}
}
