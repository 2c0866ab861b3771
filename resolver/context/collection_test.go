package context

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/packgen/packgen/compiler/oktest"
)

var same = cmp.AllowUnexported(Activated{})

// Whatever was asked of a collection before, with whichever budgets, a query gets
// what it would get alone.
func TestCollectionAnswersAsResolveDoes(t *testing.T) {
	packs := []Pack{{FS: mira(t), Dir: "mira"}, {FS: kettle(t), Dir: "kettle"}, {FS: ferry(t), Dir: "ferry"}, {FS: shore(t), Dir: "shore"}}
	open := oktest.Value(Open(context.Background(), packs))(t)
	budgets := []int{1, 6000, 250, 0, 40, 300}
	queries := []string{"litre of the kettle", "about the ferry: boarding checklist and zebras", "mira", "mussel beds on the shore", "nothing of the kind", "kettle and ferry"}
	var wait sync.WaitGroup
	for _, query := range slices.Concat(queries, queries) {
		wait.Go(func() {
			together, err := open.ResolveAt(context.Background(), Request{Query: query}, budgets)
			if err != nil || len(together) != len(budgets) {
				t.Errorf("%q: %d resolutions, error %v", query, len(together), err)
				return
			}
			for i, budget := range budgets {
				alone, err := Resolve(context.Background(), packs, Request{Query: query, Budget: budget})
				if diff := cmp.Diff(alone, together[i], same); diff != "" || err != nil {
					t.Errorf("%q at %d: error %v (-alone +together):\n%s", query, budget, err, diff)
				}
			}
		})
	}
	wait.Wait()
}

func TestCollectionReadsAPackOnce(t *testing.T) {
	files := &watched{MapFS: kettle(t)}
	open := oktest.Value(Open(context.Background(), []Pack{{FS: files, Dir: "kettle", Activation: Explicit}}))(t)
	for _, query := range []string{"litre", "descale", "litre"} {
		if r, err := open.Resolve(context.Background(), Request{Query: query}); err != nil || !r.OK {
			t.Fatalf("%q: %+v, error %v", query, r, err)
		}
	}
	seen := map[string]int{}
	for _, name := range files.opened {
		if seen[name]++; seen[name] > 1 && name != "KNOWLEDGE.md" {
			t.Errorf("%s was opened %d times", name, seen[name])
		}
	}
	if seen[kettleSplits+"care.md"] == 0 {
		t.Error("the watch does not see what the pack is asked for")
	}
}
