package boot

import "context"

// Always returns what the boot of a role says whatever the task: its result with
// the sections always and, when they are named, the usecases, and the paths
// below the role directory of the items said there, in the order of the boot.
// In simple mode these are the items that boot.yml says. A role without curation
// has no such set: its boot says everything, so the list is empty. Nothing is
// said by a result that is refused.
//
// It is what the context resolver adds to every selection from a pack that
// carries a boot.yml.
func (r *Role) Always(ctx context.Context, usecases []string) (paths []string, res *Result, err error) {
	s := r.session(Options{Usecases: usecases, Uncapped: true})
	s.onlyAlways = usecases == nil
	res, err = s.boot(ctx)
	if err != nil || res.Refused() || res.Mode == ModeNone {
		return nil, res, err
	}
	for _, item := range items(res.Sections) {
		if item.said() {
			paths = append(paths, item.Path)
		}
	}
	return paths, res, nil
}
