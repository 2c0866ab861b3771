package eval

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/strictyaml"
	"github.com/packgen/packgen/resolver/loadout"
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
