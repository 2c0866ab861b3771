package context

import (
	"slices"

	"github.com/packgen/packgen/compiler/diag"
)

// reasonBoot is the reason of a file that the pack's boot.yml adds to every
// answer.
const reasonBoot = "boot"

// always puts the files that go with every answer before what was picked, in
// their order, and drops the picks that are parts of them. Boundaries keep their
// reserved place in the budget.
func (p *picker) always(paths []string) {
	var files []pick
	whole := map[string]bool{}
	for _, name := range paths {
		if whole[name] {
			continue
		}
		u := &unit{kind: wikiPage, path: name, title: stem(name), document: name}
		if p.read(u); u.absent {
			p.warn(diag.Warning, name, "boot.yml says this file, and it cannot be read.")
			continue
		}
		whole[name] = true
		files = append(files, pick{unit: u, reason: reasonBoot})
	}
	p.picks = slices.DeleteFunc(p.picks, func(have pick) bool { return whole[have.path] || whole[have.document] })
	p.picks = append(files, p.picks...)
}
