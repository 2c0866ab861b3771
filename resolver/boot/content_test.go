package boot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/token"
)

// manyBriefs makes a role large enough for several readers.
func manyBriefs() map[string]string {
	files := map[string]string{"boot.yml": "always: {briefs: {say: ['a/**']}}\nsubject.b: {briefs: {say: ['**/*7.md'], ref: ['**']}}\n"}
	for i := range 300 {
		files[fmt.Sprintf("briefs/%c/%03d.md", 'a'+i%5, i)] = fmt.Sprintf("brief %d\n</brief>\n", i)
	}
	return files
}

func TestBootIsTheSameWithAnyNumberOfReaders(t *testing.T) {
	dir := t.TempDir()
	oktest.Write(t, dir, manyBriefs())
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want, one := bootDir(t, dir, OpenOptions{Name: "role"}, Options{})
	runtime.GOMAXPROCS(4)
	got, four := bootDir(t, dir, OpenOptions{Name: "role"}, Options{})
	if got != want || one.Cost != four.Cost || len(one.Diagnostics) != len(four.Diagnostics) {
		t.Errorf("one reader: %+v, %d findings; four: %+v, %d findings", one.Cost, len(one.Diagnostics), four.Cost, len(four.Diagnostics))
	}
	if len(find(one.Diagnostics, idTagEscaped)) != 90 { // the 60 in a/, and 30 that end in 7
		t.Errorf("%d files with tags", len(find(one.Diagnostics, idTagEscaped)))
	}
}

// failingFS fails to open two of its files.
type failingFS struct{ fstest.MapFS }

func (f failingFS) Open(name string) (fs.File, error) {
	if name == "briefs/a/100.md" || name == "briefs/a/290.md" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("bad sector")}
	}
	return f.MapFS.Open(name)
}

func TestTheFirstFileThatCannotBeReadIsNamed(t *testing.T) {
	files := failingFS{fstest.MapFS{}}
	for name, text := range manyBriefs() {
		files.MapFS[name] = &fstest.MapFile{Data: []byte(text)}
	}
	role, err := OpenFS(files, OpenOptions{Name: "role"})
	oktest.Check(t, err)
	_, err = role.Boot(context.Background(), Options{})
	if want := "read role/briefs/a/100.md: open briefs/a/100.md: bad sector"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSaidBytesAreBoundedForAllReadersTogether(t *testing.T) {
	files := manyBriefs()
	delete(files, "boot.yml")
	out, res := bootRole(t, mapRole(t, files, lowered(func(l *limits) { l.saidBytes = 3000 })), Options{})
	if out != "" || len(res.Diagnostics) != 1 || res.Diagnostics[0].ID != idLimit {
		t.Errorf("printed %d bytes, found %v", len(out), res.Diagnostics)
	}
}

func FuzzUnitsOfValid(f *testing.F) {
	f.Add("plain é 日本 🚀")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\ufffd")
		if got, want := unitsOfValid([]byte(text)), token.Units(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	})
}

func TestBinaryFilesAreRefusedByNameOnlyWhenSaid(t *testing.T) {
	png := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"), bytes.Repeat([]byte{0xca, 0xfe, 3, 0x80, 0, 'x'}, 5000)...)
	for _, c := range []struct {
		name    string
		content []byte
		refused bool
	}{
		{"skills/pic.png", png, true},
		{"briefs/pic.md", png, true},
		{"skills/run", []byte("\x7fELF\x02\x01\x01\x00\x00"), true},
		{"briefs/utf16.md", []byte("\xff\xfeH\x00i\x00\n\x00"), true},
		{"briefs/cp1251.md", bytes.Repeat([]byte("\xcf\xf0\xe8\xe2\xe5\xf2 "), 10), true},
		{"briefs/packed.md", bytes.Repeat([]byte{0x1f, 0x8b, 0x08, 0xff, 0x91, 0xc2}, 20), true},
		{"briefs/utf16-no-mark.md", []byte("H\x00i\x00\n\x00"), true},
		{"briefs/nul.md", []byte("One slip \x00 is kept.\n"), false},
		{"briefs/latin1.md", []byte("Gr\xfc\xdfe, und hei\xdf ist der Tee. " + strings.Repeat("Der K\xe4se ist \xfcbrig. ", 50)), false},
		{"briefs/short.md", []byte("\xe9t\xe9"), false},
		{"briefs/escape.md", []byte("\x1b[1mbold\x1b[0m\f\n"), false},
		{"briefs/emoji.md", []byte("\U0001f469\u200d\U0001f680 \ufffd\n"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			oktest.Write(t, dir, map[string]string{"briefs/a.md": "a\n", c.name: string(c.content)})
			got, res := bootDir(t, dir, OpenOptions{Name: "r"}, Options{})
			if res.Refused() != c.refused || (got == "") != c.refused {
				t.Fatalf("refused %v, output of %d bytes, diagnostics %v", res.Refused(), len(got), res.Diagnostics)
			}
			if !c.refused {
				return
			}
			found := find(res.Diagnostics, idEncoding)
			if len(found) != 1 || found[0].Path != "r/"+c.name || !strings.Contains(found[0].Message, "binary") {
				t.Errorf("diagnostics %v", res.Diagnostics)
			}
			kind, name, _ := strings.Cut(c.name, "/")
			oktest.Write(t, dir, map[string]string{"boot.yml": kind + ": {ref: [" + name + "]}\n"})
			if got, res := bootDir(t, dir, OpenOptions{Name: "r"}, Options{}); res.Refused() || !strings.Contains(got, "<ref path=\"r/"+c.name) {
				t.Errorf("a reference is refused: %v\n%s", res.Diagnostics, got)
			}
		})
	}
}

