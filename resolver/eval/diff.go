package eval

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/loadout/render"
	"github.com/packgen/packgen/resolver/repo"
)

// Diff is how routing changed from one index to another.
type Diff struct {
	Gained  []*loadout.Entry // in the order of the new index
	Lost    []*loadout.Entry // in the order of the old index
	Changed []Changed        // in the order of the new index
	Tokens  [2]int           // estimates of all entries, before and after
	Tasks   []TaskDiff       // those tasks whose selection or tokens changed, in the order given
	Asked   int              // how many tasks were tried
}

// Empty reports whether nothing changed.
func (d *Diff) Empty() bool {
	return len(d.Gained)+len(d.Lost)+len(d.Changed)+len(d.Tasks) == 0
}

// Changed is an entry that both indexes have and that differs.
type Changed struct {
	Before, After                   *loadout.Entry
	KeywordsGained, KeywordsLost    []string
	PatternsGained, PatternsLost    []string
	Path, Priority, Summary, Phases bool // what differs beside the words
	Tokens                          int  // after less before
}

// routes reports whether anything differs that decides what is loaded.
func (c *Changed) routes() bool {
	return len(c.KeywordsGained)+len(c.KeywordsLost)+len(c.PatternsGained)+len(c.PatternsLost) > 0 ||
		c.Path || c.Priority || c.Phases || c.Tokens != 0
}

// TaskDiff is how the selection of one task changed.
type TaskDiff struct {
	Task         string
	Gained, Lost []string // ids; gained in the new order, lost in the old one
	Moved        []Move
	Tokens       [2]int
}

func (t *TaskDiff) changed() bool {
	return len(t.Gained)+len(t.Lost)+len(t.Moved) > 0 || t.Tokens[0] != t.Tokens[1]
}

// Move is an entry that both select, at another place.
type Move struct {
	ID     string `json:"id"`
	Before int    `json:"before"` // places among the selected, from 1
	After  int    `json:"after"`
}

// Compare says how routing changed from a to b. For each of the tasks it compares
// what the two select; entries that only moved because others came or went
// do not count as moved.
func Compare(a, b *loadout.Index, tasks []string, options loadout.MatchOptions) (*Diff, error) {
	d := &Diff{Asked: len(tasks)}
	d.entries(a, b)
	before, after := loadout.NewMatcher(a), loadout.NewMatcher(b)
	for _, task := range tasks {
		was, err := before.Match(task, options)
		if err != nil {
			return nil, fmt.Errorf("match %q against the first index: %w", task, err)
		}
		is, err := after.Match(task, options)
		if err != nil {
			return nil, fmt.Errorf("match %q against the second index: %w", task, err)
		}
		if t := compareTask(task, was, is); t.changed() {
			d.Tasks = append(d.Tasks, t)
		}
	}
	return d, nil
}

// entries compares the entries by id; of several with one id the first counts.
func (d *Diff) entries(a, b *loadout.Index) {
	before, after := byID(a), byID(b)
	for i := range a.Entries {
		e := &a.Entries[i]
		d.Tokens[0] += estimate(e)
		if before[e.ID] == e && after[e.ID] == nil {
			d.Lost = append(d.Lost, e)
		}
	}
	for i := range b.Entries {
		e := &b.Entries[i]
		d.Tokens[1] += estimate(e)
		switch old := before[e.ID]; {
		case after[e.ID] != e:
		case old == nil:
			d.Gained = append(d.Gained, e)
		default:
			if c := compareEntry(old, e); c.routes() || c.Summary {
				d.Changed = append(d.Changed, c)
			}
		}
	}
}

func byID(ix *loadout.Index) map[string]*loadout.Entry {
	m := make(map[string]*loadout.Entry, len(ix.Entries))
	for i := range ix.Entries {
		if e := &ix.Entries[i]; m[e.ID] == nil {
			m[e.ID] = e
		}
	}
	return m
}

// estimate is the tokens of an entry; 0 when it names none.
func estimate(e *loadout.Entry) int {
	if math.IsNaN(e.TokensEst) {
		return 0
	}
	return int(max(math.MinInt32, min(e.TokensEst, math.MaxInt32)))
}

func compareEntry(a, b *loadout.Entry) Changed {
	c := Changed{
		Before: a, After: b,
		Path: a.Path != b.Path, Priority: a.Priority != b.Priority, Summary: a.Summary != b.Summary,
		Phases: a.Triggers != b.Triggers, Tokens: estimate(b) - estimate(a),
	}
	c.KeywordsGained, c.KeywordsLost = without(b.Keywords, a.Keywords), without(a.Keywords, b.Keywords)
	c.PatternsGained, c.PatternsLost = without(b.Patterns, a.Patterns), without(a.Patterns, b.Patterns)
	return c
}

