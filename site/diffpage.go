package site

import (
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/templates"
)

const (
	maxDiffRows  = 500 // entries and tasks of a list that are named
	maxDiffMoves = 20  // changes of each kind that are named of a task
	maxDiffText  = 600 // characters of a task, of keywords, or of what is different
)

// WriteDiff writes how routing changed between two builds, which are called by their
// names, as a page that stands alone.
func WriteDiff(w io.Writer, d *eval.Diff, names [2]string, dialect loadout.Dialect, title, language string) error {
	f, err := frameAlone("Routing", title, language)
	if err != nil {
		return err
	}
	v := templates.Diff{
		Frame: f, Before: diag.OneLine(names[0], maxDiffText), After: diag.OneLine(names[1], maxDiffText), Dialect: dialect.String(),
		Came: len(d.Gained), Went: len(d.Lost), Altered: len(d.Changed),
		Tokens: d.Tokens[1], TokensMore: amount.Signed(d.Tokens[1] - d.Tokens[0]), Asked: d.Asked, Moved: len(d.Tasks),
		MoreTasks: beyond(d.Tasks), MoreChanged: beyond(d.Changed), MoreGained: beyond(d.Gained), MoreLost: beyond(d.Lost),
	}
	for i := range d.Tasks[:len(d.Tasks)-v.MoreTasks] {
		v.Tasks = append(v.Tasks, diffTask(&d.Tasks[i]))
	}
	for i := range d.Changed[:len(d.Changed)-v.MoreChanged] {
		c := &d.Changed[i]
		v.Changed = append(v.Changed, templates.DiffEntry{ID: c.After.ID, Text: diag.OneLine(c.Line(), maxDiffText)})
	}
	v.Gained, v.Lost = diffEntries(d.Gained[:len(d.Gained)-v.MoreGained]), diffEntries(d.Lost[:len(d.Lost)-v.MoreLost])
	return templates.Render(w, v)
}

// beyond counts what a list has beyond those that are named.
func beyond[T any](list []T) int { return max(0, len(list)-maxDiffRows) }

func diffTask(t *eval.TaskDiff) templates.DiffTask {
	moved := make([]string, len(t.Moved))
	for i, m := range t.Moved {
		moved[i] = fmt.Sprintf("%s from place %d to %d", m.ID, m.Before, m.After)
	}
	row := templates.DiffTask{
		Task: diag.OneLine(secret.Redact(t.Task), maxDiffText), Tokens: t.Tokens[1], TokensMore: amount.Signed(t.Tokens[1] - t.Tokens[0]),
		More: len(t.Gained) + len(t.Lost) + len(t.Moved),
	}
	row.Gained, row.Lost, row.Moved = t.Gained[:min(len(t.Gained), maxDiffMoves)], t.Lost[:min(len(t.Lost), maxDiffMoves)], moved[:min(len(moved), maxDiffMoves)]
	row.More -= len(row.Gained) + len(row.Lost) + len(row.Moved)
	return row
}

func diffEntries(entries []*loadout.Entry) []templates.DiffEntry {
	rows := make([]templates.DiffEntry, len(entries))
	for i, e := range entries {
		rows[i] = templates.DiffEntry{ID: e.ID, Text: diag.OneLine(strings.Join(e.Keywords, ", "), maxDiffText), Tokens: render.Tokens(e)}
	}
	return rows
}
