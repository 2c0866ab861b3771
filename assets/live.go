package assets

import (
	"fmt"
	"strings"
	"sync"
)

// live is what Live returns.
type live struct{ script, style []byte }

// bundleLive bundles the script and the stylesheet of a site that is being
// written, once.
var bundleLive = sync.OnceValues(func() (live, error) {
	var l live
	ours := source{name: "packgen", files: embedded}
	for _, entry := range []string{"ts/live.ts", "css/live.css"} {
		files, err := bundle(ours, entry, classic{})
		if err != nil {
			return live{}, fmt.Errorf("bundle %s: %w", entry, err)
		}
		for _, f := range files {
			switch {
			case strings.HasSuffix(f.Path, ".js"):
				l.script = f.Data
			case strings.HasSuffix(f.Path, ".css"):
				l.style = f.Data
			}
		}
	}
	return l, nil
})

// Live returns the script and the stylesheet that a server adds to the pages of a
// site while it is being written. They are not part of any [Bundle], so no
// published site has them.
func Live() (script, style []byte, err error) {
	l, err := bundleLive()
	return l.script, l.style, err
}
