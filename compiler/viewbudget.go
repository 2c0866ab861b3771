package compiler

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/token"
)

// candidate is a line that a view has room for, or has not.
type candidate struct {
	text   string // may be known to who writes the view alone
	units  int    // of the text, UTF-16
	folder string // of the file that gives it
	rank   int    // in its folder: the lowest first
}

// lineOf makes a candidate of what a file gives.
func lineOf(text string, f *file, rank int) candidate {
	return candidate{text, token.Units(text), path.Dir(f.path), rank}
}

// A chosen list says which lines of a view fit its budget.
type chosen struct {
	lines []candidate
	kept  []bool
	order []int // of the lines that are kept, as they were taken
}

// choose fills a number of UTF-16 units with lines: one of each folder in turn, the
// most important first, so that no folder crowds out the others. A line that does not
// fit is left out; a shorter one after it may still fit.
func choose(lines []candidate, units int) *chosen {
	c := &chosen{lines: lines, kept: make([]bool, len(lines))}
	var folders []string
	queues := map[string][]int{}
	for i, l := range lines {
		if queues[l.folder] == nil {
			folders = append(folders, l.folder)
		}
		queues[l.folder] = append(queues[l.folder], i)
	}
	for _, queue := range queues {
		slices.SortStableFunc(queue, func(a, b int) int { return cmp.Compare(lines[a].rank, lines[b].rank) })
	}
	for open := len(folders); open > 0; {
		open = 0
		for _, folder := range folders {
			queue := queues[folder]
			if len(queue) == 0 {
				continue
			}
			open++
			queues[folder] = queue[1:]
			if cost := lines[queue[0]].units + len("- \n"); cost <= units {
				units -= cost
				c.kept[queue[0]] = true
				c.order = append(c.order, queue[0])
			}
		}
	}
	return c
}

// allOf is the choice of all lines.
func allOf(lines []candidate) *chosen {
	c := &chosen{lines: lines, kept: make([]bool, len(lines)), order: make([]int, len(lines))}
	for i := range lines {
		c.kept[i], c.order[i] = true, i
	}
	return c
}

// drop leaves out the line that was taken last; false when none is left.
func (c *chosen) drop() bool {
	if len(c.order) == 0 {
		return false
	}
	last := c.order[len(c.order)-1]
	c.order, c.kept[last] = c.order[:len(c.order)-1], false
	return true
}

// maxLeftOut is how many folders are named of which a view leaves something out.
const maxLeftOut = 6

// leftOut says how many lines were left out, by folder: the folders with most first.
func (c *chosen) leftOut(noun string) []string {
	counts := map[string]int{}
	for i, l := range c.lines {
		if !c.kept[i] {
			counts[l.folder]++
		}
	}
	folders := sortedKeys(counts)
	slices.SortStableFunc(folders, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	var list []string
	rest := 0
	for i, folder := range folders {
		if i >= maxLeftOut {
			rest += counts[folder]
			continue
		}
		list = append(list, fmt.Sprintf("%s in `%s/`", amount.Counted(counts[folder], noun), folder))
	}
	if rest > 0 {
		list = append(list, fmt.Sprintf("%s in %s", amount.Counted(rest, noun), amount.Counted(len(folders)-maxLeftOut, "other folder")))
	}
	return list
}

// fit writes a view with the lines that a number of tokens has room for; 0 is room for
// all of them. Write makes it of a choice.
func fit(lines []candidate, tokens int, write func(*chosen) *view) *view {
	if v := whole(lines, tokens, write); v != nil {
		return v
	}
	var v *view
	empty := write(&chosen{lines: lines, kept: make([]bool, len(lines))})
	c := choose(lines, 4*(tokens-empty.tokens()))
	for {
		v = write(c)
		if v.tokens() <= tokens || !c.drop() {
			return v
		}
	}
}

// whole writes a view with all lines; nil when a number of tokens has no room for them. Of a
// large pack they are hundreds of megabytes, which are not written to find that out.
func whole(lines []candidate, tokens int, write func(*chosen) *view) *view {
	units := 0
	for i := range lines {
		if units += lines[i].units; tokens > 0 && token.Of(units) > tokens {
			return nil
		}
	}
	v := write(allOf(lines))
	if tokens > 0 && v.tokens() > tokens {
		return nil
	}
	return v
}

// maxLead is how many characters of the first line of a page the briefing has when it
// cannot hold all pages.
const maxLead = 160

// shortened cuts a text at the last blank that leaves that many characters.
func shortened(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	cut := string(runes[:most])
	if at := strings.LastIndexByte(cut, ' '); at > most/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// ranks orders files by importance, the lowest first: those that wiki/index.md links to,
// in its order, then the page of a folder itself, then those with most citations.
func (j *joined) ranks() map[*file]int {
	files := slices.Clone(j.files)
	class := func(f *file) int {
		switch base := strings.ToLower(path.Base(f.path)); {
		case f.linkedTo: // by the author's own list, in its order
			return 0
		case base == "index.md", base == "readme.md":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(files, func(a, b *file) int {
		if c := cmp.Compare(class(a), class(b)); c != 0 || a.linkedTo {
			return c
		}
		return cmp.Compare(len(b.citations), len(a.citations))
	})
	ranks := make(map[*file]int, len(files))
	for i, f := range files {
		ranks[f] = i
	}
	return ranks
}
