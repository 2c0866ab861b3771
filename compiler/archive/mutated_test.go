package archive_test

import (
	"math/rand/v2"
	"testing"

	"github.com/packgen/packgen/compiler/torturetest"
)

// Whatever a stranger makes of a good archive, outside of its compression and inside: it is
// refused and leaves nothing, or becomes a tree within the limits.
func TestMutatedArchivesStayInside(t *testing.T) {
	t.Parallel()
	chance := rand.New(rand.NewPCG(33, 1))
	count := torturetest.Start(t, "hostile", "archives", 300, 4000)
	pack := ship(t, "tides", map[string]string{"KNOWLEDGE.md": "k", "documents/a.md": "# A\n"})
	plain := tarOf(t, pack.below("tides/")...)
	zipped := zipOf(t, pack.below("tides/")...)
	nested := zipOf(t, item{name: "a", body: "x"}, item{name: "b.tar.gz", body: string(gzipOf(t, plain))})
	for i := range count.Rounds() {
		count.Done(1)
		var data []byte
		switch i % 4 {
		case 0:
			data = gzipOf(t, torturetest.Mutate(chance, plain))
		case 1:
			data = torturetest.Mutate(chance, zipped)
		case 2:
			data = torturetest.Mutate(chance, nested)
		case 3:
			data = torturetest.Mutate(chance, gzipOf(t, plain))
		}
		fuzzExtract(t, data)
	}
}
