package diag

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
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
			"a.md:3:8: info: M. [x]\n    3 | - é日 the \\x1b[31mkettle\n      |      ^\n    fix: H\n",
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
		oktest.Check(t, Render(&b, []Diagnostic{c.d}, RenderOptions{Lines: lines}))
		if diff := cmp.Diff(c.want, b.String()); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestFrameOfALongLineIsCutAroundThePlace(t *testing.T) {
	text := strings.Repeat("a", 5000) + "HERE" + strings.Repeat("b", 5000)
	out := framed(Diagnostic{Path: "a.md", Line: 1, Column: 5001}, RenderOptions{Lines: files(map[string]string{"a.md": text})})
	lines := strings.Split(out, "\n")
	if len([]rune(lines[0])) > frameWidth+20 || !strings.Contains(lines[0], "HERE") {
		t.Errorf("line is %q", lines[0])
	}
	if at := strings.Index(lines[1], "^"); at < 0 || []rune(lines[0])[at] != 'H' {
		t.Errorf("the caret is not below the place:\n%s", out)
	}
}

func TestFrameTakesOutSecrets(t *testing.T) {
	token := "ghp" + "_Abcdefghij0123456789abcdefghij012345"
	for _, text := range []string{"key " + token + " is here", token, strings.Repeat("x ", 5000) + token + strings.Repeat(" y", 5000)} {
		for column := 1; column <= len(text)+1; column += 1 + len(text)/400 {
			out := framed(Diagnostic{ID: "x", Path: "a.md", Line: 1, Column: column}, RenderOptions{Lines: files(map[string]string{"a.md": text})})
			if strings.Contains(out, "Abcd") || strings.Contains(out, "ghij") || strings.Contains(out, "2345") {
				t.Fatalf("column %d shows %q", column, out)
			}
		}
	}
}

func TestFilesWithANULHaveNoLinesToShow(t *testing.T) {
	lines := NewLines(func(Diagnostic) ([]byte, error) { return []byte("\xff\xfeg\x00h\x00p\x00\n\x00x"), nil })
	for line := 1; line <= 2; line++ {
		if text, ok := lines(Diagnostic{Path: "a.txt", Line: line}); ok {
			t.Errorf("line %d is shown: %q", line, text)
		}
	}
}

// framed is the frame of a diagnostic that is asked about first.
func framed(d Diagnostic, o RenderOptions) string { return frame(d, o, &lineMemo{lines: o.Lines}) }

// A line with many findings on it is read and searched once.
func TestALineIsAskedForOnce(t *testing.T) {
	var list []Diagnostic
	for i := range 100 {
		list = append(list, Diagnostic{ID: "x", Path: "a.md", Line: 1, Column: i + 1, Message: "M."})
	}
	asked := 0
	lines := func(Diagnostic) (string, bool) { asked++; return strings.Repeat("word ", 1000), true }
	if err := Render(&bytes.Buffer{}, list, RenderOptions{Lines: lines}); err != nil || asked != 1 {
		t.Errorf("asked %d times to print, %v", asked, err)
	}
	asked = 0
	if fingerprints(list, FormatOptions{Lines: lines}); asked != 1 {
		t.Errorf("asked %d times for fingerprints", asked)
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
		out := framed(Diagnostic{Path: "a", Line: line, Column: column}, RenderOptions{Lines: files(map[string]string{"a": text})})
		if n := strings.Count(out, "\n"); n > 2 || strings.ContainsAny(out, "\x1b\r\u202e") {
			t.Errorf("frame is %q", out)
		}
	})
}
