package diag

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func files(content map[string]string) Lines {
	return NewLines(func(d Diagnostic) ([]byte, error) {
		text, ok := content[d.Path]
		if !ok {
			return nil, errors.New("no such file")
		}
		return []byte(text), nil
	})
}

func TestRenderShowsTheLineWithACaret(t *testing.T) {
	lines := files(map[string]string{"a.md": "# A\n\n- é日 the \x1b[31mkettle\n"})
	for name, c := range map[string]struct {
		d    Diagnostic
		want string
	}{
		"caret below a wide character": {
			Diagnostic{ID: "x", Path: "a.md", Line: 3, Column: 8, Message: "M.", Hint: "H"},
			"a.md:3:8: info: M. [x]\n    3 | - é日 the \\x1b[31mkettle\n      |      ^\n    H\n",
		},
		"no column, no caret": {
			Diagnostic{ID: "x", Path: "a.md", Line: 1, Message: "M."},
			"a.md:1: info: M. [x]\n    1 | # A\n",
		},
		"column beyond the line": {
			Diagnostic{ID: "x", Path: "a.md", Line: 1, Column: 99, Message: "M."},
			"a.md:1:99: info: M. [x]\n    1 | # A\n      |    ^\n",
		},
		"blank line":     {Diagnostic{ID: "x", Path: "a.md", Line: 2, Column: 1, Message: "M."}, "a.md:2:1: info: M. [x]\n"},
		"line too far":   {Diagnostic{ID: "x", Path: "a.md", Line: 99, Column: 1, Message: "M."}, "a.md:99:1: info: M. [x]\n"},
		"no such file":   {Diagnostic{ID: "x", Path: "b.md", Line: 1, Column: 1, Message: "M."}, "b.md:1:1: info: M. [x]\n"},
		"never a secret": {Diagnostic{ID: "secret-suspect", Path: "a.md", Line: 1, Column: 1, Message: "M."}, "a.md:1:1: info: M. [secret-suspect]\n"},
	} {
		var b bytes.Buffer
		if err := Render(&b, []Diagnostic{c.d}, RenderOptions{Lines: lines}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestFrameOfALongLineIsCutAroundThePlace(t *testing.T) {
	text := strings.Repeat("a", 5000) + "HERE" + strings.Repeat("b", 5000)
	out := frame(Diagnostic{Path: "a.md", Line: 1, Column: 5001}, RenderOptions{Lines: files(map[string]string{"a.md": text})})
	lines := strings.Split(out, "\n")
	if len([]rune(lines[0])) > frameWidth+20 || !strings.Contains(lines[0], "HERE") {
		t.Errorf("line is %q", lines[0])
	}
	if at := strings.Index(lines[1], "^"); at < 0 || []rune(lines[0])[at] != 'H' {
		t.Errorf("the caret is not below the place:\n%s", out)
	}
}

func TestFrameTakesOutWhatIsRedacted(t *testing.T) {
	o := RenderOptions{
		Lines:  files(map[string]string{"a.md": "key hunter2 is here"}),
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "…") },
	}
	for _, column := range []int{1, 8, 13} {
		if out := frame(Diagnostic{ID: "x", Path: "a.md", Line: 1, Column: column}, o); strings.Contains(out, "hunt") || strings.Contains(out, "ter2") {
			t.Errorf("column %d shows %q", column, out)
		}
	}
}

func TestLinesAreThoseOfCompile(t *testing.T) {
	lines := files(map[string]string{"a": "\uFEFFone\r\ntwo\rthree\n", "empty": ""})
	for i, want := range []string{"one", "two", "three", ""} {
		if got, ok := lines(Diagnostic{Path: "a", Line: i + 1}); !ok || got != want {
			t.Errorf("line %d is %q, %v", i+1, got, ok)
		}
	}
	if _, ok := lines(Diagnostic{Path: "a", Line: 5}); ok {
		t.Error("there is a fifth line")
	}
	if _, ok := lines(Diagnostic{Path: "a"}); ok {
		t.Error("line 0 is shown")
	}
}

func FuzzFrame(f *testing.F) {
	f.Add("- a\tb\n\u202e日", 1, 3)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		out := frame(Diagnostic{Path: "a", Line: line, Column: column}, RenderOptions{Lines: files(map[string]string{"a": text})})
		if n := strings.Count(out, "\n"); n > 2 || strings.ContainsAny(out, "\x1b\r\u202e") {
			t.Errorf("frame is %q", out)
		}
	})
}
