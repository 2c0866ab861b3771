package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/packgen/packgen/resolver/loadout/javascript"
)

// maxGlobs is how many globs a section is loaded by.
const maxGlobs = 20

// GlobsIn returns the globs that a section names in code: patterns such as `*.ts`, and
// files and directories that exist reports to be in the repository, those that links lead
// to included. Code blocks are not looked at.
func GlobsIn(content string, exists func(name string) (dir, ok bool)) []string {
	var globs []string
	outline := javascript.NewOutline(content)
	for line := range strings.SplitSeq(content, "\n") {
		if outline.Next(strings.TrimSuffix(line, "\r")) == javascript.Inert {
			continue
		}
		names := linked().FindAllStringSubmatch(line, maxGlobs)
		for i, span := range strings.Split(line, "`") {
			if i%2 == 1 {
				names = append(names, []string{"", strings.TrimSpace(span)})
			}
		}
		for _, m := range names {
			if _, ok := existing(exists, m[1]); m[0] != "" && !ok {
				continue // a link leads to a file, and not to a pattern
			}
			glob, ok := globOf(m[1], exists)
			if ok && !slices.Contains(globs, glob) && len(globs) < maxGlobs {
				globs = append(globs, glob)
			}
		}
	}
	return globs
}

// linked finds where the links of a line lead.
var linked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\]\(<?([^)\s#?>]+)`) })

// existing is exists for a path as a text writes it; nothing exists without it.
func existing(exists func(name string) (dir, ok bool), name string) (dir, ok bool) {
	if exists == nil || path.IsAbs(name) || strings.Contains(name, ":") {
		return false, false
	}
	return exists(path.Clean(name))
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
		return patternOf(name, exists)
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
// no more than stars would load always, and one below a directory that does not exist
// never: that is the name of a branch or of a module.
func patternOf(name string, exists func(name string) (dir, ok bool)) (string, bool) {
	if strings.Trim(name, "*/.") == "" || strings.Count(name, "{") != strings.Count(name, "}") {
		return "", false
	}
	if rest, star := strings.CutPrefix(name, "*"); star && strings.Trim(rest[:1], "*/._-{") != "" {
		return "", false // such as *time.Time or *args
	}
	if !strings.Contains(name, "/") {
		if !strings.Contains(name, ".") {
			return "", false // such as 2*x or **bold**
		}
		return "**/" + name, true
	}
	if before, _, _ := strings.Cut(name, "*"); exists != nil && !strings.Contains(before, "{") {
		if dir := path.Dir(before + "x"); dir != "." {
			if is, ok := exists(dir); !ok || !is {
				return "", false
			}
		}
	}
	return name, true
}
