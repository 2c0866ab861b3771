package starter

import (
	"fmt"

	"github.com/packgen/packgen/compiler/diag"
)

// Found says what is in the folder that the pack is made of, one per line; nil when it
// is made of none.
func (in *Run) Found() []string {
	if in.Folder == nil {
		return nil
	}
	return in.Folder.Summary()
}

// Next says what to do now, one per line.
func (in *Run) Next() []string {
	switch {
	case in.Flags.DryRun:
		return []string{"", "nothing was written"}
	case len(in.Kept) == len(in.Files):
		return []string{"", "everything already exists"}
	case in.Folder != nil && in.FromOutside():
		return []string{fmt.Sprintf("%s is outside of the repository: make build allows it, and packgen build --allow-root %[1]s", in.from())}
	case in.Folder != nil:
		return nil // the site is built at once
	}
	if in.Unwritten {
		return []string{"", "next:", fmt.Sprintf("  say in the description of packs/%s/KNOWLEDGE.md what the pack holds, when to use it and what it is not for", in.Flags.Name),
			"  rewrite its pages, and set their status and that of the pack to ready", "until then it is a draft, which no task finds"}
	}
	lines := []string{"", "next:"}
	if in.Shown != "." {
		lines = append(lines, "  cd "+diag.ShellWord(in.Shown))
	}
	if in.Packgen {
		lines = append(lines, "  packgen build")
	} else {
		lines = append(lines, "  make build")
	}
	lines = append(lines, "  packgen match \"which bracket names the source of a claim\"", fmt.Sprintf("then rewrite packs/%s, KNOWLEDGE.md first", in.Flags.Name))
	if in.Unlisted {
		lines = append(lines, "add /public/ to .gitignore: the site is built again each time")
	}
	return lines
}
