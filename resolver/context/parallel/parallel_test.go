package parallel

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func TestEveryItemIsWorkedOnOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, n := range []int{0, 1, minChunk, 2 * minChunk, 2*minChunk + 1, 100, 1001} {
		times := make([]atomic.Int32, n)
		Ranges(n, func(from, to int) {
			for i := from; i < to; i++ {
				times[i].Add(1)
			}
		})
		for i := range times {
			if got := times[i].Load(); got != 1 {
				t.Errorf("of %d items, number %d is worked on %d times", n, i, got)
			}
		}
	}
}
