package fetch

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestLinkHeaderGivesTheNextPage(t *testing.T) {
	at, _ := url.Parse("https://api.example.com/repos/o/r?page=1")
	for _, tt := range []struct{ name, header, want string }{
		{"none", "", ""},
		{"github", `<https://api.example.com/r?page=2>; rel="next", <https://api.example.com/r?page=9>; rel="last"`, "https://api.example.com/r?page=2"},
		{"second entry", `<https://a/1>; rel="prev", <https://a/3>; rel="next"`, "https://a/3"},
		{"unquoted", `<https://a/2>; rel=next`, "https://a/2"},
		{"several relations", `<https://a/2>; rel="last next"`, "https://a/2"},
		{"upper case", `<https://a/2>; REL="NEXT"`, "https://a/2"},
		{"other parameters", `<https://a/2>; title="a, \"b\"; rel=prev"; rel="next"; x`, "https://a/2"},
		{"first rel counts", `<https://a/2>; rel="prev"; rel="next"`, ""},
		{"relative", `</r?page=2>; rel="next"`, "https://api.example.com/r?page=2"},
		{"comma in target", `<https://a/1,2>; rel="next"`, "https://a/1,2"},
		{"not closed", `<https://a/2; rel="next"`, ""},
		{"no brackets", `https://a/2; rel="next"`, ""},
		{"only last", `<https://a/2>; rel="last"`, ""},
		{"not an address", "<https://a/%zz>; rel=\"next\"", ""},
		{"fragment dropped", `<https://a/2#x>; rel="next"`, "https://a/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if next := nextPage(http.Header{"Link": {tt.header}}, at); next != nil {
				got = next.String()
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Whatever a header holds: each link is in it, in order, and reading what
// was found gives the same again.
func FuzzParseLinks(f *testing.F) {
	for _, s := range []string{`<a>; rel="next"`, `<a>; rel="x y", <b>; rel=z`, `<>;;;rel="\"`, `<a>; a=b; rel=c, ,<d>`, `<a`, `;`, `<a>;=,<b>`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, value string) {
		links := parseLinks(value)
		rest := value
		written := []string{}
		previous := ""
		for _, l := range links {
			if !strings.Contains(value, "<"+l.target+">") {
				t.Fatalf("%q is not a target of %q", l.target, value)
			}
			if i := strings.Index(rest, "<"+l.target+">"); i < 0 && l.target != previous {
				t.Fatalf("%q is out of order in %q", l.target, value)
			} else if i >= 0 && l.target != previous {
				rest = rest[i+1:]
			}
			previous = l.target
			quoted := strings.ReplaceAll(strings.ReplaceAll(l.rel, `\`, `\\`), `"`, `\"`)
			written = append(written, "<"+l.target+`>; rel="`+quoted+`"`)
		}
		if again := parseLinks(strings.Join(written, ", ")); !slices.Equal(links, again) {
			t.Fatalf("%q: %v written and read is %v", value, links, again)
		}
	})
}
