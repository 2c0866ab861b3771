package build

import (
	"container/heap"
)

// costs are what BenchmarkRemote has measured: processor time in seconds, and bytes.
type costs struct {
	start   float64 // of an action, whatever the pack
	compile float64 // of a page in an action
	look    float64 // of a page where the site is joined: read it, sum it up, describe it
	take    float64 // the same: fetch what was made of it, and write it
	join    float64 // the same: index and lists, after all packs are there
	up      float64 // bytes of a page that are sent
	down    float64 // and that come back
}

// cluster is who builds what.
type cluster struct {
	packs, pages int     // pages of a pack
	workers      int     // machines that carry out one action at a time
	cores        int     // of the machine that joins
	rate         float64 // bytes a second to it and from it
}

// plan is what a build would take.
type plan struct {
	actions  int
	up, down float64 // bytes
	work     float64 // seconds of processor time, all machines together
	path     float64 // seconds from the beginning to the end
}

// queue is servers that do one thing after another, in the order of their coming.
type queue []float64 // when each is free

func (q queue) serve(at, takes float64) (done float64) {
	first := 0
	for i := range q {
		if q[i] < q[first] {
			first = i
		}
	}
	q[first] = max(q[first], at) + takes
	return q[first]
}

// event is the end of a stage of a pack.
type event struct {
	at    float64
	stage int
	pack  int
}

type events []event

func (e events) Len() int      { return len(e) }
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e events) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].pack < e[j].pack
}
func (e *events) Push(x any) { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// plan simulates a build whose packs are all compiled elsewhere: each is looked at, sent,
// compiled, fetched and taken, with the limits that [turns] has, and at the end all are
// joined by one processor.
func (c costs) plan(s cluster) plan {
	cores, workers, up, down := make(queue, s.cores), make(queue, s.workers), make(queue, 1), make(queue, 1)
	pages := float64(s.pages)
	t := &turns{most: fetchesAtOnce}
	var soon events
	var made []event // compiled, and waiting for their turn to come
	begun, end := 0, 0.0
	asked := make([]float64, s.packs)
	next := func(at float64) {
		for ; begun < s.packs && t.mayBegin(begun); begun++ {
			heap.Push(&soon, event{cores.serve(at, c.look*pages), 0, begun})
		}
		waiting := made[:0]
		for _, e := range made {
			if t.mayLand(e.pack) {
				heap.Push(&soon, event{down.serve(at, c.down*pages/s.rate), 3, e.pack})
			} else {
				waiting = append(waiting, e)
			}
		}
		made = waiting
	}
	next(0)
	for len(soon) > 0 {
		e := heap.Pop(&soon).(event)
		end = e.at
		switch e.stage {
		case 0: // looked at
			heap.Push(&soon, event{up.serve(e.at, c.up*pages/s.rate), 1, e.pack})
		case 1: // sent
			asked[e.pack] = e.at
			heap.Push(&soon, event{workers.serve(e.at, c.start+c.compile*pages), 2, e.pack})
		case 2: // compiled
			if e.at-asked[e.pack] < promptAction.Seconds() {
				t.most = min(t.most+1, actionsAtOnce)
			}
			made = append(made, e)
		case 3: // fetched
			heap.Push(&soon, event{cores.serve(e.at, c.take*pages), 4, e.pack})
		case 4: // taken
			t.taken++
		}
		next(e.at)
	}
	all := float64(s.packs) * pages
	return plan{
		actions: s.packs, up: c.up * all, down: c.down * all,
		work: float64(s.packs)*c.start + all*(c.compile+c.look+c.take+c.join),
		path: end + all*c.join,
	}
}

// remoteRun is what BenchmarkRemote printed: processor time in seconds, and bytes.
type remoteRun struct {
	packs, pages                 int
	cold, warm, joining, actions float64 // joining is what the build does while others compile, actions what those do
	in, out                      float64 // of a page
}

// processStart is the processor time that a program of ours takes to begin, in seconds.
const processStart = .14

// lookShare is the part of a warm build that reads pages and describes them.
const lookShare = .1

// costs of a page as a run had them.
func (r remoteRun) costs() costs {
	all := float64(r.packs * r.pages)
	return costs{
		start: processStart, compile: (r.actions - processStart*float64(r.packs)) / all,
		look: lookShare * r.warm / all, take: (1 - lookShare) * r.warm / all, join: max(0, r.joining-r.warm) / all,
		up: r.in, down: r.out,
	}
}
