package store

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// asUser has what follows in a test done by another user.
func asUser(t *testing.T, name string) {
	before := userKey
	userKey = func() *sealKey { return &sealKey{Digest: Key("of a test", name)} }
	t.Cleanup(func() { userKey = before })
}

// What is kept below a checkout may have come with it: nothing that another user has
// written is believed, in whatever form it is kept.
func TestWhatAnotherUserHasWrittenIsNotBelieved(t *testing.T) {
	dir := t.TempDir()
	tree, key := filepath.Join(dir, "files"), Key("an action")
	for _, tt := range []struct {
		name     string
		keep     func()
		believed func() bool
	}{
		{"a result", func() {
			d := Open(dir)
			d.Group("a").SetAction(key, Result{d.Group("a").SetBlob([]byte("forged"))})
			d.Close()
		}, func() bool {
			d := ReadOnly(dir)
			defer d.Close()
			_, ok := d.Group("a").Action(key)
			return ok
		}},
		{"a tree", func() { _ = WriteTree(tree, NewTree([]File{{Path: "a", Sum: Sum(nil)}})) }, func() bool { return ReadTree(tree) != nil }},
		{"a large tree", func() { _ = WriteTree(tree, NewTree([]File{{Path: "a", Sum: Sum(nil)}})) }, func() bool {
			large := OpenTree(tree)
			return large != nil && large.Close() == nil
		}},
		{"bytes", func() { _ = os.WriteFile(tree, Seal("p", []byte("x")), 0o666) }, func() bool {
			data, _ := os.ReadFile(tree)
			_, ok := Unseal("p", data)
			return ok
		}},
	} {
		asUser(t, "stranger")
		tt.keep()
		if !tt.believed() {
			t.Errorf("%s: who wrote it does not know it", tt.name)
		}
		asUser(t, "ann")
		if tt.believed() {
			t.Errorf("%s of another user is believed", tt.name)
		}
	}
}

func TestASealIsOfUseForOneThing(t *testing.T) {
	if _, ok := Unseal("p", Seal("q", []byte("x"))); ok {
		t.Error("a seal for another purpose is taken")
	}
	if _, ok := unsealAction(Key("a"), sealAction(Key("b"), nil)); ok {
		t.Error("the result of another action is taken")
	}
	if got, ok := Unseal("p", Seal("p", []byte("x"))); !ok || string(got) != "x" {
		t.Errorf("%q comes back", got)
	}
	if _, ok := Unseal("p", []byte("short")); ok {
		t.Error("bytes without a seal are taken")
	}
}

// A blob with a right checksum and other bytes than its name says is not one.
func TestABlobIsWhatItsNameSays(t *testing.T) {
	dir := t.TempDir()
	d := Open(dir)
	g := d.Group("a")
	n := name{blob, Sum([]byte("true"))}
	g.set(n, []byte("forged"))
	d.Close()
	d = ReadOnly(dir)
	defer d.Close()
	if data, ok := d.Group("a").Blob(n.digest); ok {
		t.Errorf("the blob is %q", data)
	}
}

func TestTheKeyIsOfTheUser(t *testing.T) {
	home := t.TempDir()
	dir := func() (string, error) { return home, nil }
	next := func(secret string) Digest {
		k := findKey(secret, dir)
		k.keep()
		return k.Digest
	}
	if findKey("", dir); len(read(t, home)) > 0 {
		t.Error("a key is written before anything is kept")
	}
	key := next("")
	if again := next(""); again != key || !key.Known() {
		t.Error("the next process has another key")
	}
	if secret := next("a secret of a pipeline"); secret == key || secret != findKey("a secret of a pipeline", nil).Digest {
		t.Error("a secret does not take the place of the file")
	}
	if next("short") != key {
		t.Error("a secret that is guessed is used")
	}
	name := filepath.Join(home, keyName)
	if info, err := os.Stat(name); err != nil || runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others can read the key: %v", err)
	}
	for _, damaged := range []string{"", "short", string(make([]byte, 32)), string(make([]byte, 33))} {
		oktest.Check(t, os.WriteFile(name, []byte(damaged), 0o600))
		if fresh := next(""); fresh == key || fresh != next("") {
			t.Errorf("after the file was %q, the key is not a new one that is kept", damaged)
		}
	}
	none := func() (string, error) { return "", errors.New("there is no home") }
	if first := findKey("", none).Digest; first == findKey("", none).Digest {
		t.Error("without a file a key is guessed")
	}
}

// read lists a directory.
func read(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	return oktest.Value(os.ReadDir(dir))(t)
}
