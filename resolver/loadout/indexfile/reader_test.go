package indexfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

// ids are those of the entries that "the runner" needs.
func ids(t *testing.T, p *Reader) (list string) {
	t.Helper()
	results := oktest.Value(p.Match("the runner", loadout.Recall, 0.5, 5))(t)
	for _, r := range results {
		list += r.Entry.ID + " "
	}
	return list
}

func open(t *testing.T, json, bin string) *Reader {
	t.Helper()
	p := oktest.Value(OpenReader(json, bin))(t)
	t.Cleanup(p.Close)
	return p
}

func TestABinaryFormLiesWhereItIsPut(t *testing.T) {
	dir := t.TempDir()
	json, bin := filepath.Join(dir, "index.json"), filepath.Join(dir, "elsewhere", "x.bin")
	oktest.Check(t, os.WriteFile(json, []byte(one), 0o666))
	p := open(t, json, bin)
	if p.Fast() || !p.Outdated || ids(t, p) != "ci " || !p.Has("ci") || p.Has("cd") {
		t.Errorf("before: %+v", p)
	}
	time.Sleep(20 * time.Millisecond) // files of one tick of the clock cannot be distinguished
	oktest.Check(t, p.Renew(time.Hour))
	p = open(t, json, bin)
	if !p.Fast() || p.Outdated || ids(t, p) != "ci " || !p.Has("ci") || p.Has("cd") || p.Size() != 1 {
		t.Errorf("after: %+v", p)
	}
	old := filepath.Join(filepath.Dir(bin), "old.bin")
	oktest.Check(t, os.WriteFile(old, nil, 0o666))
	oktest.Check(t, os.Chtimes(old, time.Unix(0, 0), time.Unix(0, 0)))
	oktest.Check(t, p.Renew(time.Hour))
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("a form that nobody needs stays")
	}
}

func TestAnotherTextOfTheSameSizeIsSeen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	oktest.Check(t, Write(name, []byte(two)))
	other := []byte(two)
	copy(other[len(`{"version":"1.0.0","generated":"x","entries":[{"id":"`):], "xy")
	oktest.Check(t, os.WriteFile(name, other, 0o666))
	// Set back, as a copy that keeps times does.
	oktest.Check(t, os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)))
	if p := open(t, name, ""); lastChangeIsKnown && ids(t, p) != "xy " {
		t.Errorf("the old entry answers: %s", ids(t, p))
	}
}

func TestABinaryFormThatIsDamagedIsMadeAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	oktest.Check(t, Write(name, []byte(one)))
	data := oktest.Value(os.ReadFile(path(name)))(t)
	for _, bad := range [][]byte{nil, data[:len(data)/2], append([]byte("x"), data[1:]...)} {
		oktest.Check(t, os.WriteFile(path(name), bad, 0o666))
		if p := open(t, name, ""); p.Fast() || !p.Outdated || ids(t, p) != "ci " {
			t.Errorf("%d bytes: %+v", len(bad), p)
		}
	}
	if _, err := OpenReader(name+"x", ""); !os.IsNotExist(err) {
		t.Errorf("no index: %v", err)
	}
}

// Without stems a binary form has no answer for each dialect.
func TestABinaryFormWithoutStemsIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	json, bin := filepath.Join(dir, "index.json"), filepath.Join(dir, "x.bin")
	oktest.Check(t, os.WriteFile(json, []byte(one), 0o666))
	data := oktest.Value(Build([]byte(one)))(t)
	const checksum = 4
	data[len(data)-checksum-1] ^= 1 // the mark that ends the stems
	time.Sleep(20 * time.Millisecond)
	oktest.Check(t, os.WriteFile(bin, data, 0o666))
	p := open(t, json, bin)
	if p.Fast() || !p.Outdated || ids(t, p) != "ci " {
		t.Errorf("before: %+v", p)
	}
	oktest.Check(t, p.Renew(0))
	if p = open(t, json, bin); !p.Fast() || p.Outdated {
		t.Errorf("after: %+v", p)
	}
}

func TestTheFormOfAParsedIndexIsThatOfItsText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	bin := filepath.Join(filepath.Dir(name), "x.bin")
	for _, c := range []struct{ rule, then string }{
		{"the index as it was read", one},
		{"another index in its place since then", strings.Replace(one, `"ci"`, `"cd"`, 1)},
	} {
		oktest.Check(t, os.WriteFile(name, []byte(one), 0o666))
		p := open(t, name, filepath.Join(filepath.Dir(name), "none.bin"))
		p.bin = bin
		if c.then != one {
			// The same size, put in place as another file.
			oktest.Check(t, os.WriteFile(name+".new", []byte(c.then), 0o666))
			oktest.Check(t, os.Rename(name+".new", name))
		}
		oktest.Check(t, p.Renew(0))
		want := oktest.Value(Build([]byte(c.then)))(t)
		if got, err := os.ReadFile(bin); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the form is of another text, %v", c.rule, err)
		}
	}
}