// without returns what is in one list and not in the other.
func without(list, other []string) []string {
	have := make(map[string]bool, len(other))
	for _, s := range other {
		have[s] = true
	}
	var out []string
	for _, s := range list {
		if !have[s] {
			out = append(out, s)
		}
	}
	return out
}

func compareTask(task string, was, is []loadout.Result) TaskDiff {
	t := TaskDiff{Task: task, Tokens: [2]int{tokensOf(was), tokensOf(is)}}
	before, after := idsOf(was), idsOf(is)
	t.Lost, t.Gained = without(before, after), without(after, before)
	// Among those that both select, compare the order.
	stayedBefore, stayedAfter := without(before, t.Lost), without(after, t.Gained)
	wasAt, isAt := placesOf(before), placesOf(after)
	for i, id := range stayedAfter {
		if i < len(stayedBefore) && stayedBefore[i] != id {
			t.Moved = append(t.Moved, Move{id, wasAt[id], isAt[id]})
		}
	}
	return t
}

// placesOf says where each id is first, from 1.
func placesOf(ids []string) map[string]int {
	places := make(map[string]int, len(ids))
	for i, id := range ids {
		if places[id] == 0 {
			places[id] = i + 1
		}
	}
	return places
}

func idsOf(list []loadout.Result) []string {
	ids := make([]string, len(list))
	for i, r := range list {
		ids[i] = r.Entry.ID
	}
	return ids
}

// maxTaskLines is how many tasks a plain file of tasks may hold.
const maxTaskLines = maxTasks

// readTasks reads a plain file of tasks: one a line; blank lines and those that
// start with # are left out. It takes at most 10,000 tasks.
func readTasks(data []byte) ([]string, error) {
	var tasks []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(tasks) == maxTaskLines {
			return nil, fmt.Errorf("more than %d tasks", maxTaskLines)
		}
		tasks = append(tasks, line)
	}
	return tasks, nil
}

// Line describes what changed about an entry, in one line.
func (c *Changed) Line() string {
	var parts []string
	words := func(name string, gained, lost []string) {
		for _, w := range gained {
			parts = append(parts, "+"+name+" "+diag.Printable(w))
		}
		for _, w := range lost {
			parts = append(parts, "-"+name+" "+diag.Printable(w))
		}
	}
	words("keyword", c.KeywordsGained, c.KeywordsLost)
	words("pattern", c.PatternsGained, c.PatternsLost)
	if c.Priority {
		parts = append(parts, diag.Printable(c.Before.Priority)+" became "+diag.Printable(c.After.Priority))
	}
	if c.Path {
		parts = append(parts, "path "+diag.Printable(c.Before.Path)+" became "+diag.Printable(c.After.Path))
	}
	if c.Phases {
		parts = append(parts, "triggers")
	}
	if c.Tokens != 0 {
		parts = append(parts, amount.Signed(c.Tokens)+" tokens")
	}
	if c.Summary {
		parts = append(parts, "summary")
	}
	return strings.Join(parts, ", ")
}

// WriteText writes the changes: + added, - removed, ~ changed.
func (d *Diff) WriteText(p *render.Printer, dialect loadout.Dialect) {
	for _, e := range d.Gained {
		p.Printf("%s  %s tokens, %s, keywords %s\n", p.Green("+ "+diag.Printable(e.ID)), render.Tokens(e), diag.Printable(e.Priority), render.Bracketed(e.Keywords))
	}
	for _, e := range d.Lost {
		p.Printf("%s  %s tokens\n", p.Red("- "+diag.Printable(e.ID)), render.Tokens(e))
	}
	for i := range d.Changed {
		p.Printf("%s  %s\n", p.Bold("~ "+diag.Printable(d.Changed[i].After.ID)), d.Changed[i].Line())
	}
	if len(d.Gained)+len(d.Lost)+len(d.Changed) > 0 {
		p.Printf("\n")
	}
	for _, t := range d.Tasks {
		p.Printf("%q: %s tokens (%s)\n", diag.Printable(secret.Redact(t.Task)), amount.Grouped(t.Tokens[1]), amount.Signed(t.Tokens[1]-t.Tokens[0]))
		for _, id := range t.Gained {
			p.Printf("    %s\n", p.Green("+ "+diag.Printable(id)))
		}
		for _, id := range t.Lost {
			p.Printf("    %s\n", p.Red("- "+diag.Printable(id)))
		}
		for _, m := range t.Moved {
			p.Printf("    %s from place %d to %d\n", diag.Printable(m.ID), m.Before, m.After)
		}
	}
	if len(d.Tasks) > 0 {
		p.Printf("\n")
	}
	p.Printf("%s gained, %d lost, %d changed; all entries %s tokens (%s); tasks that select something else: %d of %s (%s matcher)\n",
		amount.Entries(len(d.Gained)), len(d.Lost), len(d.Changed), amount.Grouped(d.Tokens[1]), amount.Signed(d.Tokens[1]-d.Tokens[0]),
		len(d.Tasks), amount.Grouped(d.Asked), dialect)
}

