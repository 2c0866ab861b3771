package build

import (
	"context"
	"io"
	"slices"

	"github.com/packgen/packgen/compiler/publish"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/resolver/repo"
)

// What the site has beside the packs is an action too, whose one input is the key of all
// that it depends on: a service keeps its outputs, and cannot carry it out.

// action describes it.
func (w *overall) action(s *service) (*remote.Action, error) {
	return s.speaks.NewAction(remote.Command{
		Arguments: []string{"packgen", "build"}, Environment: map[string]string{"PACKGEN_STATE": w.key.String()}, Outputs: []string{outputsFile},
	}, nil)
}

// fetch gives the build the result of the action from the service.
func (w *overall) fetch(ctx context.Context, b *Run, t *tools, tx publish.Target) bool {
	if !w.key.Known() || w.pages || !b.remote.well() {
		return false
	}
	a, err := w.action(b.remote)
	if err != nil {
		return false
	}
	o, err := b.remote.find(ctx, a, "", func() bool { return true })
	if err != nil {
		return false
	}
	defer o.close()
	for _, h := range o.held {
		if h.key != w.key {
			return false // it is the result of something else
		}
	}
	if o.keep(t.disk) != nil {
		return false
	}
	ok := w.take(b, func(files []publish.Kept) bool {
		if !slices.Equal(files, o.site) {
			return false
		}
		if err := o.putSite(tx); err != nil {
			b.remote.spoil(err)
			return false
		}
		return true
	})
	if ok {
		b.remote.count(func(r *RemoteReport) { r.Fetched++ })
	}
	return ok
}

// send gives the service the result of the action.
func (w *overall) send(ctx context.Context, b *Run, t *tools) {
	s := b.remote
	if !s.well() || !s.upload || !w.key.Known() || s.stats.Kept > 0 || !w.made {
		return
	}
	r, ok := w.store.Action(w.key)
	if !ok || len(r) != 1 {
		return
	}
	data, ok := w.store.Blob(r[0])
	if !ok {
		return
	}
	x := store.ReadBytes(data)
	_, _ = x.Str(), x.Findings()
	o := &outputs{site: publish.UnpackKept(x), held: []held{{group: repo.SiteGroup, key: w.key, result: r}}}
	a, err := w.action(s)
	if err != nil || !x.Done() {
		return
	}
	var clean leaving
	for _, m := range b.out.shown {
		if j := s.job(m); j == nil || !j.shown {
			clean = leaving{} // else it says nothing that the service has not
		}
	}
	if err := s.send(ctx, a, func(to io.Writer) error {
		archive, err := b.beginOutputs(to, t, o, clean)
		if err != nil {
			return err
		}
		return archive.end(o, b.readPage)
	}); err != nil {
		s.leave(err)
	}
}
