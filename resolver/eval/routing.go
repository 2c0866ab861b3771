package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/loadout"
	"github.com/packgen/packgen/resolver/repo"
)

// RoutingPath is where routing goldens are: in a pack, and at the root of a
// repository.
const RoutingPath = "evals/routing.yaml"

// idSchema is the rule id of everything wrong in a file of goldens.
const idSchema = "schema-invalid"

// Limits of a file of routing goldens.
const (
	MaxRoutingBytes = 1 << 20 // largest file that is read
	maxTasks        = 10_000
	maxPerTask      = 1000 // entries named by one task
	maxTaskBytes    = 16 << 10
)

// Routing is a file of routing goldens: tasks with what they must select.
//
//	matcher: coverage
//	tasks:
//	  - task: how often should I descale the kettle
//	    must:
//	      - kettle-kettle-care
//	      - id: kettle
//	        rank: 2
//	    must_not: [kettle-kettle-warranty]
//	    tokens: 200
type Routing struct {
	Path    string // for messages
	Matcher string // coverage, recall or weighted; "" is the default of the repository
	Tasks   []RoutingTask
	doc     *yaml.Node // for Update
}

// RoutingTask is one task and what it must select.
type RoutingTask struct {
	Task    string
	Reason  string // for readers
	Must    []Expected
	MustNot []string
	Tokens  int // most tokens that the plan may load; 0 is any number
	Line    int // 1-based line of the task in its file
	node    *yaml.Node
}

// Expected is an entry that must be selected.
type Expected struct {
	ID   string
	Rank int // greatest allowed place among the selected entries, from 1; 0 is any
}

// ReadRouting reads a file of routing goldens, strictly: unknown and repeated
// keys, values of a wrong type, aliases, and expectations that contradict each
// other are faults. It returns nil when there is one.
func ReadRouting(path string, data []byte) (*Routing, []diag.Diagnostic) {
	r := &routingReader{
		Reader: strictyaml.Reader{Options: strictyaml.Options{ID: idSchema, Path: path}},
		out:    &Routing{Path: path},
	}
	r.read(data)
	if len(r.Faults) > 0 {
		diag.Sort(r.Faults)
		return nil, r.Faults
	}
	return r.out, nil
}

type routingReader struct {
	strictyaml.Reader
	out    *Routing
	broken bool // the YAML itself is refused: what a task lacks is not certain
}

func (r *routingReader) read(data []byte) {
	if len(data) > MaxRoutingBytes {
		r.Fault(nil, "split it: each pack may have its own", "the file is larger than %s", bytesize.Text(MaxRoutingBytes))
		return
	}
	r.out.doc = r.Document(data)
	r.broken = len(r.Faults) > 0
	if r.out.doc != nil {
		r.Mapping(r.out.doc.Content[0], "", strictyaml.Keys{
			"matcher": r.Checked(&r.out.Matcher, checkMatcher),
			"tasks":   r.Each(maxTasks, r.task),
		})
	}
	if len(r.Faults) == 0 && len(r.out.Tasks) == 0 {
		r.Fault(nil, "add tasks, each with what it must select", "the file has no tasks")
	}
}

func checkMatcher(name string) error {
	if _, ok := loadout.NamedDialect(name); !ok {
		return diag.WithHint(fmt.Errorf("unknown matcher %q", name), "write one of %s", strings.Join(loadout.Dialects(), ", "))
	}
	return nil
}

func (r *routingReader) task(n *yaml.Node) {
	t := RoutingTask{Line: n.Line, node: n}
	before := len(r.Faults)
	ok := r.Mapping(n, "", strictyaml.Keys{
		"task":     r.Text(&t.Task),
		"reason":   r.Text(&t.Reason),
		"must":     r.Each(maxPerTask, func(item *yaml.Node) { t.Must = append(t.Must, r.expected(item)) }),
		"must_not": r.List(&t.MustNot, strictyaml.Any),
		"tokens":   r.Whole(&t.Tokens, 1),
	})
	if !ok || r.broken || len(r.Faults) > before {
		return
	}
	switch {
	case strings.TrimSpace(t.Task) == "":
		r.Fault(n, "add task: with the words of a user", "a task has no text")
	case len(t.Task) > maxTaskBytes:
		r.Fault(n, "shorten it", "a task is longer than %s", bytesize.Text(maxTaskBytes))
	}
	r.contradictions(n, &t)
	r.out.Tasks = append(r.out.Tasks, t)
}

// contradictions reports entries that are named twice.
func (r *routingReader) contradictions(n *yaml.Node, t *RoutingTask) {
	seen := map[string]bool{}
	check := func(id string) {
		if id != "" && seen[id] {
			r.Fault(n, "keep one of the two", "a task names %q twice", id)
		}
		seen[id] = true
	}
	for _, e := range t.Must {
		check(e.ID)
	}
	for _, id := range t.MustNot {
		check(id)
	}
}

