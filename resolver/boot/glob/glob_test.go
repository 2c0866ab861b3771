package glob

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// allowance returns the allowance of a file of its own.
func allowance() *int {
	n := Allowance
	return &n
}

// matching returns which of the paths below briefs/ a glob matches.
func matching(t testing.TB, glob string, paths ...string) []string {
	t.Helper()
	p, fault := Compile(glob, allowance())
	if fault != nil {
		t.Fatalf("glob %q: %v", glob, *fault)
	}
	slices.Sort(paths)
	m := NewMatcher("briefs/", paths, new(int64))
	var found []string
	for _, i := range m.Match(p) {
		found = append(found, paths[i])
	}
	return found
}

// The golden cases hold the rules of boot.yml section 8 one by one; these are
// the corners between them.
func TestGlobCorners(t *testing.T) {
	for _, tt := range []struct {
		glob  string
		paths string
		want  string
	}{
		{"a/**", "a/b.md a.md", "a/b.md"},                      // ** at the end needs a name
		{"a/**", "a/.b.md a/.c/d.md", ""},                      // and no hidden one
		{"**/**", "a.md b/c.md", "a.md b/c.md"},                // ** twice is ** once
		{"**/.w/**", ".w/a.md x/.w/b.md", ".w/a.md x/.w/b.md"}, // a literal dot opens the folder
		{"**/.w/**/z.md", ".w/z.md a/.w/b/c/z.md", ".w/z.md a/.w/b/c/z.md"},
		{"***/a.md", "x/a.md a.md x/y/a.md", "x/a.md"}, // three stars are one
		{"{a,.b}/*.md", "a/x.md .b/x.md c/x.md", ".b/x.md a/x.md"},
		{"[.]a.md", ".a.md", ""}, // a class is a wildcard, so no hidden names
		{`\.a.md`, ".a.md", ".a.md"},
		{"{1..3}.md", "1.md 2.md {1..3}.md 1..3.md", "{1..3}.md"},
		{"x{1..3}[ab].md", "x{1..3}a.md x1a.md", "x{1..3}a.md"},
		{"@(a).md", "@(a).md a.md", "@(a).md"},
		{"a}.md", "a}.md a.md", "a}.md"}, // closing marks alone are ordinary
		{"a].md", "a].md a.md", "a].md"},
		{"{a,{b,c}/d}.md", "a.md b/d.md c/d.md d.md", "a.md b/d.md c/d.md"},
		{"[a,b].md", "a.md b.md [a,b].md", "[a,b].md a.md b.md"},
		{"{[a,b],x}.md", "a.md x.md [a,b].md", "[a,b].md a.md x.md"},
		{"[a][b][c].md", "abc.md [a]b[c].md [a][b][c].md", "[a][b][c].md [a]b[c].md abc.md"},
		{"[!a].md", "b.md a.md [!a].md", "[!a].md b.md"}, // the name itself always matches
		{"[a|b].md", "a.md [a|b].md", "[a|b].md a.md"},
		{`a\*{b,c}.md`, "a*b.md axb.md", "a*b.md"},
		{`a\{b.md`, "a{b.md", "a{b.md"},
		{"././/a//b.md", "a/b.md", "a/b.md"},
		{"a/./b.md", "a/b.md", ""},
		{"//a.md", "a.md", ""},
		{"a/../b.md", "b.md", ""},
		{"./briefs/a.md", "a.md", "a.md"},
		{"briefs/**", "a.md x/b.md briefs/c.md", "a.md briefs/c.md x/b.md"},
		{"briefs", "briefs/a.md", ""},
		{"briefs/", "a.md", ""},
		{"{briefs,x}/a.md", "a.md x/a.md", "x/a.md"}, // only a literal prefix counts
		{"?.md", "ü.md 日.md ab.md", "ü.md 日.md"},
		{"a", "a/b.md", ""},
		{"A.md", "a.md", ""},
	} {
		got := strings.Join(matching(t, tt.glob, strings.Fields(tt.paths)...), " ")
		if want := strings.Join(slices.Sorted(slices.Values(strings.Fields(tt.want))), " "); got != want {
			t.Errorf("%q on %s matches %q, want %q", tt.glob, tt.paths, got, want)
		}
	}
}

