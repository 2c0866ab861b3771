package boot

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
