package store

import (
	"os"
	"path/filepath"
	"testing"
)

func TestACopiedGroupIsKnownToTheOtherStore(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	const n = 50
	d := filled(t, from, n)
	d.Group("b").SetBlob([]byte("of another group"))
	d.Close()
	if got, err := Copy(to, from, "a", "never written"); err != nil || got != 1 {
		t.Fatalf("%d segments are copied: %v", got, err)
	}
	other := Open(to)
	if lost := missing(t, other.Group("a"), n); lost > 0 {
		t.Errorf("%d are not known", lost)
	}
	if other.Group("b").Has(Sum([]byte("of another group"))) {
		t.Error("a group that nobody named is copied")
	}
	other.Close()
	if got, err := Copy(to, from); err != nil || got != 2 {
		t.Errorf("a second copy of all gives %d segments: %v", got, err)
	}
	other = Open(to)
	defer other.Close()
	if !other.Group("b").Has(Sum([]byte("of another group"))) {
		t.Error("a copy of all groups lacks one")
	}
}

func TestADamagedSegmentIsNotCopied(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	filled(t, from, 5).Close()
	list, err := filepath.Glob(filepath.Join(from, "*", "*"+segmentEnding))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	data, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-30] ^= 1 // in the index
	if err := os.WriteFile(list[0], data, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(list[0], filepath.Join(filepath.Dir(list[0]), "link"+segmentEnding)); err != nil {
		t.Fatal(err)
	}
	if got, err := Copy(to, from); err != nil || got != 0 {
		t.Errorf("%d segments are copied: %v", got, err)
	}
}
