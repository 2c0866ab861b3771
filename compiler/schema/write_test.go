package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// manyClaims is a source map with that many claims.
func manyClaims(n int) SourceMap {
	m := SourceMap{Claims: make([]Claim, n), DocumentSections: []Section{}}
	for i := range m.Claims {
		m.Claims[i] = Claim{
			ClaimID: fmt.Sprintf("clm-%012d", i), Text: "The kettle holds one \"litre\" of water\tand no more.", Status: "confirmed",
			Source:       ClaimSource{Path: "sources/kettle.md", Anchor: "capacity"},
			CompiledInto: []string{"wiki/kettle.md#facts", "compiled/splits/wiki/kettle.md"},
			Document:     "wiki/kettle.md", SectionID: "facts",
		}
	}
	return m
}

// pieces keeps what is written and the length of the longest piece.
type pieces struct {
	bytes.Buffer
	longest int
}

func (p *pieces) Write(data []byte) (int, error) {
	p.longest = max(p.longest, len(data))
	return p.Buffer.Write(data)
}

func TestWriteGivesTheBytesOfEncodeInPieces(t *testing.T) {
	m := manyClaims(2000)
	want := oktest.Value(Encode(m))(t)
	var got pieces
	oktest.Check(t, Write(&got, m))
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("Write and Encode differ")
	}
	if got.longest > 64<<10 {
		t.Errorf("a piece has %d bytes", got.longest)
	}
}

var errFull = errors.New("full")

// full takes no more than some pieces.
type full struct{ left, calls int }

func (f *full) Write(data []byte) (int, error) {
	f.calls++
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(data), nil
}

func TestWriteEndsWithTheSink(t *testing.T) {
	f := &full{left: 2}
	if err := Write(f, manyClaims(2000)); err != errFull {
		t.Errorf("error %v, want that of the sink as it is", err)
	}
	if f.calls != 3 {
		t.Errorf("%d pieces were handed on after an error in the third", f.calls)
	}
}

func BenchmarkWrite(b *testing.B) {
	m := manyClaims(10000)
	text := oktest.Value(Encode(m))(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		oktest.Check(b, Write(io.Discard, m))
	}
}
