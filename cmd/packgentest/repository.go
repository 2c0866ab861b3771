package packgentest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// Pages are those of a pack in two versions: the second changes, adds, moves and removes what
// the first one has.
var Pages = [2]map[string]string{
	{
		"wiki/index.md": "# Index\n\n- [A](a.md)\n- [B](b.md)\n", "wiki/a.md": "# A\n\n- one [source: sources/s.md#L1]\n",
		"wiki/b.md": "# B\n\nText of b.\n", "wiki/gone.md": "# Gone\n\nText.\n", "documents/d.md": "# D\n\n## One\n\nx\n\n## Two\n\ny\n",
		"sources/s.md": "one\ntwo\n",
	},
	{
		"wiki/index.md": "# Index\n\n- [B](b.md)\n- [A](a.md)\n- [New](new.md)\n", "wiki/a.md": "# A\n\n- one [source: sources/s.md#L2]\n- more\n",
		"wiki/b.md": "# B\n\nOther text of b.\n", "wiki/new.md": "# New\n\nText.\n", "documents/d.md": "# D\n\n## Two\n\ny\n\n## Three\n\nz\n",
		"sources/s.md": "one\nTWO\n", "wiki/open-questions/q.md": "# Why?\n",
	},
}

// Entry is the KNOWLEDGE.md of that pack.
const Entry = `---
name: p
description: A pack for tests. Use it when a rule needs an example.
type: domain-reference
status: ready
profile: hybrid
grounding: required
metadata:
  primaryDocument: documents/d.md
---
# P
`

// Repository writes a repository with the first version of the pack.
func Repository(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	pack := filepath.Join(dir, "packs", "p")
	WriteText(t, filepath.Join(pack, "KNOWLEDGE.md"), Entry)
	for name, text := range Pages[0] {
		WriteText(t, filepath.Join(pack, filepath.FromSlash(name)), text)
	}
	return dir
}

// Instructions is an instruction file of many sections, so that a split takes
// a while.
func Instructions() string {
	var b strings.Builder
	b.WriteString("# Project\n\nBe kind.\n")
	for i := range 24 {
		fmt.Fprintf(&b, "\n## Release part%d\n\n", i)
		for j := range 16 {
			fmt.Fprintf(&b, "- step %d of part %d\n", j, i)
		}
	}
	return b.String()
}
