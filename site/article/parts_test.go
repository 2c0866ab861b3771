package article

import (
	"slices"
	"testing"

	"github.com/packgen/packgen/templates"
)

func TestScheme(t *testing.T) {
	tests := []struct{ dest, want string }{
		{"https://x", "https"}, {"JAVASCRIPT:x", "javascript"}, {"x.md", ""}, {"a/b:c", ""}, {"#a:b", ""},
		{":x", ""}, {"1a:b", ""}, {"a+b.c-1:x", "a+b.c-1"}, {"", ""}, {"?a:b", ""},
	}
	for _, test := range tests {
		if got := scheme(test.dest); got != test.want {
			t.Errorf("scheme(%q) = %q, want %q", test.dest, got, test.want)
		}
	}
}

func TestPlaceholdersAreFilledInOrder(t *testing.T) {
	var body renderer
	var page templates.Markup
	body.Raw("a ")
	body.leaveRoom(Placeholder{Kind: Page, Target: "documents/x.md", Fragment: "y", Line: 3, Column: 7})
	body.Raw("x</a> b ")
	body.leaveRoom(Placeholder{Kind: Wiki, Target: "evil\x00\x01name", Line: 4, Column: 1})
	body.Raw("y</a>")
	body.leaveRoom(Placeholder{Kind: Picture, Target: "assets/x.png", Line: 5, Column: 2, Alt: "An \"x\"", Title: "T\x00"})
	var seen []Placeholder
	err := Fill(&page, body.B, body.made.Placeholders, func(w *templates.Markup, h Placeholder) {
		seen = append(seen, h)
		w.Raw("<a>")
	})
	if err != nil || string(page.B) != "a <a>x</a> b <a>y</a><a>" {
		t.Errorf("got %q, %v", page.B, err)
	}
	want := []Placeholder{
		{Kind: Page, Target: "documents/x.md", Fragment: "y", Line: 3, Column: 7},
		{Kind: Wiki, Target: "evilname", Line: 4, Column: 1},
		{Kind: Picture, Target: "assets/x.png", Line: 5, Column: 2, Alt: "An \"x\"", Title: "T"},
	}
	if !slices.Equal(seen, want) {
		t.Errorf("got placeholders %v, want %v", seen, want)
	}
	for _, broken := range []string{"a", "a \x00\x00"} {
		if err := Fill(&page, []byte(broken), want[:1], func(*templates.Markup, Placeholder) {}); err == nil {
			t.Errorf("%q is filled without an error", broken)
		}
	}
}

func TestCutID(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Storage {#keep}", "Storage"}, {"{#keep}", ""}, {"Storage {#keep} ", "Storage"}, {"Storage{#keep}", "Storage{#keep}"},
		{"Storage {#a b}", "Storage {#a b}"}, {"Storage {#}", "Storage {#}"}, {"Storage", "Storage"}, {"a {#b} c", "a {#b} c"},
	}
	for _, test := range tests {
		if got := string(cutID([]byte(test.text))); got != test.want {
			t.Errorf("cutID(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