// changedJSON is an entry that changed, in the envelope.
type changedJSON struct {
	ID             string   `json:"id"`
	KeywordsGained []string `json:"keywords_gained"`
	KeywordsLost   []string `json:"keywords_lost"`
	PatternsGained []string `json:"patterns_gained"`
	PatternsLost   []string `json:"patterns_lost"`
	Path           []string `json:"path,omitempty"`     // before, after
	Priority       []string `json:"priority,omitempty"` // before, after
	Triggers       bool     `json:"triggers"`
	Summary        bool     `json:"summary"`
	Tokens         int      `json:"tokens_delta"`
}

// taskDiffJSON is a task that selects something else, in the envelope.
type taskDiffJSON struct {
	Task         string   `json:"task"`
	Gained       []string `json:"gained"`
	Lost         []string `json:"lost"`
	Moved        []Move   `json:"moved"`
	TokensBefore int      `json:"tokens_before"`
	TokensAfter  int      `json:"tokens_after"`
}

// DiffRecord is a difference in the envelope.
type DiffRecord struct {
	Gained       []string       `json:"gained"`
	Lost         []string       `json:"lost"`
	Changed      []changedJSON  `json:"changed"`
	TokensBefore int            `json:"tokens_before"`
	TokensAfter  int            `json:"tokens_after"`
	TasksTried   int            `json:"tasks_tried"`
	Tasks        []taskDiffJSON `json:"tasks"`
}

// RecordOf puts a difference into the form of the envelope.
func RecordOf(d *Diff) DiffRecord {
	out := DiffRecord{
		Gained: entryIDs(d.Gained), Lost: entryIDs(d.Lost), Changed: []changedJSON{},
		TokensBefore: d.Tokens[0], TokensAfter: d.Tokens[1], TasksTried: d.Asked, Tasks: []taskDiffJSON{},
	}
	list := func(words []string) []string { return append([]string{}, words...) }
	for i := range d.Changed {
		c := &d.Changed[i]
		j := changedJSON{
			ID: c.After.ID, KeywordsGained: list(c.KeywordsGained), KeywordsLost: list(c.KeywordsLost),
			PatternsGained: list(c.PatternsGained), PatternsLost: list(c.PatternsLost),
			Triggers: c.Phases, Summary: c.Summary, Tokens: c.Tokens,
		}
		if c.Path {
			j.Path = []string{c.Before.Path, c.After.Path}
		}
		if c.Priority {
			j.Priority = []string{c.Before.Priority, c.After.Priority}
		}
		out.Changed = append(out.Changed, j)
	}
	for _, t := range d.Tasks {
		out.Tasks = append(out.Tasks, taskDiffJSON{
			Task: secret.Redact(t.Task), Gained: list(t.Gained), Lost: list(t.Lost), Moved: append([]Move{}, t.Moved...),
			TokensBefore: t.Tokens[0], TokensAfter: t.Tokens[1],
		})
	}
	return out
}

func entryIDs(list []*loadout.Entry) []string {
	ids := make([]string, len(list))
	for i, e := range list {
		ids[i] = e.ID
	}
	return ids
}

// DiffTasks returns the tasks of a file, or of all routing goldens of the
// repository.
func DiffTasks(w *repo.Repo, name string) ([]string, error) {
	if name == "" {
		return ownTasks(w)
	}
	data, err := atomicfile.Read(w.Paths.Abs(name), MaxRoutingBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, diag.Absent("file", name, "name a file with one task per line, or routing goldens")
	}
	if err != nil {
		return nil, fmt.Errorf("read tasks: %w", err)
	}
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
		r, faults := ReadRouting(w.Paths.Rel(w.Paths.Abs(name)), data)
		if r == nil {
			return nil, &repo.Faults{List: faults}
		}
		return tasksOf(r), nil
	}
	tasks, err := readTasks(data)
	if err != nil {
		return nil, fmt.Errorf("read tasks %s: %w", name, err)
	}
	return tasks, nil
}

