package build

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/scratch"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// job is what a service is asked about one pack.
type job struct {
	member *repo.Member
	action *remote.Action // nil when nothing is asked
	sums   map[string]store.Digest
	alone  bool // it depends on nothing apart: a service can carry it out

	done    chan struct{}  // closed when the outputs are there, or will not come
	outputs *outputsReader // nil when there are none
	made    bool           // the pack was compiled here
	shown   bool           // the service has all that the site shows of the pack
	number  int            // in the order of the packs
	turns   *turns
}

func (j *job) drop() {
	if j.outputs != nil {
		j.outputs.close()
		j.outputs = nil
	}
}

// How many packs, after the first that the compile has not taken, have their outputs here,
// or are asked for: those that are compiled elsewhere wait for nothing here, and there may
// be as many as there are machines.
const (
	fetchesAtOnce = 16
	actionsAtOnce = 1000
)

// promptAction is how long an action may take, with its wait for a machine, for one more to
// be begun: the service has machines left.
const promptAction = time.Minute

// turns keeps jobs from being too far ahead of the compile, which takes them in order.
type turns struct {
	mu    sync.Mutex
	moved *sync.Cond
	taken int  // jobs that the compile is done with
	most  int  // how many others may have begun
	ended bool // no more are taken
}

func newTurns(ctx context.Context) *turns {
	t := &turns{most: fetchesAtOnce}
	t.moved = sync.NewCond(&t.mu)
	context.AfterFunc(ctx, func() { t.move(func() { t.ended = true }) })
	return t
}

func (t *turns) move(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
	t.moved.Broadcast()
}

// begin waits until a job may begin, and land until its outputs may come. They report
// whether anybody still wants them.
func (t *turns) begin(number int) bool { return t.wait(number, t.mayBegin) }
func (t *turns) land(number int) bool  { return t.wait(number, t.mayLand) }

func (t *turns) mayBegin(number int) bool { return number < t.taken+t.most }
func (t *turns) mayLand(number int) bool  { return number < t.taken+fetchesAtOnce }

func (t *turns) wait(number int, may func(int) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.ended && !may(number) {
		t.moved.Wait()
	}
	return !t.ended
}

// executed notes how long an action took.
func (t *turns) executed(took time.Duration) {
	if took < promptAction {
		t.move(func() { t.most = min(t.most+1, actionsAtOnce) })
	}
}

// fetchAll begins to ask the service for the outputs of all packs, in their order. The
// compile takes each as it comes to it.
func (b *Run) fetchAll(ctx context.Context, t *tools) {
	s := b.remote
	if !s.well() {
		return
	}
	var list []*job
	order := newTurns(ctx)
	for _, m := range b.Repository.Members {
		if m.Pack == nil || m.Unusable() || b.private(m) {
			if m.Pack != nil && !m.Unusable() {
				s.count(func(r *RemoteReport) { r.Kept++ })
			}
			continue
		}
		j := &job{member: m, done: make(chan struct{}), number: len(list), turns: order}
		list = append(list, j)
		s.jobs[m.Name()] = j
	}
	go func() {
		for _, j := range list {
			if !order.begin(j.number) {
				close(j.done)
				continue
			}
			go func() {
				defer close(j.done)
				b.fetch(ctx, t, j)
			}()
		}
	}()
}

// fetch asks the service for the outputs of a pack.
func (b *Run) fetch(ctx context.Context, t *tools, j *job) {
	s, m := b.remote, j.member
	if ctx.Err() != nil || b.atRest(m) {
		return
	}
	apart, err := t.pages.Apart(m.Pack)
	if err != nil {
		return
	}
	action, sums, err := b.describe(m, apart)
	if err != nil {
		return // the compile says what is wrong with the pack
	}
	j.action, j.sums, j.alone = action, sums, apart == "" && m.Pack.Whole()
	if !s.well() {
		return
	}
	outputs, err := s.find(ctx, action, m.Name(), func() bool { return j.turns.land(j.number) })
	executed := false
	if errors.Is(err, remote.ErrAbsent) && s.upload && s.client.Executes() && j.alone && !holdsSecret(m.Pack) {
		outputs, err = s.execute(ctx, j)
		executed = err == nil
	}
	if err != nil {
		return
	}
	j.outputs, j.shown = outputs, true
	s.count(func(r *RemoteReport) {
		if executed {
			r.Executed++
		} else {
			r.Fetched++
		}
	})
}

// atRest reports whether nobody has touched a pack since this machine compiled it.
func (b *Run) atRest(m *repo.Member) bool {
	files := compiler.FilesAfter(m.State())
	return len(files) == len(m.Pack.Files) && !slices.ContainsFunc(m.Pack.Files, func(f pack.File) bool {
		i, ok := slices.BinarySearchFunc(files, f.Path, func(f store.File, name string) int { return strings.Compare(f.Path, name) })
		return !ok || !files[i].AtRest(f.Stat)
	})
}

// find returns the outputs of an action that the service has, when land says that they may
// come.
func (s *service) find(ctx context.Context, a *remote.Action, name string, land func() bool) (*outputsReader, error) {
	r, err := s.client.Result(ctx, a.Key)
	if err == nil && !land() {
		return nil, context.Canceled
	}
	if err == nil {
		var o *outputsReader
		if o, err = s.open(ctx, a, name, r); err == nil {
			return o, nil
		}
	}
	return nil, s.lost(err)
}

