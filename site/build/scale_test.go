package build

import (
	"container/heap"
	"math"
	"testing"
)

// costs are what BenchmarkRemote has measured: processor time in seconds, and bytes.
type costs struct {
	start   float64 // of a process, be it an action or the build, whatever the pages
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
	next(c.start)
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
		work: float64(s.packs+1)*c.start + all*(c.compile+c.look+c.take+c.join),
		path: end + all*c.join,
	}
}

// remoteRun is what BenchmarkRemote printed: processor time in seconds, and bytes.
type remoteRun struct {
	packs, pages                 int
	cold, warm, joining, actions float64 // joining is what the build does while others compile, actions what those do
	in, out                      float64 // of a page
}

// processStart is the processor time of a build that no page asks for, in seconds: 50 packs of
// 8 pages took as much more for each than their pages.
const processStart = .14

// lookShare is the part of a warm build that reads pages and describes them.
const lookShare = .1

// costs of a page as a run had them.
func (r remoteRun) costs() costs {
	all := float64(r.packs * r.pages)
	return costs{
		start: processStart, compile: (r.actions - processStart*float64(r.packs)) / all,
		look: lookShare * (r.warm - processStart) / all, take: (1 - lookShare) * (r.warm - processStart) / all, join: max(0, r.joining-r.warm) / all,
		up: r.in, down: r.out,
	}
}

// Runs of BenchmarkRemote on machines of two cores: the first two with much other work, the
// last, of 50,000 pages, with none.
var (
	smallRun = remoteRun{packs: 20, pages: 50, cold: 4.01, warm: 0.99, joining: 1.87, actions: 8.31, in: 6242, out: 16331}
	largeRun = remoteRun{packs: 20, pages: 250, cold: 23.74, warm: 4.21, joining: 7.63, actions: 28.40, in: 6215, out: 16534}
	quietRun = remoteRun{packs: 100, pages: 500, cold: 284.1, warm: 52.9, joining: 88.3, actions: 296.1, in: 6180, out: 16562}
)

func TestTheModelPredictsALargerBuild(t *testing.T) {
	for _, tt := range []struct{ known, asked remoteRun }{{smallRun, largeRun}, {largeRun, quietRun}} {
		run := tt.asked
		got := tt.known.costs().plan(cluster{packs: run.packs, pages: run.pages, workers: 2, cores: 2, rate: math.Inf(1)})
		all := float64(run.packs * run.pages)
		for _, figure := range []struct {
			name              string
			planned, measured float64
		}{
			{"actions", float64(got.actions), float64(run.packs)},
			{"processor time", got.work, run.actions + run.joining},
			{"bytes sent", got.up, run.in * all},
			{"bytes fetched", got.down, run.out * all},
		} {
			t.Logf("%.0f pages, %s: planned %.1f, measured %.1f, %.2f", all, figure.name, figure.planned, figure.measured, figure.planned/figure.measured)
			if math.Abs(figure.planned/figure.measured-1) > .2 {
				t.Errorf("%.0f pages, %s: planned %.1f, measured %.1f", all, figure.name, figure.planned, figure.measured)
			}
		}
	}
}

// No build is shorter than its longest chain, or than its work on all machines, and more
// machines never make it longer.
func TestThePlanKeepsToWhatMachinesCanDo(t *testing.T) {
	c := largeRun.costs()
	before := math.Inf(1)
	for _, workers := range []int{1, 2, 10, 100, 1000} {
		s := cluster{packs: 200, pages: 100, workers: workers, cores: 2, rate: 125e6}
		p := c.plan(s)
		all := float64(s.packs * s.pages)
		chain := 2*c.start + float64(s.pages)*(c.look+c.compile+c.take) + all*c.join
		busy := (p.work - all*c.join) / float64(workers+s.cores)
		if p.path < chain || p.path < busy || p.path < all*c.join+all*(c.look+c.take)/float64(s.cores) || p.path > before {
			t.Errorf("%d machines: %.1f s, after %.1f with fewer; a chain of %.1f, busy %.1f", workers, p.path, before, chain, busy)
		}
		before = p.path
	}
}
