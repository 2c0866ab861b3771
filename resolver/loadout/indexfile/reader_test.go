package indexfile

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/resolver/loadout"
)

// ids are those of the entries that "the runner" needs.
func ids(t *testing.T, p *Reader) (list string) {
	t.Helper()
	results, err := p.Match("the runner", loadout.Recall, 0.5, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		list += r.Entry.ID + " "
	}
	return list
}

func open(t *testing.T, json, bin string) *Reader {
	t.Helper()
	p, err := OpenReader(json, bin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func TestABinaryFormLiesWhereItIsPut(t *testing.T) {
	dir := t.TempDir()
	json, bin := filepath.Join(dir, "index.json"), filepath.Join(dir, "elsewhere", "x.bin")
	if err := os.WriteFile(json, []byte(one), 0o666); err != nil {
		t.Fatal(err)
	}
	p := open(t, json, bin)
	if p.Fast() || !p.Outdated || ids(t, p) != "ci " || !p.Has("ci") || p.Has("cd") {
		t.Errorf("before: %+v", p)
	}
	time.Sleep(20 * time.Millisecond) // files of one tick of the clock cannot be distinguished
	if err := p.Renew(time.Hour); err != nil {
		t.Fatal(err)
	}
	p = open(t, json, bin)
	if !p.Fast() || p.Outdated || ids(t, p) != "ci " || !p.Has("ci") || p.Has("cd") || p.Size() != 1 {
		t.Errorf("after: %+v", p)
	}
	old := filepath.Join(filepath.Dir(bin), "old.bin")
	if err := os.WriteFile(old, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(old, time.Unix(0, 0), time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := p.Renew(time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Error("a form that nobody needs stays")
	}
}

func TestAnotherTextOfTheSameSizeIsSeen(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(two)); err != nil {
		t.Fatal(err)
	}
	other := []byte(two)
	copy(other[len(`{"version":"1.0.0","generated":"x","entries":[{"id":"`):], "xy")
	if err := os.WriteFile(name, other, 0o666); err != nil {
		t.Fatal(err)
	}
	// Set back, as a copy that keeps times does.
	if err := os.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if p := open(t, name, ""); lastChangeIsKnown && ids(t, p) != "xy " {
		t.Errorf("the old entry answers: %s", ids(t, p))
	}
}

func TestABinaryFormThatIsDamagedIsMadeAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	if err := Write(name, []byte(one)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path(name))
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range [][]byte{nil, data[:len(data)/2], append([]byte("x"), data[1:]...)} {
		if err := os.WriteFile(path(name), bad, 0o666); err != nil {
			t.Fatal(err)
		}
		if p := open(t, name, ""); p.Fast() || !p.Outdated || ids(t, p) != "ci " {
			t.Errorf("%d bytes: %+v", len(bad), p)
		}
	}
	if _, err := OpenReader(name+"x", ""); !os.IsNotExist(err) {
		t.Errorf("no index: %v", err)
	}
}

// An earlier version kept no stems: what it left answers, and is made again.
func TestABinaryFormWithoutStemsIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	json, bin := filepath.Join(dir, "index.json"), filepath.Join(dir, "x.bin")
	if err := os.WriteFile(json, []byte(one), 0o666); err != nil {
		t.Fatal(err)
	}
	data, err := Build([]byte(one))
	if err != nil {
		t.Fatal(err)
	}
	const checksum = 4
	data[len(data)-checksum-1] ^= 1 // the mark that ends the stems
	time.Sleep(20 * time.Millisecond)
	if err := os.WriteFile(bin, data, 0o666); err != nil {
		t.Fatal(err)
	}
	p := open(t, json, bin)
	if !p.Fast() || !p.Outdated || ids(t, p) != "ci " {
		t.Errorf("before: %+v", p)
	}
	if err := p.Renew(0); err != nil {
		t.Fatal(err)
	}
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
		if err := os.WriteFile(name, []byte(one), 0o666); err != nil {
			t.Fatal(err)
		}
		p := open(t, name, filepath.Join(filepath.Dir(name), "none.bin"))
		p.bin = bin
		if c.then != one {
			// The same size, put in place as another file.
			if err := os.WriteFile(name+".new", []byte(c.then), 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(name+".new", name); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Renew(0); err != nil {
			t.Fatal(err)
		}
		want, err := Build([]byte(c.then))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(bin); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the form is of another text, %v", c.rule, err)
		}
	}
}
