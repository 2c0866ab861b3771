package adopt

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// Limits of what is written about a folder.
const (
	maxDescription = 900 // bytes
	maxMap         = 60  // entries of the context map
	maxLeft        = 200 // files that the configuration leaves out by name
)

// Guide returns the KNOWLEDGE.md of a pack of the folder.
func (f *Folder) Guide(name string) []byte {
	title := cmp.Or(f.Title, strings.ReplaceAll(name, "-", " "))
	description := f.Description
	if description == "" {
		description = fmt.Sprintf("%s: %d pages of documentation", title, len(f.Pages))
	}
	description = strings.TrimRight(diag.Cut(description, maxDescription), " .…") + ". Use it for questions about " + diag.Cut(title, 100) + "."
	var b strings.Builder
	b.WriteString("---\nname: " + strictyaml.Text(name) + "\ndescription: " + strictyaml.Text(description) + "\ntype: domain-reference\nprofile: document-first\nstatus: ready\ngrounding: none\n")
	if f.Unicode {
		b.WriteString("language: mul # several; the words of all of them are found\n")
	}
	if f.Primary != "" {
		b.WriteString("metadata:\n  primaryDocument: " + strictyaml.Text("documents/"+f.Primary) + "\n")
	}
	b.WriteString("---\n\n# " + escape(diag.Cut(title, 200)) + "\n\nThe documents of this pack are read where they lie; `packgen.yaml` says where.\n\n## Context map\n\n")
	for _, e := range f.contextMap() {
		b.WriteString("- " + escape(diag.Cut(e.label, 160)) + ": `documents/" + e.path + "`\n")
	}
	return []byte(b.String())
}

// contextMap lists the pages in their order; of a folder with many, those at its top
// and the folders.
func (f *Folder) contextMap() []navigated {
	var list []navigated
	usable := func(p string) bool { return !strings.ContainsAny(p, "`\n#") }
	if len(f.Pages) <= maxMap {
		for _, p := range f.Pages {
			if usable(p.Path) {
				list = append(list, navigated{p.Path, cmp.Or(p.label, p.Title)})
			}
		}
		return list
	}
	count := map[string]int{}
	for _, p := range f.Pages {
		for dir := path.Dir(p.Path); dir != "."; dir = path.Dir(dir) {
			count[dir]++
		}
	}
	// The map starts below a folder that holds every page.
	top := "."
	for dir, n := range count {
		if n == len(f.Pages) && len(dir) > len(top) {
			top = dir
		}
	}
	seen := map[string]bool{}
	for _, p := range f.Pages {
		below := p.Path
		if top != "." {
			below = strings.TrimPrefix(p.Path, top+"/")
		}
		first, _, inside := strings.Cut(below, "/")
		entry := navigated{p.Path, cmp.Or(p.label, p.Title)}
		if inside {
			dir := path.Join(top, first)
			if seen[dir] {
				continue
			}
			seen[dir] = true
			entry = navigated{dir + "/", fmt.Sprintf("%s (%s)", cmp.Or(f.labels[dir], first), amount.Counted(count[dir], "page"))}
		}
		if usable(entry.path) && len(list) < maxMap {
			list = append(list, entry)
		}
	}
	return list
}

// Config returns the entry of packgen.yaml that maps the folder into a pack.
func (f *Folder) Config(pack, from string, mdx bool) string {
	var b strings.Builder
	if f.Unicode {
		b.WriteString("# Pages in other scripts are found by their words too.\nloadout:\n  tokenizer: unicode\n")
	}
	b.WriteString("# Folders of documents that stay where they are.\ndocuments:\n  - pack: " + strictyaml.Text(pack) + "\n    from: " + strictyaml.Text(from) + "\n")
	if mdx {
		b.WriteString("    mdx: true\n")
	}
	if left := f.Left; len(left) > 0 {
		b.WriteString("    exclude:\n")
		for _, l := range left[:min(len(left), maxLeft)] {
			b.WriteString("      - " + strictyaml.Text(glob(l.Path)) + " # " + l.Why + "\n")
		}
	}
	return b.String()
}

// glob writes a path as a pattern that means nothing else, but where a secret was cut out
// of it.
func glob(p string) string {
	tail := ""
	if dir, ok := strings.CutSuffix(p, "/**"); ok {
		p, tail = dir, "/**"
	}
	var b strings.Builder
	for _, r := range p {
		switch {
		case r == '…': // in place of a secret
			r = '*'
		case strings.ContainsRune(`*?[]{}\`, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String() + tail
}

// escape writes a text as Markdown that means nothing else.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune("\\`*_[]<>#~|$", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// keptLine says which files are in the archive of the pack and not on its site.
func (f *Folder) keptLine() string {
	const shown = 6
	count, endings := 0, make([]string, 0, len(f.Kept))
	for ext, n := range f.Kept {
		count += n
		endings = append(endings, cmp.Or(ext, "without ending"))
	}
	slices.Sort(endings)
	list := strings.Join(endings[:min(len(endings), shown)], ", ")
	if len(endings) > shown {
		list += ", …"
	}
	return fmt.Sprintf("%s for the archive alone, since a site publishes no such files (%s)", amount.Counted(count, "other file"), list)
}

// Summary says what was found, one per line.
func (f *Folder) Summary() []string {
	lines := []string{fmt.Sprintf("%s, in the order of %s", amount.Counted(len(f.Pages), "Markdown page"), f.Order)}
	endings := make([]string, 0, len(f.Unread))
	for ext := range f.Unread {
		endings = append(endings, ext)
	}
	slices.Sort(endings)
	for _, ext := range endings {
		also := ""
		if ext == ".mdx" {
			also = " (--mdx reads them as Markdown)"
		}
		lines = append(lines, fmt.Sprintf("%d %s files are not read%s", f.Unread[ext], ext, also))
	}
	if f.Other > 0 {
		lines = append(lines, amount.Counted(f.Other, "other file")+", such as pictures, for the site and the archive")
	}
	if len(f.Kept) > 0 {
		lines = append(lines, f.keptLine())
	}
	const shown = 10
	if drafts := f.Drafts; len(drafts) > 0 {
		line := fmt.Sprintf("left out: %s (drafts: true in packgen.yaml takes them): %s", amount.Counted(len(drafts), "draft"), strings.Join(drafts[:min(len(drafts), shown)], ", "))
		if more := len(drafts) - shown; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line)
	}
	for _, l := range f.Left[:min(len(f.Left), shown)] {
		lines = append(lines, "left out: "+l.Path+": "+l.Why)
	}
	if more := len(f.Left) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("left out: %d more; packgen.yaml names them", more))
	}
	return lines
}
