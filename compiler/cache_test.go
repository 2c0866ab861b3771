package compiler

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestResultHoldsNoBodies checks that what stays of a file is small: no string
// of the result keeps the text alive that it was cut from.
func TestResultHoldsNoBodies(t *testing.T) {
	const pages, bodyBytes = 60, 100_000
	files := tree{"KNOWLEDGE.md": entry("wiki-first", ""), "sources/s.md": "x\n"}
	body := strings.Repeat("A line that says nothing of interest.\n", bodyBytes/38)
	for i := range pages {
		files[fmt.Sprintf("wiki/p%d.md", i)] = fmt.Sprintf(
			"# Page %d\n\n%s\n\n- Claim %d. [source: sources/s.md#L1] [gone](gone.md)\n\n## Part %d {#part}\n\n%s\n", i, body, i, i, body)
	}
	dir := packDir(t, files)
	files = nil
	before := liveBytes()
	r := compileDir(t, dir, Options{DryRun: true})
	held := liveBytes() - before
	if len(r.Index.Splits) != 2*pages || len(r.SourceMap.Claims) != pages {
		t.Fatalf("%d splits, %d claims", len(r.Index.Splits), len(r.SourceMap.Claims))
	}
	if held > pages*bodyBytes/10 {
		t.Errorf("the result holds %d bytes of a pack of %d", held, 2*pages*bodyBytes)
	}
	runtime.KeepAlive(r)
}

// liveBytes is what the heap holds after a collection.
func liveBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
