package scratch

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// Bytes are what was added and written, wherever they are by now.
func TestBytesAreReadAsTheyWereWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := &Bytes{most: 2}
	defer b.Close()
	var want []byte
	for len(want) < 5*chunkSize {
		piece := make([]byte, rng.IntN(3*pageSize))
		for i := range piece {
			piece[i] = byte(rng.Uint32())
		}
		if at := b.Append(piece); at != int64(len(want)) {
			t.Fatalf("added at %d, want %d", at, len(want))
		}
		want = append(want, piece...)
		at := rng.IntN(len(want) + 1)
		changed := []byte("changed")[:min(7, len(want)-at)]
		if _, err := b.WriteAt(changed, int64(at)); err != nil {
			t.Fatal(err)
		}
		copy(want[at:], changed)
		at = rng.IntN(len(want) + 1)
		got := make([]byte, min(rng.IntN(2*pageSize), len(want)-at))
		if _, err := b.ReadAt(got, int64(at)); err != nil || !bytes.Equal(got, want[at:at+len(got)]) {
			t.Fatalf("%d bytes at %d are others: %v", len(got), at, err)
		}
	}
	if b.first == 0 {
		t.Error("all is in memory")
	}
	got := make([]byte, len(want))
	if _, err := b.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) || b.Size() != int64(len(want)) {
		t.Error("the whole is another", err)
	}
}

func TestBytesEndWhereTheyEnd(t *testing.T) {
	b := &Bytes{}
	b.Append([]byte("abc"))
	if n, err := b.ReadAt(make([]byte, 4), 0); n != 3 || err == nil {
		t.Error(n, err)
	}
	if n, err := b.WriteAt([]byte("xy"), 2); n != 1 || err == nil {
		t.Error(n, err)
	}
}

// Where there is no temporary file the bytes are held.
func TestBytesStayWhereNoFileCanBeWritten(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	t.Setenv("TMP", t.TempDir()+"/missing")
	b := &Bytes{most: 1}
	piece := bytes.Repeat([]byte("abcd"), chunkSize/4)
	for range 3 {
		b.Append(piece)
	}
	got := make([]byte, 3*chunkSize)
	if _, err := b.ReadAt(got, 0); err != nil || !bytes.Equal(got, bytes.Repeat(piece, 3)) {
		t.Error("the bytes are others", err)
	}
}
