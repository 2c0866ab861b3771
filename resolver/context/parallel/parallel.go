package parallel

import (
	"runtime"
	"sync"
)

// minChunk is the least number of items worth a goroutine of its own.
const minChunk = 16

// Ranges calls work for slices of 0 to n-1 on as many goroutines as there are
// processors, and returns when all are done. Work must not depend on how the
// range is cut.
func Ranges(n int, work func(from, to int)) {
	workers := min(runtime.GOMAXPROCS(0), n/minChunk)
	if workers < 2 {
		work(0, n)
		return
	}
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() { work(n*w/workers, n*(w+1)/workers) })
	}
	wait.Wait()
}
