package site

import (
	"encoding/json"
	"iter"

	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/templates"
)

// keptRow is what the history says of a run. A large pack has some hundred thousand routes:
// they are only read where two runs are compared.
type keptRow struct {
	templates.RunRow
	routes iter.Seq[route]
}

// route is what an author declares for a split.
type route struct {
	id, path string
	sum      store.Digest // of what is declared
}

// routesOf yields what a run found declared.
func routesOf(run *schema.Run) iter.Seq[route] {
	return func(yield func(route) bool) {
		for i := range run.Chapters {
			c := &run.Chapters[i]
			if c.Routing == "" {
				continue
			}
			sum := store.ParseDigest(c.Routing)
			if !sum.Known() {
				sum = store.Sum([]byte(c.Routing))
			}
			if !yield(route{c.ID, c.Path, sum}) {
				return
			}
		}
	}
}

// rowText is a run as it is kept: what the history says of it as JSON, and after that its
// routes. It is nil when it cannot be kept.
func rowText(run *schema.Run) []byte {
	text, err := json.Marshal(rowOf(run).RunRow)
	if err != nil {
		return nil
	}
	n := 0
	for range routesOf(run) {
		n++
	}
	w := store.NewWriter(len(text) + 80*n)
	w.Str(string(text))
	w.Uint(n)
	last := ""
	for r := range routesOf(run) {
		shared := 0
		for shared < min(len(last), len(r.id)) && last[shared] == r.id[shared] {
			shared++
		}
		w.Uint(shared)
		w.Str(r.id[shared:])
		usual := r.path == splitPath(r.id)
		if w.Bool(usual); !usual {
			w.Str(r.path)
		}
		w.Digest(r.sum)
		last = r.id
	}
	return w.Bytes()
}

// splitPath is where the split of an id usually is.
func splitPath(id string) string { return pack.SplitsDir + "/" + id + ".md" }

// readRow reads what rowText wrote; false when that is damaged.
func readRow(text []byte) (row keptRow, ok bool) {
	x := store.ReadBytes(text)
	if json.Unmarshal([]byte(x.Str()), &row.RunRow) != nil {
		return row, false
	}
	rest := *x
	row.routes = func(yield func(route) bool) {
		x := rest
		last := ""
		for range x.CountOf(leastRoute) {
			r := route{id: last[:min(x.Uint(), len(last))] + x.Str()}
			if r.path = splitPath(r.id); !x.Bool() {
				r.path = x.Str()
			}
			if r.sum = x.Digest(); !yield(r) {
				return
			}
			last = r.id
		}
	}
	return row, true
}

// leastRoute is the least size of a route in what rowText writes, in bytes.
const leastRoute = 3 + len(store.Digest{})