// expected reads an entry: its id, or a map with id and rank.
func (r *routingReader) expected(n *yaml.Node) Expected {
	var e Expected
	if n.Kind == yaml.ScalarNode {
		r.Text(&e.ID)(n)
		return e
	}
	if r.Mapping(n, "", strictyaml.Keys{"id": r.Text(&e.ID), "rank": r.Whole(&e.Rank, 1)}) && e.ID == "" {
		r.Fault(n, "write the id of the entry", "an expected entry has no id")
	}
	return e
}

// SchemaFault is the finding about a file that does not fit its schema; err comes
// from package schema.
func SchemaFault(name string, err error) diag.Diagnostic {
	d := diag.Diagnostic{ID: idSchema, Severity: diag.Error, Path: name, Message: err.Error(), Hint: "correct the file, or delete it"}
	var fault *schema.DecodeError
	if errors.As(err, &fault) {
		d.Line, d.Column, d.Message = fault.Line, fault.Column, fault.Message
		if fault.Pointer != "" {
			d.Message = fault.Pointer + ": " + d.Message
		}
	}
	return d
}

// MissKind says in which way a task missed its golden.
type MissKind string

// The ways to miss.
const (
	NotSelected MissKind = "not-selected" // an entry of must is not among the selected
	Unwanted    MissKind = "unwanted"     // an entry of must_not is
	RankTooLow  MissKind = "rank"         // an entry of must comes later than its rank
	TooMany     MissKind = "tokens"       // the plan loads more than the ceiling
	NoEntry     MissKind = "no-entry"     // the index has no such entry
)

// Miss is one expectation that did not come true.
type Miss struct {
	Kind      MissKind
	ID        string           // of the entry; "" for tokens
	Want, Got int              // ranks, or tokens
	Outlook   *loadout.Outlook // the arithmetic of the entry; nil when there is none, and beyond 200 misses of a file
	Nearest   string           // the id most like one that does not exist
}

// TaskResult is what came of one task.
type TaskResult struct {
	Task     *RoutingTask
	Selected []loadout.Result // best first
	Tokens   int              // what the plan loads, preloaded and on demand
	Misses   []Miss
}

