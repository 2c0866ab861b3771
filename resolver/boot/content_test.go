package boot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

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
	write(t, dir, manyBriefs())
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want, one := bootDir(t, dir, OpenOptions{Name: "role"}, Options{})
	runtime.GOMAXPROCS(4)
	got, four := bootDir(t, dir, OpenOptions{Name: "role"}, Options{})
	if got != want || one.Cost != four.Cost || len(one.Diagnostics) != len(four.Diagnostics) {
		t.Errorf("one reader: %+v, %d findings; four: %+v, %d findings", one.Cost, len(one.Diagnostics), four.Cost, len(four.Diagnostics))
	}
	if len(find(one.Diagnostics, IDTagEscaped)) != 90 { // the 60 in a/, and 30 that end in 7
		t.Errorf("%d files with tags", len(find(one.Diagnostics, IDTagEscaped)))
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
	if err != nil {
		t.Fatal(err)
	}
	_, err = role.Boot(context.Background(), Options{})
	if want := "read role/briefs/a/100.md: open briefs/a/100.md: bad sector"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestSaidBytesAreBoundedForAllReadersTogether(t *testing.T) {
	files := manyBriefs()
	delete(files, "boot.yml")
	out, res := bootRole(t, mapRole(t, files, lowered(func(l *limits) { l.saidBytes = 3000 })), Options{})
	if out != "" || len(res.Diagnostics) != 1 || res.Diagnostics[0].ID != IDLimit {
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