// ownTasks returns the tasks of all routing goldens of a repository, each once.
func ownTasks(w *repo.Repo) ([]string, error) {
	own := openOwn(w)
	defer own.Close()
	goldens, err := readGoldens(w, own)
	var tasks []string
	for _, r := range goldens {
		for _, t := range tasksOf(r) {
			if !slices.Contains(tasks, t) {
				tasks = append(tasks, t)
			}
		}
	}
	return tasks, err
}

func tasksOf(r *Routing) []string {
	tasks := make([]string, len(r.Tasks))
	for i := range r.Tasks {
		tasks[i] = r.Tasks[i].Task
	}
	return tasks
}

// fresh is how many of the selected entries a task without expectations gets as
// its golden.
const fresh = 5

// tokenStep is what ceilings are rounded up to, so that a sentence more does not
// miss one.
const tokenStep = 50

// Update rewrites goldens so that the results become what is expected, and
// returns the new text of the file; changed is false when every task was met.
// Expectations that hold stay as they are, and so do comments. An entry that is
// no longer selected is dropped, a rank or ceiling that was missed becomes the
// present one, and a task without any expectation gets its best entries and a
// ceiling.
func (r *Routing) Update(results []TaskResult) (text []byte, changed bool, err error) {
	for i := range results {
		t := &results[i]
		switch {
		case len(t.Task.Must)+len(t.Task.MustNot) == 0 && t.Task.Tokens == 0:
			changed = t.record() || changed
		case len(t.Misses) > 0:
			t.accept()
			changed = true
		}
	}
	if !changed {
		return nil, false, nil
	}
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(r.doc); err != nil {
		return nil, false, fmt.Errorf("write %s: %w", r.Path, err)
	}
	return out.Bytes(), true, e.Close()
}

// record makes a golden of what a task selects now; false when it selects
// nothing.
func (t *TaskResult) record() bool {
	if len(t.Selected) == 0 {
		return false
	}
	must := &yaml.Node{Kind: yaml.SequenceNode}
	for i, s := range t.Selected {
		if i == fresh {
			break
		}
		must.Content = append(must.Content, scalar(s.Entry.ID))
	}
	setKey(t.Task.node, "must", must)
	setKey(t.Task.node, "tokens", whole(ceiling(t.Tokens)))
	return true
}

// accept changes the expectations that were missed.
func (t *TaskResult) accept() {
	for _, m := range t.Misses {
		switch m.Kind {
		case TooMany:
			setKey(t.Task.node, "tokens", whole(ceiling(m.Got)))
		case RankTooLow:
			for _, item := range valueOf(t.Task.node, "must").Content {
				if idOf(item) == m.ID {
					setKey(item, "rank", whole(m.Got))
				}
			}
		default:
			dropID(t.Task.node, "must", m.ID)
			dropID(t.Task.node, "must_not", m.ID)
		}
	}
}

// ceiling rounds tokens up.
func ceiling(tokens int) int {
	return max(1, (tokens+tokenStep-1)/tokenStep) * tokenStep
}

func scalar(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(text)
	return n
}

func whole(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}

// keyAt is where a key of a mapping is in its content; -1 for none.
func keyAt(m *yaml.Node, key string) int {
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return i
		}
	}
	return -1
}

// valueOf returns the value of a key of a mapping; an empty node when it has
// none.
func valueOf(m *yaml.Node, key string) *yaml.Node {
	if i := keyAt(m, key); i >= 0 {
		return m.Content[i+1]
	}
	return &yaml.Node{}
}

func setKey(m *yaml.Node, key string, value *yaml.Node) {
	i := keyAt(m, key)
	if i < 0 {
		m.Content = append(m.Content, scalar(key), value)
		return
	}
	value.LineComment = m.Content[i+1].LineComment
	m.Content[i+1] = value
}

// idOf is the id of an expected entry in either form.
func idOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		return valueOf(n, "id").Value
	}
	return n.Value
}

// dropID takes an entry out of a list, and the list out of the task when nothing
// is left in it.
func dropID(task *yaml.Node, key, id string) {
	list := valueOf(task, key)
	list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return idOf(n) == id })
	if i := keyAt(task, key); list.Kind == yaml.SequenceNode && len(list.Content) == 0 {
		task.Content = slices.Delete(task.Content, i, i+2)
	}
}
