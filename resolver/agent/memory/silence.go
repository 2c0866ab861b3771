package memory

import (
	"slices"

	"github.com/packgen/packgen/resolver/check"
	"github.com/packgen/packgen/resolver/loadout"
)

// audible leaves out the issues of a store that comments of its MEMORY.md switch off.
func (a *Analysis) audible(list []Issue) []Issue {
	return slices.DeleteFunc(list, func(i Issue) bool { return a.switchesOff(i.Code, i.Line) })
}

// IndexIssues leaves out the issues of the index of the store that comments of its MEMORY.md
// switch off, at the lines of its references or for the whole file.
func (a *Analysis) IndexIssues(list []loadout.Issue) []loadout.Issue {
	listed := a.listed()
	return slices.DeleteFunc(list, func(i loadout.Issue) bool {
		line := 0
		if i.Position >= 0 && i.Position < len(listed) {
			line = a.Refs[listed[i.Position]].Line
		}
		return a.switchesOff(i.Code, line)
	})
}

// switchesOff reports whether a comment of MEMORY.md switches off what is found on a line, 0
// for the file as a whole.
func (a *Analysis) switchesOff(code string, line int) bool {
	if a.joined {
		return false
	}
	d := check.OfIssue(loadout.SeverityWarning, code, "", "")
	d.Path, d.Line = FileName, line
	return a.silence.Covers(&d)
}