// Route runs goldens against an index. dialect holds where the file names no
// matcher.
func Route(r *Routing, ix *loadout.Index, dialect loadout.Dialect) ([]TaskResult, error) {
	options := loadout.MatchOptions{Dialect: r.Dialect(dialect)}
	j := &referee{ix: ix, options: options, entries: byID(ix), left: maxExplained}
	matcher := loadout.NewMatcher(ix)
	results := make([]TaskResult, 0, len(r.Tasks))
	for i := range r.Tasks {
		t := &r.Tasks[i]
		selected, err := matcher.Match(t.Task, options)
		if err != nil {
			return nil, fmt.Errorf("match the task of line %d of %s: %w", t.Line, r.Path, err)
		}
		result := TaskResult{Task: t, Selected: selected, Tokens: tokensOf(selected)}
		if err := j.task(&result); err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// Dialect is the matcher that the goldens name, otherwise the one given.
func (r *Routing) Dialect(otherwise loadout.Dialect) loadout.Dialect {
	if named, ok := loadout.NamedDialect(r.Matcher); ok {
		return named
	}
	return otherwise
}

// tokensOf sums the estimates of what was selected.
func tokensOf(selected []loadout.Result) int {
	sum := 0.0
	for _, r := range selected {
		if !math.IsNaN(r.Entry.TokensEst) {
			sum += r.Entry.TokensEst
		}
	}
	return int(min(sum, math.MaxInt32))
}

// maxExplained is how many misses of one file are explained: each costs a look
// at the whole index.
const maxExplained = 200

// referee collects the misses of tasks.
type referee struct {
	ix      *loadout.Index
	options loadout.MatchOptions
	entries map[string]*loadout.Entry
	left    int // misses that may still be explained
}

// task collects the misses of a task.
func (j *referee) task(t *TaskResult) error {
	rank := placesOf(idsOf(t.Selected))
	for _, e := range t.Task.Must {
		got, selected := rank[e.ID]
		kind := NotSelected
		if selected {
			if e.Rank == 0 || got <= e.Rank {
				continue
			}
			kind = RankTooLow
		}
		if err := j.miss(t, Miss{Kind: kind, ID: e.ID, Want: e.Rank, Got: got}); err != nil {
			return err
		}
	}
	for _, id := range t.Task.MustNot {
		got, selected := rank[id]
		if !selected && j.entries[id] != nil {
			continue
		}
		if err := j.miss(t, Miss{Kind: Unwanted, ID: id, Got: got}); err != nil {
			return err
		}
	}
	if t.Task.Tokens > 0 && t.Tokens > t.Task.Tokens {
		t.Misses = append(t.Misses, Miss{Kind: TooMany, Want: t.Task.Tokens, Got: t.Tokens})
	}
	return nil
}

// miss adds a miss of an entry, explained while more may be.
func (j *referee) miss(t *TaskResult, m Miss) (err error) {
	known := j.entries[m.ID] != nil
	if !known {
		m.Kind = NoEntry
	}
	if j.left > 0 {
		j.left--
		if known {
			m.Outlook, err = loadout.ExplainTask(t.Task.Task, m.ID, j.ix, j.options)
		} else {
			m.Nearest = nearestID(m.ID, j.ix)
		}
	}
	t.Misses = append(t.Misses, m)
	return err
}

// nearestID returns the id that shares the longest start and end with a wrong
// one; "" when less than half of it is shared.
func nearestID(id string, ix *loadout.Index) string {
	best, most := "", 0
	for i := range ix.Entries {
		other := ix.Entries[i].ID
		head := 0
		for head < len(id) && head < len(other) && id[head] == other[head] {
			head++
		}
		tail := 0
		for tail < len(id)-head && tail < len(other)-head && id[len(id)-1-tail] == other[len(other)-1-tail] {
			tail++
		}
		if shared := head + tail; shared > most && 2*shared >= len(id) {
			best, most = other, shared
		}
	}
	return best
}

// Unreached returns the ids of entries that words can lead to and that no task of
// the goldens selects, in index order.
func Unreached(ix *loadout.Index, results []TaskResult) []string {
	reached := map[string]bool{}
	for _, t := range results {
		for _, r := range t.Selected {
			reached[r.Entry.ID] = true
		}
	}
	var list []string
	for i := range ix.Entries {
		e := &ix.Entries[i]
		if e.Priority == loadout.PriorityDomain && !reached[e.ID] {
			list = append(list, e.ID)
		}
	}
	return list
}

// maxChangedTasks is how many tasks a summary names: a pull request is read by people.
const maxChangedTasks = 20

// RoutingFigures sum up what goldens came to.
type RoutingFigures struct {
	Tasks, Met      int // tasks, and those without a miss
	Expected, Found int // entries of must, and those of them that are selected, at any place
	Tokens          int // what the plans of all tasks load
}

// routingChange is what goldens come to with one index and with another.
type routingChange struct {
	Before, After RoutingFigures
	Tasks         []TaskDiff // those whose selection or tokens changed
}

// Add runs a file of goldens against both indexes. dialect holds where the file names no
// matcher.
func (c *routingChange) Add(r *Routing, before, after *loadout.Index, dialect loadout.Dialect) error {
	was, err := Route(r, before, dialect)
	if err != nil {
		return err
	}
	is, err := Route(r, after, dialect)
	if err != nil {
		return err
	}
	c.Before.add(was)
	c.After.add(is)
	for i := range was {
		if t := compareTask(r.Tasks[i].Task, was[i].Selected, is[i].Selected); t.changed() {
			c.Tasks = append(c.Tasks, t)
		}
	}
	return nil
}

func (f *RoutingFigures) add(results []TaskResult) {
	for i := range results {
		r := &results[i]
		f.Tasks++
		f.Tokens += r.Tokens
		if len(r.Misses) == 0 {
			f.Met++
		}
		f.Expected += len(r.Task.Must)
		f.Found += len(r.Task.Must)
		absent := map[string]bool{} // misses of must, of which several may be about one entry
		for _, m := range r.Misses {
			absent[m.ID] = absent[m.ID] || m.Kind == NotSelected || m.Kind == NoEntry
		}
		for _, want := range r.Task.Must {
			if absent[want.ID] {
				f.Found--
			}
		}
	}
}

// recall is the share of expected entries that are selected, as printed.
func (f *RoutingFigures) recall() string {
	if f.Expected == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(f.Found)/float64(f.Expected))
}

// Markdown is the change for a pull request: the figures, and the tasks that now select
// something else. No text of a file is read as markup.
func (c *routingChange) Markdown() string {
	var b strings.Builder
	b.WriteString("| Routing | Before | After |\n| --- | ---: | ---: |\n")
	fmt.Fprintf(&b, "| Tasks met, of %s | %s | %s |\n", amount.Grouped(c.After.Tasks), amount.Grouped(c.Before.Met), amount.Grouped(c.After.Met))
	fmt.Fprintf(&b, "| Recall | %s | %s |\n", c.Before.recall(), c.After.recall())
	fmt.Fprintf(&b, "| Tokens | %s | %s |\n", amount.Grouped(c.Before.Tokens), amount.Grouped(c.After.Tokens))
	if len(c.Tasks) == 0 {
		b.WriteString("\nEvery task selects what it did.\n")
		return b.String()
	}
	b.WriteString("\n| Task | Selects now | No longer | Tokens |\n| --- | --- | --- | ---: |\n")
	for i := range min(len(c.Tasks), maxChangedTasks) {
		t := &c.Tasks[i]
		gained := cellsOf(t.Gained)
		for _, m := range t.Moved {
			gained = append(gained, fmt.Sprintf("%s in place %d, not %d", diag.Cell(m.ID), m.After, m.Before))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s → %s |\n", diag.Cell(secret.Redact(t.Task)), strings.Join(gained, "<br>"), strings.Join(cellsOf(t.Lost), "<br>"),
			amount.Grouped(t.Tokens[0]), amount.Grouped(t.Tokens[1]))
	}
	if more := len(c.Tasks) - maxChangedTasks; more > 0 {
		fmt.Fprintf(&b, "\n%s changed as well.\n", amount.Counted(more, "further task"))
	}
	return b.String()
}

func cellsOf(ids []string) []string {
	cells := make([]string, 0, min(len(ids), maxChangedTasks))
	for _, id := range ids[:min(len(ids), maxChangedTasks)] {
		cells = append(cells, diag.Cell(id))
	}
	if more := len(ids) - maxChangedTasks; more > 0 {
		cells = append(cells, fmt.Sprintf("%s more", amount.Grouped(more)))
	}
	return cells
}

// LockedRouting runs the routing goldens of a repository against its own packs with the
// locked ones, as they were and as they are, and returns the change as Markdown; "" where
// there are no goldens or nothing changed. layers gives the indexes of the locked packs.
// What fails is said in the text: the lock is good without it.
func LockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) string {
	change, err := lockedRouting(ctx, w, layers)
	switch {
	case err != nil:
		return fmt.Sprintf("\nRouting is not compared: %s. Where the cache lacks a pack, run packgen pull before packgen lock update.\n", diag.Cell(err.Error()))
	case change == nil:
		return ""
	}
	return "\n" + change.Markdown()
}

