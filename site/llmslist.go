package site

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/token"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
)

// How many lines of packs or splits a list has before it is cut into parts, and how many
// each part has: about 5,000 tokens of packs, and 18,000 of splits. A model reads a list
// whole before it opens one file of it.
const (
	packsInList  = 100
	splitsInList = 400
)

// addLLMs plans llms.txt, a map of the packs, with parts where they are many, and
// llms-full.txt (agent-knowledge section 20). What a pack holds is listed in a file of
// its own: one list of all would be too long to help.
func (b *build) addLLMs() {
	b.add(func() error { return b.put("llms.txt", b.llms()) })
	if len(b.packs) > packsInList {
		for i, packs := range slices.Collect(slices.Chunk(b.packs, packsInList)) {
			b.add(func() error { return b.put(llmsPart(i), b.llmsOf(i, packs)) })
		}
	}
	if b.sink.Wants(llmsFullName) {
		b.addLarge(func() error {
			_, err := b.putFrom(llmsFullName, b.llmsFull)
			return err
		})
	}
}

// llmsPart is the name of a part of a list, from 0.
func llmsPart(i int) string { return fmt.Sprintf("llms-%d.txt", i+1) }

// llms is the list for navigation: the packs, each with its own list. Its links are
// absolute when the address of the site is known.
func (b *build) llms() []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# %s\n\n> %s\n\n", diag.OneLine(b.opts.Title, 200), b.tagline())
	w.WriteString("This file is for navigation: open the list of the pack that a task needs. llms-full.txt holds every guide and split for a single prompt.\n\n")
	base := b.opts.BaseURL
	fmt.Fprintf(&w, "## Full context\n\n- [llms-full.txt](%sllms-full.txt): every guide and split, fenced as data\n", base)
	if !b.in.Index.LeftOut {
		fmt.Fprintf(&w, "- [index.json](%sindex.json): the loadout index a matcher reads\n", base)
	}
	if len(b.packs) > 0 {
		fmt.Fprintf(&w, "- [catalog.json](%scatalog.json): what each pack is\n\n## Packs\n\n", base)
	}
	if len(b.packs) > packsInList {
		b.llmsParts(&w)
	} else {
		b.llmsPacks(&w, b.packs)
	}
	b.llmsRoles(&w)
	fmt.Fprintf(&w, "\n## Schemas\n\n- [compile run](%sschemas/compile-run.json): record of a compile\n- [source map](%[1]sschemas/source-map.json): claims and their sources\n", base)
	return w.Bytes()
}

// llmsPacks lists packs, a line each.
func (b *build) llmsPacks(w *bytes.Buffer, packs []*packFacts) {
	for _, ps := range packs {
		fmt.Fprintf(w, "- [%s](%sllms.txt): %s, %s%s; %s\n", linkText(ps.name), b.opts.BaseURL+article.EscapePath(ps.dir), cmp.Or(ps.pack.Meta.Status, "no status"),
			amount.Counted(ps.said.Card.Tokens, "token"), lastCompile(ps.said.Status, ps.pack.Meta.Status)+ps.keptNote(), diag.OneLine(ps.pack.Meta.Description, 300))
	}
}

// namesOfParts is how many bytes of names of packs llms.txt holds about the parts of its list.
const namesOfParts = 16 << 10

// llmsParts lists the parts of the list of packs, each with as many names as there is
// room for: a name is most of what tells a model where to look.
func (b *build) llmsParts(w *bytes.Buffer) {
	parts := (len(b.packs) + packsInList - 1) / packsInList
	i := 0
	for packs := range slices.Chunk(b.packs, packsInList) {
		names := make([]string, len(packs))
		for k, ps := range packs {
			names[k] = linkText(ps.name)
		}
		text := fmt.Sprintf("%s to %s", names[0], names[len(names)-1])
		fmt.Fprintf(w, "- [%s](%s%s): %s: %s\n", text, b.opts.BaseURL, llmsPart(i), amount.Counted(len(packs), "pack"), someOf(names, namesOfParts/parts))
		i++
	}
}

// someOf joins names with commas, up to a number of bytes and at least one.
func someOf(names []string, room int) string {
	size := 0
	for i, name := range names {
		if size += len(name) + 2; i > 0 && size > room {
			return strings.Join(names[:i], ", ") + " …"
		}
	}
	return strings.Join(names, ", ")
}

