package templates

import (
	"bytes"
	"html"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

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