func lockedRouting(ctx context.Context, w *repo.Repo, layers func() (before, after []loadout.Layer, err error)) (*routingChange, error) {
	own := openOwn(w)
	defer own.Close()
	goldens, err := readGoldens(w, own)
	if err != nil || len(goldens) == 0 {
		return nil, err
	}
	before, after, err := layers()
	if err != nil || len(before)+len(after) == 0 {
		return nil, err
	}
	run := &Run{Options: Options{At: time.Unix(0, 0)}, ws: w} // nothing is written, and no entry holds the time
	ix, err := run.prepare(ctx, own)
	if err != nil {
		return nil, err
	}
	repository := loadout.Layer{Name: "packs", Index: ix} // its entries win over those of packs from elsewhere
	was, err := mergedIndex(append(before, repository))
	if err != nil {
		return nil, err
	}
	is, err := mergedIndex(append(after, repository))
	if err != nil {
		return nil, err
	}
	dialect, _ := loadout.NamedDialect(w.Config.Matcher) // the configuration was checked
	change := &routingChange{}
	for _, g := range goldens {
		if err := change.Add(g, was, is, dialect); err != nil {
			return nil, err
		}
	}
	return change, nil
}

// openOwn opens the packs of a repository. One that only uses packs has none.
func openOwn(w *repo.Repo) *repo.Packs {
	own, err := w.Open()
	if err != nil {
		return &repo.Packs{}
	}
	return own
}

// readGoldens reads all routing goldens of a repository: at its root, and in each pack.
func readGoldens(w *repo.Repo, own *repo.Packs) ([]*Routing, error) {
	files := []string{w.Paths.Abs(RoutingPath)}
	for _, m := range own.Members {
		files = append(files, filepath.Join(w.Paths.Abs(m.Dir), filepath.FromSlash(RoutingPath)))
	}
	var list []*Routing
	for _, file := range files {
		data, err := atomicfile.Read(file, MaxRoutingBytes)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read routing goldens %s: %w", w.Paths.Rel(file), err)
		}
		r, faults := ReadRouting(w.Paths.Rel(file), data)
		if r == nil {
			return nil, &repo.Faults{List: faults}
		}
		list = append(list, r)
	}
	return list, nil
}

// mergedIndex lays indexes over each other, weakest first.
func mergedIndex(list []loadout.Layer) (*loadout.Index, error) {
	merged, err := loadout.Merge(list, loadout.MergeOptions{})
	if err != nil {
		return nil, fmt.Errorf("merge the indexes: %w", err)
	}
	for _, l := range list {
		if l.Index.Tokenizer == loadout.Unicode {
			merged.SetTokenizer(loadout.Unicode)
		}
	}
	return &merged.Index, nil
}