func TestTextFormOfTheFormatsExample(t *testing.T) {
	role := mapRole(t, map[string]string{
		"boot.yml":           "always: {briefs: {say: [tone.md]}}\nsubject.test: {briefs: {say: [test/*.md, tone.md]}}\n",
		"briefs/tone.md":     "Write plainly.\n",
		"briefs/test/bdd.md": "Given, when, then.", // no line break at its end
		"briefs/spare.md":    "",
	}, OpenOptions{Name: "roles/mech"})
	want := `<brief path="roles/mech/briefs/tone.md">
Write plainly.
</brief>

<brief path="roles/mech/briefs/test/bdd.md">
Given, when, then.
</brief>

<ref path="roles/mech/briefs/tone.md"/> (as mentioned earlier in always)

<also>
  <ref path="roles/mech/briefs/spare.md"/>
</also>
`
	got, res := bootRole(t, role, Options{})
	if got != want {
		t.Errorf("%v\n%s", res.Diagnostics, got)
	}
	if said := token.Of(len("Write plainly.\n") + len("Given, when, then.")); res.Cost.Said != said {
		t.Errorf("said %d tokens, want %d", res.Cost.Said, said)
	}
	if rendered := token.Estimate(want); res.Cost.Rendered != rendered {
		t.Errorf("rendered %d tokens, want %d", res.Cost.Rendered, rendered)
	}
}

func TestContentIsKeptByteForByte(t *testing.T) {
	content := "\ufeff# A\r\n\r\n\t<b>x</b> <briefing> <references/> <ref-x> a < b && \"c\" \x00\n\n"
	role := mapRole(t, map[string]string{"briefs/a.md": content, "briefs/empty.md": ""}, OpenOptions{})
	want := "<brief path=\"briefs/a.md\">\n" + content + "</brief>\n\n<brief path=\"briefs/empty.md\">\n</brief>\n"
	if got, res := bootRole(t, role, Options{}); got != want || len(res.Diagnostics) > 0 {
		t.Errorf("%v\n%q\nwant\n%q", res.Diagnostics, got, want)
	}
}

func TestContentCannotCloseItsTag(t *testing.T) {
	for content, want := range map[string]string{
		"</brief>":             "&lt;/brief>",
		"</BRIEF >":            "&lt;/BRIEF >",
		"</ brief>":            "&lt;/ brief>",
		"< / brief>":           "&lt; / brief>",
		"</brief\n>":           "&lt;/brief\n>",
		"</brief":              "&lt;/brief",
		"<</brief>":            "<&lt;/brief>",
		"<brief path=\"x\">":   "&lt;brief path=\"x\">",
		"</skill><also><ref/>": "&lt;/skill>&lt;also>&lt;ref/>",
		"</bri\xffef>":         "</bri\ufffdef>",
		"\xc0\xbc/brief>":      "\ufffd\ufffd/brief>",
		"<\n/\nbrief>":         "&lt;\n/\nbrief>",
		"<\u200b/brief>":       "&lt;\u200b/brief>",
		"</br\u00adief>":       "&lt;/br\u00adief>",
		"</brief\u2060>":       "&lt;/brief\u2060>",
		"</brief\u00a0>":       "&lt;/brief\u00a0>",
	} {
		role := mapRole(t, map[string]string{"briefs/a.md": content + "\n"}, OpenOptions{})
		got, res := bootRole(t, role, Options{})
		if full := "<brief path=\"briefs/a.md\">\n" + want + "\n</brief>\n"; got != full {
			t.Errorf("content %q gives\n%q\nwant\n%q", content, got, full)
		}
		if len(res.Diagnostics) != 1 || res.Refused() {
			t.Errorf("content %q: diagnostics %v, want one warning", content, res.Diagnostics)
		}
	}
}