// llmsOf is a part of the list of packs.
func (b *build) llmsOf(i int, packs []*packFacts) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# %s: packs %d to %d\n\n> A part of the list in [llms.txt](%sllms.txt).\n\n", diag.OneLine(b.opts.Title, 200), i*packsInList+1, i*packsInList+len(packs), b.opts.BaseURL)
	b.llmsPacks(&w, packs)
	return w.Bytes()
}

// addLLMs plans the list of a pack, with parts where its splits are many.
func addLLMs(w *making) {
	splits, base := listedSplits(w.ps), ""
	if w.b.opts.BaseURL != "" {
		base = w.b.opts.BaseURL + article.EscapePath(w.ps.Dir)
	}
	w.b.add(func() error { return w.put(w.ps.Dir+"llms.txt", packList(w.ps, base, splits)) })
	if len(splits) > splitsInList {
		for i, part := range slices.Collect(slices.Chunk(splits, splitsInList)) {
			w.b.add(func() error { return w.put(w.ps.Dir+llmsPart(i), packListPart(w.ps, base, i, part)) })
		}
	}
}

// listedSplits are the splits that the site shows, as places in the index.
func listedSplits(ps *model.Pack) []int32 {
	splits := make([]int32, 0, len(ps.Result.Index.Splits))
	for i := range ps.Result.Index.Splits {
		if ps.IsSplit(ps.Result.Index.Splits[i].Path) {
			splits = append(splits, int32(i))
		}
	}
	return splits
}

// packList lists guide, views and splits of a pack with what each costs. Its links start with
// base, which is "" where the address of the site is not known: then they are beside the file.
func packList(ps *model.Pack, base string, splits []int32) []byte {
	var w bytes.Buffer
	status := ps.Pack.Meta.Status
	fmt.Fprintf(&w, "# %s\n\n> %s\n\n", diag.OneLine(ps.Name, 200), llmsLine(ps.Pack.Meta.Description))
	fmt.Fprintf(&w, "- [Guide](%sKNOWLEDGE.md): %s, %s\n", base, cmp.Or(status, "no status"), amount.Counted(token.Estimate(model.Guide(ps)), "token")+lastCompile(ps.Result.Run.Status, status))
	for _, v := range ps.Result.Index.Views {
		if ps.HasView(v.Path) {
			fmt.Fprintf(&w, "- [%s](%s): view, %s%s\n", linkText(v.Kind), base+article.EscapePath(v.Path), amount.Counted(v.TokenEstimate, "token"), doubted(ps, v.Path))
		}
	}
	if len(splits) <= splitsInList {
		listSplits(&w, ps, base, splits)
		return w.Bytes()
	}
	i := 0
	for part := range slices.Chunk(splits, splitsInList) {
		tokens := 0
		for _, at := range part {
			tokens += ps.Split(at).TokenEstimate
		}
		fmt.Fprintf(&w, "- [%s](%s%s): %s, %s\n", linkText(reachOf(ps, part)), base, llmsPart(i), amount.Counted(len(part), "split"), amount.Counted(tokens, "token"))
		i++
	}
	return w.Bytes()
}

// listSplits lists splits, a line each.
func listSplits(w *bytes.Buffer, ps *model.Pack, base string, splits []int32) {
	for _, at := range splits {
		s := ps.Split(at)
		fmt.Fprintf(w, "- [%s](%s): %s%s\n", linkText(s.Title), base+article.EscapePath(s.Path), amount.Counted(s.TokenEstimate, "token"), doubted(ps, s.Path))
	}
}

// packListPart is a part of the list of splits.
func packListPart(ps *model.Pack, base string, i int, splits []int32) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "# %s: splits %d to %d\n\n> A part of the list in [llms.txt](%sllms.txt): %s.\n\n", diag.OneLine(ps.Name, 200), i*splitsInList+1, i*splitsInList+len(splits), base, diag.OneLine(reachOf(ps, splits), 300))
	listSplits(&w, ps, base, splits)
	return w.Bytes()
}

// reachOf says from where to where some splits are: folders of their pages, otherwise the
// first and the last title.
func reachOf(ps *model.Pack, splits []int32) string {
	first, last := &ps.Result.Index.Splits[splits[0]], &ps.Result.Index.Splits[splits[len(splits)-1]]
	from, to := path.Dir(first.Document), path.Dir(last.Document)
	if from == to {
		return fmt.Sprintf("%s: %s to %s", from, diag.OneLine(first.Title, 60), diag.OneLine(last.Title, 60))
	}
	return from + " to " + to
}
