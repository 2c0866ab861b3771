package site

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/pack"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/store"
	"github.com/packgen/packgen/resolver/eval"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/site/article"
	"github.com/packgen/packgen/site/model"
	"github.com/packgen/packgen/templates"
)

// feedName is the feed of the pages that were changed last.
const feedName = "feed.xml"

// maxFeed is how many pages the feed names.
const maxFeed = 50

// change is a page in the feed.
type change struct {
	Out, Title, Summary string
	At                  time.Time
}

// datesKey sums up what the pages of a pack show of its place and of its history.
func (s *Site) datesKey(p *pack.Pack) string {
	var text strings.Builder
	if s.opts.Edit != "" && s.opts.Locate != nil {
		fmt.Fprintln(&text, s.opts.Locate(p, pack.EntryName))
	}
	if s.opts.Changed != nil {
		for _, f := range p.Files {
			if at := s.opts.Changed(p, f.Path); !at.IsZero() {
				fmt.Fprintln(&text, f.Path, at.Unix())
			}
		}
	}
	if text.Len() == 0 {
		return ""
	}
	sum := store.Sum([]byte(text.String()))
	return string(sum[:])
}

// changesOf lists the pages of the pack that were changed last, newest first.
func changesOf(ps *model.Pack) []change {
	var list []change
	for _, n := range ps.Nodes {
		if at := ps.Settings.LastChange(ps.Pack, n.Path); !at.IsZero() {
			list = append(list, change{Out: n.Out, Title: n.Name(), Summary: n.Facts.Summary, At: at})
		}
	}
	return newest(list)
}

// newest sorts changes, and leaves out those that a feed has no room for.
func newest(list []change) []change {
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.Out, b.Out)) })
	return list[:min(len(list), maxFeed)]
}

// feed returns the name of the feed; "" without dates or full addresses, which it needs.
func (o *Options) feed() string {
	if o.Changed == nil || o.BaseURL == "" {
		return ""
	}
	return feedName
}

type atomFeed struct {
	XMLName xml.Name    `xml:"http://www.w3.org/2005/Atom feed"`
	ID      string      `xml:"id"`
	Title   string      `xml:"title"`
	Updated string      `xml:"updated"`
	Author  string      `xml:"author>name"`
	Links   []feedLink  `xml:"link"`
	Entries []feedEntry `xml:"entry"`
}

type feedLink struct {
	Rel  string `xml:"rel,attr,omitempty"`
	Href string `xml:"href,attr"`
}

type feedEntry struct {
	ID      string   `xml:"id"`
	Title   string   `xml:"title"`
	Updated string   `xml:"updated"`
	Link    feedLink `xml:"link"`
	Summary string   `xml:"summary,omitempty"`
}

// putFeed writes the feed (RFC 4287). Its time is that of the newest change.
func (b *build) putFeed() error {
	var list []change
	for _, f := range b.packs {
		list = append(list, f.said.Changes...)
	}
	list = newest(list)
	base := b.opts.BaseURL
	v := atomFeed{
		ID: base, Title: b.opts.Title, Author: b.opts.Title, Updated: time.Unix(0, 0).UTC().Format(time.RFC3339),
		Links: []feedLink{{Href: base}, {Rel: "self", Href: base + feedName}},
	}
	for i, c := range list {
		at, url := c.At.UTC().Format(time.RFC3339), base+article.EscapePath(c.Out)
		if i == 0 {
			v.Updated = at
		}
		v.Entries = append(v.Entries, feedEntry{ID: url, Title: c.Title, Updated: at, Link: feedLink{Href: url}, Summary: c.Summary})
	}
	out := bytes.NewBufferString(xml.Header)
	if err := xml.NewEncoder(out).Encode(v); err != nil {
		return fmt.Errorf("write %s: %w", feedName, err)
	}
	out.WriteByte('\n')
	return b.put(feedName, out.Bytes())
}

// lastmod returns the day on which a page of a pack was last changed: of the page of the
// pack, that of its newest file.
func (b *build) lastmod(f *packFacts, page string) string {
	if b.opts.Changed == nil || f.said.Card.Kept != nil {
		return ""
	}
	if page == f.dir {
		if len(f.said.Changes) == 0 {
			return ""
		}
		return model.DayOf(f.said.Changes[0].At)
	}
	if name := model.MarkdownOf(strings.TrimPrefix(page, f.dir), f.pack.Has); name != "" {
		return model.DayOf(b.opts.Changed(f.pack, name))
	}
	return ""
}

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