// lost gives the service up for an error that says more than that it has nothing.
func (s *service) lost(err error) error {
	switch {
	case errors.Is(err, errOutputs):
		s.misfit()
	case !errors.Is(err, remote.ErrAbsent):
		s.leave(err)
	}
	return err
}

// open fetches the outputs that a result names.
func (s *service) open(ctx context.Context, a *remote.Action, name string, r *remote.Result) (*outputsReader, error) {
	d, ok := r.Files[outputsFile]
	if r.Exit != 0 || !ok {
		return nil, remote.ErrAbsent
	}
	f, err := scratch.NewFile("", "outputs")
	if err != nil {
		return nil, err
	}
	var o *outputsReader
	if err = s.client.Fetch(ctx, d, f, true); err == nil {
		o, err = verified(f, name, d.Size)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	o.gone = func() { _ = f.Close() }
	s.count(func(r *RemoteReport) { r.Received += d.Size })
	return o, nil
}

// verified begins to read the outputs of a pack in a file, once all of them were looked at:
// nothing of an archive that is not whole is kept.
func verified(f io.ReadSeeker, name string, size int64) (*outputsReader, error) {
	for pass := 1; ; pass++ {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		o, err := readOutputs(f, size)
		if err != nil || pass == 2 {
			return o, err
		}
		err = o.verify()
		o.close()
		if err != nil {
			return nil, err
		}
		if o.name != name {
			return nil, errOutputs
		}
	}
}

// execute has the service compile a pack.
func (s *service) execute(ctx context.Context, j *job) (*outputsReader, error) {
	begun := time.Now()
	r, err := s.client.Execute(ctx, j.action)
	if err != nil {
		return nil, s.lost(err)
	}
	if r.Exit != 0 {
		return nil, remote.ErrAbsent // the compile here says why
	}
	j.turns.executed(time.Since(begun))
	if !j.turns.land(j.number) {
		return nil, context.Canceled
	}
	o, err := s.open(ctx, j.action, j.member.Name(), r)
	if err != nil {
		return nil, s.lost(err)
	}
	return o, nil
}

// restore gives a pack the outputs that the service has of it. It is for
// repo.CompileOptions.Restore.
func (b *Run) restore(ctx context.Context, t *tools, m *repo.Member) (opened func(*pack.Pack)) {
	j := b.remote.job(m)
	if j == nil {
		return nil
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		return nil
	}
	defer j.turns.move(func() { j.turns.taken++ })
	o := j.outputs
	if o == nil {
		return nil
	}
	compiled := compiler.Restoration{StateDir: m.State(), Wait: repo.LockWait, Before: j.sums, After: o.after, Next: o.packFile}
	err := compiled.Check()
	if err == nil {
		err = o.keep(t.disk)
	}
	if err == nil {
		opened, err = compiler.Restore(ctx, m.Pack, compiled)
	}
	if err != nil {
		if ctx.Err() == nil {
			b.remote.misfit()
		}
		j.drop() // it is compiled here
		return nil
	}
	return opened
}

// job returns what the service was asked about a pack; nil for nothing.
func (s *service) job(m *repo.Member) *job {
	if s == nil {
		return nil
	}
	return s.jobs[m.Name()]
}

// fetched is a target that has the pages of a pack from a service.
type fetched struct {
	publish.Target
	job *job
	err error
}

// Keep puts the files that were fetched, when these are the ones that are wanted.
func (f *fetched) Keep(files ...publish.Kept) bool {
	if !slices.Equal(files, f.job.outputs.site) {
		return f.Target.Keep(files...)
	}
	f.err = f.job.outputs.putSite(f)
	return f.err == nil
}

// fetchedPages is the target of a pack whose pages come from the service; nil for any other.
func (b *Run) fetchedPages(p *pack.Pack, state store.Digest, tx publish.Target) *fetched {
	if b.remote == nil || b.out.refused[p.Meta.Name] {
		return nil
	}
	j := b.remote.jobs[p.Meta.Name]
	if j == nil || j.outputs == nil || j.outputs.state != state {
		return nil
	}
	return &fetched{Target: tx, job: j}
}

// takePages puts the pages of a pack from the service into the site.
func (b *Run) takePages(p *pack.Pack, state store.Digest, t *tools, f *fetched) bool {
	ok := t.builder.Knows(p, state) && t.pages.Knows(p, state, f)
	f.job.drop()
	if f.err != nil {
		b.remote.spoil(f.err)
	}
	return ok
}

// spoil notes that the site has some of what cannot be used: the build begins again without
// the service.
func (s *service) spoil(err error) {
	s.leave(fmt.Errorf("what it sent cannot be used: %w", err))
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoilt = true
}

func (s *service) isSpoilt() bool {
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spoilt
}

// wasSpoilt is isSpoilt, and makes the service ready for a build without it.
func (s *service) wasSpoilt() bool {
	if !s.isSpoilt() {
		return false
	}
	s.forget()
	s.spoilt = false
	return true
}