func TestGlobFaults(t *testing.T) {
	for glob, want := range map[string]string{
		"":       "empty",
		"a[b":    "unclosed [",
		"a[b/c]": "unclosed [",
		`a[b\]`:  "unclosed [",
		"a[].md": "malformed",
		"a{b":    "unclosed {",
		"{a,{b}": "unclosed {",
		`a\`:     "lone",
	} {
		if _, fault := Compile(glob, allowance()); fault == nil || !strings.Contains(fault.Text, want) {
			t.Errorf("glob %q: fault %v, want %q", glob, fault, want)
		}
	}
}

// hostileGlobs returns globs and paths on which a matcher that backtracks would
// not come to an end.
func hostileGlobs() (globs, paths []string) {
	for i := range 100 {
		globs = append(globs, fmt.Sprintf("**/**/**/*a*b*c*%d", i), strings.Repeat("**/*a/", 40)+"z")
	}
	for i := range 200 {
		paths = append(paths, strings.Repeat("aaaaaa/", 50)+fmt.Sprintf("%sa%d.md", strings.Repeat("ab", 60), i))
	}
	slices.Sort(paths)
	return globs, slices.Compact(paths)
}

func TestHostileGlobsStayLinearInDepth(t *testing.T) {
	globs, paths := hostileGlobs()
	work := new(int64)
	m := NewMatcher("", paths, work)
	for _, text := range globs {
		p, fault := Compile(text, allowance())
		if fault != nil {
			t.Fatal(*fault)
		}
		before := *work
		m.Match(p)
		names, bytes := len(strings.Split(paths[0], "/")), int64(len(paths[0]))
		limit := int64(len(paths)) * int64(len(p.alts[0])) * (bytes*int64(len(text)) + int64(names))
		if spent := *work - before; spent > limit {
			t.Errorf("glob %.30q cost %d, more than paths x segments x bytes, %d", text, spent, limit)
		}
	}
}

func TestMatchingStopsAtItsBound(t *testing.T) {
	work := new(int64)
	*work = maxWork - 10
	m := NewMatcher("", []string{"a.md", "b.md", "c.md"}, work)
	p, _ := Compile("*[a-z]*.md", allowance())
	m.Match(p)
	if !m.Spent() || *work > maxWork+1000 {
		t.Errorf("work %d of %d", *work, maxWork)
	}
}

// FuzzGlob holds two laws: a glob never panics, and a name written with every
// special character escaped matches itself alone.
func FuzzGlob(f *testing.F) {
	for _, seed := range []string{"a/**/b.md", "[a].[b].md", "{a,b{c,d}}/*.md", `a\*[!x]?.md`, "**", "./a", "{1..3}"} {
		f.Add(seed, "a/x.[b].md")
	}
	f.Fuzz(func(t *testing.T, glob, name string) {
		if strings.HasPrefix(name, "/") || strings.HasSuffix(name, "/") || strings.Contains(name, "//") ||
			name == "" || name == "." || strings.HasPrefix(name, "./") || len(name) > 500 {
			return
		}
		if p, fault := Compile(glob, allowance()); fault == nil {
			NewMatcher("briefs/", []string{name}, new(int64)).Match(p)
		}
		if strings.HasPrefix(name, "briefs/") {
			return
		}
		literal := escape(name)
		if len(literal) <= maxBytes {
			if got := matching(t, literal, name, name+"x"); !slices.Equal(got, []string{name}) {
				t.Errorf("escaped glob %q matches %q", literal, got)
			}
		}
	})
}

// BenchmarkHostileGlobs matches globs full of ** and * against deep trees.
func BenchmarkHostileGlobs(b *testing.B) {
	globs, paths := hostileGlobs()
	for b.Loop() {
		m := NewMatcher("", paths, new(int64))
		for _, text := range globs {
			p, fault := Compile(text, allowance())
			if fault != nil {
				b.Fatal(*fault)
			}
			m.Match(p)
		}
	}
}
