package site

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/context/rank"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/site/search"
	"github.com/packgen/packgen/site/shard"
)

// packLayout is what the match page needs to select from a pack as packgen resolve does.
type packLayout struct {
	*context.Layout
	Totals [rank.Fields]int `json:"totals"` // words of all sections
	// Splits is how many the pack has. Where the search has fewer, some are not on the
	// site, and a selection may be another one.
	Splits int `json:"splits"`
	// Asked names a file with the number of words of the questions of each split.
	Asked string `json:"asked,omitempty"`
	// Marked are the names of files with the texts of splits and views that have markers
	// after stale and disputed claims, by path.
	Marked map[string]string `json:"marked,omitempty"`
}

// askedWords are the numbers of words of the questions of each split, as varints; nil where no
// split has a question.
func askedWords(ps *model.Pack) []byte {
	asked := context.PackQuestions(ps.Pack, ps.Result.SourceMap.Claims)
	var words []byte
	any := false
	for _, n := range ps.Nodes {
		if len(asked) == 0 && n.Facts.Asked == nil {
			words = append(words, make([]byte, len(n.Splits))...)
			continue
		}
		for i, at := range n.Splits {
			s := ps.Split(at)
			questions := model.QuestionsOf(s.Document, s, asked)
			if s.ID != s.Document {
				questions = append(questions, asked[s.ID]...)
			}
			count := model.CountWords(questions)
			if i < len(n.Facts.Asked) {
				count += n.Facts.Asked[i]
			}
			any = any || count > 0
			words = binary.AppendUvarint(words, uint64(count))
		}
	}
	if !any {
		return nil
	}
	return words
}

// putLayout puts the layout of the pack.
func putLayout(w *making) error {
	var limits []string
	for _, n := range w.ps.Nodes {
		limits = append(limits, n.Facts.Boundaries...)
	}
	l := packLayout{Layout: context.LayoutOf(w.ps.Pack, &w.ps.Result.Index, limits), Totals: w.facts.said.Search.Totals, Splits: len(w.ps.Result.Index.Splits), Marked: map[string]string{}}
	put := func(data []byte) (string, error) {
		name := shard.Name([]byte(w.ps.Name), data)
		return name, w.b.putShard(&shard.File{Path: w.ps.Dir + search.Dir + name + ".bin", Data: data}, w.made)
	}
	mark := func(document, path, text string) (err error) {
		if marked := context.Marked(w.ps.Pack, w.ps.Doubts.Claims, document, path, text); marked != text {
			l.Marked[path], err = put([]byte(marked))
		}
		return err
	}
	for _, n := range w.ps.Nodes {
		if !w.ps.Doubts.Claims.Any(n.Path) {
			continue
		}
		if err := model.EachSplit(w.ps, n, func(s model.Split, text []byte) error { return mark(n.Path, s.Path, string(text)) }); err != nil {
			return err
		}
	}
	for _, v := range w.ps.Result.Index.Views {
		if !w.ps.Doubts.Claims.Any("") {
			break
		}
		text, err := model.ViewText(w.ps, v.Path)
		if err != nil {
			return err
		}
		if err := mark("", v.Path, string(text)); err != nil {
			return err
		}
	}
	var err error
	if words := askedWords(w.ps); words != nil {
		if l.Asked, err = put(words); err != nil {
			return err
		}
	}
	data, err := json.Marshal(&l)
	if err != nil {
		return fmt.Errorf("write the layout of %s: %w", w.ps.Name, err)
	}
	w.facts.said.Search.Layout, err = put(data)
	return err
}
