package pack

import (
	"fmt"
	"path"
	"strings"

	"github.com/packgen/packgen/compiler/nearest"
)

// suggest returns a hint that names the nearest of the known words, or the
// other hint when none is near: at most a third of the letters may differ.
func suggest(word string, all []string, otherwise string) string {
	best := nearest.Within(word, all, len(word)/3)
	if best == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// suggestFile returns a hint that names the file of the same layer that a path was most
// likely meant to be, or the other hint when none is like it: the only one of its name, or one
// of a similar path.
func suggestFile(files []File, wrong, otherwise string) string {
	layer, _, _ := strings.Cut(wrong, "/")
	var near, named []string
	for _, f := range files {
		if !strings.HasPrefix(f.Path, layer+"/") {
			continue
		}
		if strings.EqualFold(path.Base(f.Path), path.Base(wrong)) {
			named = append(named, f.Path)
		}
		if len(near) < maxCompared {
			near = append(near, f.Path)
		}
	}
	found := nearest.Name(wrong, near)
	if len(named) == 1 {
		found = named[0]
	}
	if found == "" {
		return otherwise
	}
	return fmt.Sprintf("did you mean %q?", found)
}

// maxCompared is how many paths a wrong one is compared with.
const maxCompared = 64
