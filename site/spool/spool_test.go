package spool

import (
	"fmt"
	"io"
	"os"
	"sync"
	"testing"
)

func TestPiecesComeBackWhole(t *testing.T) {
	dir := t.TempDir()
	s, err := New(dir)
	if err != nil {
		t.Fatal(err)
	}
	spans := make([]Span, 100)
	var wait sync.WaitGroup
	for i := range spans {
		wait.Go(func() {
			var err error
			if spans[i], err = s.Put(fmt.Appendf(nil, "%0*d", i, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	var buf []byte
	for i, at := range spans {
		want := fmt.Sprintf("%0*d", i, i)
		if buf, err = s.Get(at, buf); err != nil || string(buf) != want {
			t.Errorf("piece %d is %q, %v", i, buf, err)
		}
		if read, err := io.ReadAll(s.Open(at)); err != nil || string(read) != want {
			t.Errorf("piece %d reads as %q, %v", i, read, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	var none *Spool
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}
