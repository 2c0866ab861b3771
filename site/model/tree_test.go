package model

import "testing"

func TestRelative(t *testing.T) {
	tests := []struct{ from, to, want string }{
		{"index.html", "match.html", "match.html"},
		{"index.html", "packs/a/index.html", "packs/a/index.html"},
		{"packs/a/index.html", "index.html", "../../index.html"},
		{"packs/a/documents/x.html", "packs/a/documents/y.html", "y.html"},
		{"packs/a/documents/x.html", "packs/a/documents/deep/y.html", "deep/y.html"},
		{"packs/a/documents/x.html", "packs/a/wiki/y.html", "../wiki/y.html"},
		{"packs/a/documents/x.html", "packs/ab/y.html", "../../ab/y.html"},
		{"packs/a/x.html", "packs/a/b c#d?e%.html", "b%20c%23d%3Fe%25.html"},
		{"packs/a/x.html", "packs/a/mailto:y.html", "./mailto:y.html"},
		{"packs/a/x.html", "packs/a/知识.html", "%E7%9F%A5%E8%AF%86.html"},
	}
	for _, test := range tests {
		if got := Relative(test.from, test.to); got != test.want {
			t.Errorf("relative(%q, %q) = %q, want %q", test.from, test.to, got, test.want)
		}
	}
}
