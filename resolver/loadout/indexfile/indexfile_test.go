package indexfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/loadout"
)

const (
	one = `{"version":"1.0.0","generated":"x","entries":[{"id":"ci","path":"ci.md","keywords":["runner"],"patterns":[],"priority":"domain","summary":"S","triggers":{},"tokens_est":1,"lines":1,"odd":7}],"budget":null,"more":true}`
	two = `{"version":"1.0.0","generated":"x","entries":[{"id":"cd","path":"cd.md","keywords":["runner"],"patterns":[],"priority":"domain","summary":"S","triggers":{},"tokens_est":1,"lines":1}]}`
)

func first(t *testing.T, name string) (id string, fast bool) {
	t.Helper()
	ix, fast, err := Open(name)
	oktest.Check(t, err)
	results, err := ix.Match("the runner", loadout.MatchOptions{Dialect: loadout.Recall})
	if err != nil || len(results) != 1 {
		t.Fatalf("%d results, %v", len(results), err)
	}
	return string(results[0].Entry.JSON()), fast
}

func TestTheBinaryAnswersAsTheJSONDoes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	oktest.Check(t, Write(name, []byte(one)))
	fastEntry, fast := first(t, name)
	if !fast {
		t.Error("index.bin was not used")
	}
	oktest.Check(t, os.Remove(path(name)))
	slowEntry, fast := first(t, name)
	if fast {
		t.Error("there is no index.bin to use")
	}
	if fastEntry != slowEntry {
		t.Errorf("%s\n%s", fastEntry, slowEntry)
	}
}

func TestABinaryOfAnotherIndexIsNotUsed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	oktest.Check(t, Write(name, []byte(one)))
	oktest.Check(t, os.WriteFile(name, []byte(two), 0o666))
	entry, fast := first(t, name)
	if fast || loadout.Value(entry).Get("id") != `"cd"` {
		t.Errorf("fast %t, %s", fast, entry)
	}
}

func TestADamagedBinaryIsNotUsed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "index.json")
	oktest.Check(t, Write(name, []byte(one)))
	data, err := os.ReadFile(path(name))
	oktest.Check(t, err)
	for _, cut := range [][]byte{nil, data[:len(data)/2], append([]byte("x"), data[1:]...)} {
		oktest.Check(t, os.WriteFile(path(name), cut, 0o666))
		if _, fast := first(t, name); fast {
			t.Errorf("%d bytes of index.bin were used", len(cut))
		}
	}
}
