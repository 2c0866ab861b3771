package rules

import (
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// maxGlobs is how many globs a section is loaded by.
const maxGlobs = 20

// GlobsIn returns the globs that a section names in code: patterns such as `*.ts`, and
// files and directories that exist reports to be in the repository. Code blocks are
// not looked at.
func GlobsIn(content string, exists func(name string) (dir, ok bool)) []string {
	var globs []string
	outline := javascript.NewOutline(content)
	for line := range strings.SplitSeq(content, "\n") {
		if outline.Next(strings.TrimSuffix(line, "\r")) == javascript.Inert {
			continue
		}
		for i, span := range strings.Split(line, "`") {
			if i%2 == 0 {
				continue
			}
			glob, ok := globOf(strings.TrimSpace(span), exists)
			if ok && !slices.Contains(globs, glob) && len(globs) < maxGlobs {
				globs = append(globs, glob)
			}
		}
	}
	return globs
}

// globOf is the glob that a word names.
func globOf(word string, exists func(name string) (dir, ok bool)) (string, bool) {
	name := strings.TrimPrefix(word, "./")
	if name == "" || len(name) > 200 || strings.ContainsAny(name, " \t\"'$<>|;&=()\\,:@~#!?") || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "/") {
		return "", false
	}
	clean := path.Clean(name)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", false
	}
	if strings.ContainsAny(name, "*{") {
		return patternOf(name)
	}
	if exists == nil {
		return "", false
	}
	dir, ok := exists(clean)
	if !ok {
		return "", false
	}
	if dir {
		return clean + "/**", true
	}
	return clean, true
}

// patternOf reads a pattern: one without a directory counts at any depth. One that is
// no more than stars would load always.
func patternOf(name string) (string, bool) {
	if strings.Trim(name, "*/.") == "" || strings.Count(name, "{") != strings.Count(name, "}") {
		return "", false
	}
	if !strings.Contains(name, "/") {
		if !strings.Contains(name, ".") {
			return "", false // such as 2*x or **bold**
		}
		return "**/" + name, true
	}
	return name, true
}