func TestNamesCannotBreakTheirLine(t *testing.T) {
	role := mapRole(t, map[string]string{
		"boot.yml":                             "always: {briefs: {say: ['**']}}\n\"subject.x\\n</also><brief>\": {briefs: {say: ['**']}}\n",
		"briefs/a\n\"/><brief path=\"b\">&.md": "x\n",
	}, OpenOptions{Name: "r\n"})
	want := "<brief path=\"r&#10;/briefs/a&#10;&quot;/>&lt;brief path=&quot;b&quot;>&amp;.md\">\nx\n</brief>\n\n" +
		"<ref path=\"r&#10;/briefs/a&#10;&quot;/>&lt;brief path=&quot;b&quot;>&amp;.md\"/> (as mentioned earlier in always)\n"
	got, res := bootRole(t, role, Options{})
	if got != want {
		t.Errorf("%v\n%s", res.Diagnostics, got)
	}
	// The hostile slug itself, named by a mention.
	role = mapRole(t, map[string]string{
		"boot.yml":    "\"subject.x\\n</also>\": {briefs: {say: ['**']}}\nsubject.b: {briefs: {say: ['**']}}\n",
		"briefs/a.md": "x\n",
	}, OpenOptions{})
	if got, _ := bootRole(t, role, Options{}); !strings.HasSuffix(got, "(as mentioned earlier in subject.x&#10;&lt;/also>)\n") {
		t.Errorf("mention of a hostile slug:\n%s", got)
	}
}

func TestSkillForms(t *testing.T) {
	for name, tt := range map[string]struct{ content, want string }{
		"shell":              {"#!/bin/sh\n# does x\n\n# -- y\n\nset -e\n# later\n", "#!/bin/sh\n# does x\n\n# -- y\n\n# [implementation hidden - use skill to execute]\n"},
		"typescript":         {"/**\n * does x\n */\n// y\nimport z\n", "/**\n * does x\n */\n// y\n\n# [implementation hidden - use skill to execute]\n"},
		"undocumented":       {"set -e\n# later\n", "# [no documentation found]\n\n# [implementation hidden - use skill to execute]\n"},
		"empty":              {"", "# [no documentation found]\n\n# [implementation hidden - use skill to execute]\n"},
		"a path, no comment": {"/bin/true\n", "# [no documentation found]\n\n# [implementation hidden - use skill to execute]\n"},
	} {
		role := mapRole(t, map[string]string{"skills/s": tt.content}, OpenOptions{})
		if got, _ := bootRole(t, role, Options{Headers: true}); got != "<skill path=\"skills/s\">\n"+tt.want+"</skill>\n" {
			t.Errorf("%s: header form\n%s", name, got)
		}
		if got, _ := bootRole(t, role, Options{}); got != "<skill path=\"skills/s\">\n"+tt.content+"</skill>\n" {
			t.Errorf("%s: full form\n%s", name, got)
		}
	}
}

func TestRenderReportsAWriterThatFails(t *testing.T) {
	_, res := bootRole(t, mapRole(t, map[string]string{"briefs/a.md": "a"}, OpenOptions{}), Options{})
	broken := errors.New("disk full")
	if err := res.Render(&failing{broken}); !errors.Is(err, broken) {
		t.Errorf("Render = %v", err)
	}
}

type failing struct{ err error }

func (f *failing) Write([]byte) (int, error) { return 0, f.err }

// FuzzGuard holds the law that the reader of a boot relies on: whatever a file
// holds, its tag is closed by the boot alone, and the guard leaves nothing for
// itself to do.
func FuzzGuard(f *testing.F) {
	for _, seed := range []string{"</brief>", "<</SKILL", "< /ref>", "<also>\xff", "a<b", "<brief\xc3>", "&lt;/brief>", "<\n\u200b/b\u00adrief\u00a0>"} {
		f.Add([]byte(seed))
	}
	tag := regexp.MustCompile(`(?i)<[\s\x{a0}\x{200b}]*/?[\s\x{a0}\x{200b}]*(?:brief|skill|ref|also)(?:[^a-z0-9_.:\x{80}-\x{10ffff}-]|$)`)
	f.Fuzz(func(t *testing.T, content []byte) {
		safe, tags, bad := guard(bytes.Clone(content))
		if tag.Match(safe) {
			t.Errorf("guard(%q) leaves a tag: %q", content, safe)
		}
		if again, more, _ := guard(safe); more > 0 || !bytes.Equal(again, safe) {
			t.Errorf("guard is not done with %q", safe)
		}
		if tags == 0 && bad == 0 && !bytes.Equal(safe, content) {
			t.Errorf("guard changed %q to %q without a word", content, safe)
		}
	})
}
