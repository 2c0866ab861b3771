package diag

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

var sample = []Diagnostic{
	{ID: "claim-unsourced", Severity: Warning, Path: "documents/a.md", Line: 3, Column: 5, Message: "No anchor.", Hint: "add [source: …]"},
	{ID: "path-collision", Severity: Error, Path: "b.md", Line: 7, Message: `"x"`},
	{ID: "view-hand-made", Path: "compiled/x.md", Message: "Made by hand."},
	{ID: "pack-missing", Severity: Error, Message: "Nothing."},
}

func TestRenderPrintsPlaceSeverityMessageAndHint(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, Render(&b, sample, RenderOptions{}))
	want := `documents/a.md:3:5: warning: No anchor. [claim-unsourced]
    fix: add [source: …]
b.md:7: error: "x" [path-collision]
compiled/x.md: info: Made by hand. [view-hand-made]
error: Nothing. [pack-missing]
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRenderPutsTheRootBeforePaths(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, Render(&b, sample[2:], RenderOptions{Root: "packs/p"}))
	want := "packs/p/compiled/x.md: info: Made by hand. [view-hand-made]\npacks/p: error: Nothing. [pack-missing]\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestRenderColoursOnlyWhenAsked(t *testing.T) {
	var b bytes.Buffer
	oktest.Check(t, Render(&b, sample[1:2], RenderOptions{Color: true}))
	want := "\x1b[1mb.md:7:\x1b[0m \x1b[31merror:\x1b[0m \"x\" \x1b[2m[path-collision]\x1b[0m\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestRenderReportsAWriteThatFails(t *testing.T) {
	if err := Render(brokenWriter{}, sample, RenderOptions{}); err == nil {
		t.Error("no error")
	}
}

func TestPrintableEscapesWhatSteersATerminal(t *testing.T) {
	for text, want := range map[string]string{
		"plain é日🚀":               "plain é日🚀",
		"👩\u200d👧 می\u200cخواهم":  "👩\u200d👧 می\u200cخواهم",
		"te\u200da \u200c":        `te\u200da \u200c`,
		"😀\ufe0f\ufe01\U000E0120": "😀\ufe0f" + `\ufe01\U000e0120`,
		"\x1b[31mred\r\n\t\x00":   `\x1b[31mred\x0d\x0a\x09\x00`,
		"a\u202eb\u200bc\ufeff":   `a\u202eb\u200bc\ufeff`,
		"\u0085\u2028":            `\u0085\u2028`,
		"bad \xff\xc3 \uFFFD end": `bad \xff\xc3 ` + "\uFFFD end",
		"tag \U000E0041":          `tag \U000e0041`,
	} {
		if got := Printable(text); got != want {
			t.Errorf("Printable(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestSortIsBySeverityPathAndRecordedMessage(t *testing.T) {
	list := []Diagnostic{
		{ID: "b", Severity: Info, Path: "a"},
		{ID: "b", Severity: Error, Path: "z"},
		{ID: "a", Severity: Error, Path: "z", Line: 9},
		{ID: "a", Severity: Error, Path: "z", Line: 2},
		{ID: "x", Severity: Warning, Path: "a"},
	}
	Sort(list)
	if list[0].Line != 2 || list[1].Line != 9 || list[2].ID != "b" || list[3].ID != "x" || list[4].Severity != Info {
		t.Errorf("order is %+v", list)
	}
	if Count(list, Error) != 3 || Count(list, Info) != 1 {
		t.Error("Count is wrong")
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("a\x1b\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		once := Printable(text)
		if twice := Printable(once); twice != once {
			t.Errorf("not stable: %q, then %q", once, twice)
		}
	})
}

func TestHintOfIsThatOfTheOutermostHint(t *testing.T) {
	plain := errors.New("no file")
	inner := WithHint(plain, "name %s", "one")
	outer := fmt.Errorf("open: %w", WithHint(fmt.Errorf("read: %w", inner), "run again"))
	for _, c := range []struct {
		err           error
		hint, without string
	}{{plain, "", "no file"}, {inner, "name one", "no file"}, {outer, "run again", "read: no file"}} {
		if got := HintOf(c.err); got != c.hint {
			t.Errorf("hint of %v: %q, want %q", c.err, got, c.hint)
		}
		if got := WithoutHint(c.err).Error(); got != c.without {
			t.Errorf("%v without a hint: %q, want %q", c.err, got, c.without)
		}
		if !errors.Is(c.err, plain) {
			t.Errorf("%v has lost what it wraps", c.err)
		}
	}
}

func TestClassOfSurvivesHintsAndWrapping(t *testing.T) {
	plain := errors.New("no")
	for _, c := range []struct {
		err  error
		want Class
	}{
		{plain, Misuse}, {Refuse(plain), Refused}, {WithHint(Refuse(plain), "later"), Refused},
		{fmt.Errorf("pull: %w", WithClass(Mismatch, WithHint(plain, "again"))), Mismatch},
	} {
		if got := ClassOf(c.err); got != c.want {
			t.Errorf("class of %v: %d, want %d", c.err, got, c.want)
		}
	}
}

// A quota that is used up is a full disk.
func TestAQuotaIsADiskThatIsFull(t *testing.T) {
	for errno, full := range map[syscall.Errno]bool{syscall.ENOSPC: true, syscall.EDQUOT: true, syscall.EIO: false} {
		err := WithHint(fmt.Errorf("write: %w", &fs.PathError{Op: "write", Path: "x", Err: errno}), "wait")
		if DiskFull(err) != full {
			t.Errorf("%v is full: %t", errno, !full)
		}
	}
}
