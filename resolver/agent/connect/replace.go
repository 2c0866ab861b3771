package connect

import (
	"github.com/packgen/packgen/resolver/agent/hook"
)

// ReplaceHooks says what becomes of the settings of Claude when the hooks of the systems
// that packgen replaces give way to its own. Settings without such a hook stay as they
// are. Nothing is written.
func ReplaceHooks(o Options) ([]*Change, error) {
	p := place{".claude/settings.json", hooks}
	var list []*Change
	dir, name := o.Base.locate(Claude, p.path)
	p.path = o.Base.shown(Claude, p.path)
	c, err := open(&list, dir, name, Claude)
	if err != nil {
		return nil, explain(p, o.Hook, err)
	}
	others, err := hook.Others(c.before)
	if err != nil && !c.absent {
		return nil, explain(p, o.Hook, err)
	}
	if len(others) == 0 {
		return nil, nil
	}
	if err := c.edit(p.kind, &entry{hook: o.Hook, others: true}, false); err != nil {
		return nil, explain(p, o.Hook, err)
	}
	c.settle(false)
	return list, nil
}
