package site

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// Texts come back as they were given, from memory as from a file, and as often as wanted.
func TestSpooledTextsComeBack(t *testing.T) {
	for _, texts := range []int{0, 3, 40} {
		s := &spool{}
		defer s.close()
		long := bytes.Repeat([]byte("x"), maxSpool/16)
		for i := range texts {
			oktest.Check(t, s.add(append(long, fmt.Sprint(i)...), i))
		}
		if inFile := s.file != nil; inFile != (texts == 40) {
			t.Errorf("%d texts are in a file: %t", texts, inFile)
		}
		for range 2 {
			n := 0
			err := s.each(func(text []byte, number int) error {
				if want := fmt.Sprint(n); number != n || len(text) != len(long)+len(want) || !bytes.HasSuffix(text, []byte(want)) {
					t.Fatalf("text %d has number %d and %d bytes", n, number, len(text))
				}
				n++
				return nil
			})
			if err != nil || n != texts {
				t.Errorf("%d of %d texts, %v", n, texts, err)
			}
		}
	}
}
