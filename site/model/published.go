package model

import (
	"errors"
	"fmt"
	"strings"

	"github.com/packgen/packgen/compiler/markdown"
	"github.com/packgen/packgen/compiler/pack"
)

// Guide is the Markdown body of KNOWLEDGE.md.
func Guide(ps *Pack) []byte {
	return markdown.Visible(pack.EntryName, ps.Pack.EntryText[min(max(ps.Pack.Guide, 0), len(ps.Pack.EntryText)):])
}

// Visible is a file as a site publishes it: Markdown without what it hides from readers.
func Visible(name string, data []byte) []byte {
	if !strings.HasSuffix(name, ".md") {
		return data
	}
	return markdown.Visible(name, data)
}

// EachSplit yields the splits of a page that are in the index of the pack, with
// their texts as they are used at run time: one that was edited is as
// edited (agent-knowledge section 6.8).
func EachSplit(ps *Pack, n *Node, yield func(s Split, text []byte) error) error {
	if len(n.Facts.Splits) == 0 {
		return nil
	}
	texts, err := SplitTexts(ps, n)
	if err != nil {
		return err
	}
	for _, s := range n.Facts.Splits {
		if !IsIndexed(ps, n, s.Path) {
			continue // a path-collision: compile wrote another in its place
		}
		text := texts[s.From:s.To]
		if ps.Outputs.Edited[s.Path] {
			if text, err = ps.Settings.Read(ps.Pack, s.Path); err != nil {
				return fmt.Errorf("publish %s of %s: %w", s.Path, ps.Name, err)
			}
		}
		if err := yield(s, text); err != nil {
			return err
		}
	}
	return nil
}

// SplitTexts returns the texts of the splits of a page, one after another.
func SplitTexts(ps *Pack, n *Node) ([]byte, error) {
	texts, err := ps.Result.Blob(n.Facts.texts)
	if err == nil && len(texts) < n.Facts.Splits[len(n.Facts.Splits)-1].To {
		err = errors.New("the splits are damaged: build again")
	}
	if err != nil {
		return nil, fmt.Errorf("publish %s of %s: %w", n.Path, ps.Name, err)
	}
	return texts, nil
}

// IsIndexed reports whether a split of a page is in the pack's index.
func IsIndexed(ps *Pack, n *Node, name string) bool {
	i, ok := ps.Outputs.Splits[name]
	return ok && ps.Split(i).Document == n.Path
}

// ViewText returns the bytes of a view: as compile made it, or as its owner
// keeps it.
func ViewText(ps *Pack, name string) ([]byte, error) {
	if text, ok := ps.Result.Views[name]; ok && !ps.Outputs.Edited[name] {
		return []byte(text), nil
	}
	data, err := ps.Settings.Read(ps.Pack, name)
	if err != nil {
		return nil, fmt.Errorf("publish %s of %s: %w", name, ps.Name, err)
	}
	return data, nil
}
