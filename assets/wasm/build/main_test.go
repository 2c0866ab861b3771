package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

const root = "../../.."

func committed(t *testing.T) (*Note, []byte) {
	t.Helper()
	note := oktest.Value(readNote(root))(t)
	packed := oktest.Value(os.ReadFile(filepath.Join(root, packedPath)))(t)
	return note, packed
}

func TestCommittedMatcherIsMadeFromTheseSources(t *testing.T) {
	if err := checkSources(root); err != nil {
		t.Error(err)
	}
}

func TestCommittedMatcherFitsItsNote(t *testing.T) {
	note, packed := committed(t)
	if got := sum(packed); got != note.Packed {
		t.Errorf("packed: %+v, the note says %+v", got, note.Packed)
	}
	module := oktest.Value(unpack(packed))(t)
	if got := sum(module); got != note.Wasm {
		t.Errorf("module: %+v, the note says %+v", got, note.Wasm)
	}
}

func TestSizeOfTheCommittedMatcher(t *testing.T) {
	if _, packed := committed(t); len(packed) > maxPacked {
		t.Errorf("%d bytes, the most is %d", len(packed), maxPacked)
	}
}

func TestRebuildGivesTheSameBytes(t *testing.T) {
	note, packed := committed(t)
	if testing.Short() {
		t.Skip("SKIPPED: the rebuild of the matcher is not checked in -short")
	}
	version := oktest.Value(toolchain(root))(t)
	if version != note.Go {
		t.Skipf("SKIPPED: this toolchain is %s, the matcher was built with %s", version, note.Go)
	}
	_, rebuilt, err := build(root)
	oktest.Check(t, err)
	if !bytes.Equal(rebuilt, packed) {
		t.Errorf("the rebuilt matcher differs (%d bytes, committed %d)", len(rebuilt), len(packed))
	}
}

func TestSourceHashSeesEveryFile(t *testing.T) {
	files, hash, err := hashSources(root)
	oktest.Check(t, err)
	note, _ := committed(t)
	if len(files) != len(note.Files) || hash == "" {
		t.Errorf("%d files, the note names %d", len(files), len(note.Files))
	}
	for _, want := range []string{"assets/wasm/main.go", "resolver/loadout/match.go", "compiler/token/token.go"} {
		found := false
		for _, name := range files {
			found = found || name == want
		}
		if !found {
			t.Errorf("%s is not among the sources", want)
		}
	}
}

// unpack reverses pack.
func unpack(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
