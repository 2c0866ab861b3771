package eval

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
)

// RoutingPath is where routing goldens stand: in a pack, and at the root of a
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
	maxRoutingDepth = 8
	maxFaults       = 50
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
	Matcher string // coverage or recall; "" is the default of the repository
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
	r := &routingReader{out: &Routing{Path: path}, path: path}
	if root := r.document(data); root != nil {
		r.root(root)
	}
	if len(r.faults) > 0 {
		diag.Sort(r.faults)
		return nil, r.faults
	}
	return r.out, nil
}

type routingReader struct {
	out    *Routing
	path   string
	faults []diag.Diagnostic
}

func (r *routingReader) fault(n *yaml.Node, hint, format string, args ...any) {
	if len(r.faults) >= maxFaults {
		return
	}
	d := diag.Diagnostic{ID: idSchema, Severity: diag.Error, Path: r.path, Message: fmt.Sprintf(format, args...), Hint: hint}
	if n != nil {
		d.Line, d.Column = n.Line, n.Column
	}
	r.faults = append(r.faults, d)
}

// document parses the file; nil when it is broken.
func (r *routingReader) document(data []byte) (root *yaml.Node) {
	defer func() {
		// The YAML library reports some faults of hostile text by a panic.
		if recover() != nil {
			r.fault(nil, "", "The file cannot be read as YAML.")
			root = nil
		}
	}()
	if len(data) > MaxRoutingBytes {
		r.fault(nil, "split it: each pack may have its own", "The file is larger than %s.", bytesize.Text(MaxRoutingBytes))
		return nil
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	switch err := d.Decode(&doc); {
	case errors.Is(err, io.EOF):
		r.fault(nil, "add tasks, each with what it must select", "The file is empty.")
		return nil
	case err != nil:
		r.fault(nil, "", "The file is not YAML: %s.", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil
	}
	if err := d.Decode(&second); !errors.Is(err, io.EOF) {
		r.fault(nil, "keep one", "The file holds more than one YAML document.")
		return nil
	}
	if len(doc.Content) == 0 || !r.plain(&doc, 0) {
		return nil
	}
	r.out.doc = &doc
	return doc.Content[0]
}

// plain refuses aliases and deep nesting anywhere in the file.
func (r *routingReader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		r.fault(n, "write the value out", "Aliases are not allowed.")
		return false
	case depth > maxRoutingDepth:
		r.fault(n, "", "The file nests deeper than %d levels.", maxRoutingDepth)
		return false
	}
	for _, c := range n.Content {
		if !r.plain(c, depth+1) {
			return false
		}
	}
	return true
}

// mapping hands the values of a mapping to the readers of their keys.
func (r *routingReader) mapping(n *yaml.Node, keys map[string]func(*yaml.Node), known string) bool {
	if n.Kind != yaml.MappingNode {
		r.fault(n, "the keys are "+known, "Expected a map, found %s.", frontmatter.Type(n))
		return false
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := keys[key.Value]
		switch {
		case read == nil || key.Kind != yaml.ScalarNode:
			r.fault(key, "the keys are "+known, "Unknown key %q.", key.Value)
		case seen[key.Value]:
			r.fault(key, "keep one of the two", "Key %q stands twice.", key.Value)
		default:
			seen[key.Value] = true
			read(value)
		}
	}
	return true
}

func (r *routingReader) root(n *yaml.Node) {
	r.mapping(n, map[string]func(*yaml.Node){
		"matcher": func(v *yaml.Node) {
			if r.text(v, &r.out.Matcher) && r.out.Matcher != "coverage" && r.out.Matcher != "recall" {
				r.fault(v, "write coverage or recall", "Unknown matcher %q.", r.out.Matcher)
			}
		},
		"tasks": func(v *yaml.Node) {
			r.list(v, maxTasks, func(item *yaml.Node) { r.task(item) })
		},
	}, "matcher, tasks")
	if len(r.faults) == 0 && len(r.out.Tasks) == 0 {
		r.fault(n, "add tasks, each with what it must select", "The file has no tasks.")
	}
}

func (r *routingReader) task(n *yaml.Node) {
	t := RoutingTask{Line: n.Line, node: n}
	before := len(r.faults)
	ok := r.mapping(n, map[string]func(*yaml.Node){
		"task":   func(v *yaml.Node) { r.text(v, &t.Task) },
		"reason": func(v *yaml.Node) { r.text(v, &t.Reason) },
		"must": func(v *yaml.Node) {
			r.list(v, maxPerTask, func(item *yaml.Node) { t.Must = append(t.Must, r.expected(item)) })
		},
		"must_not": func(v *yaml.Node) {
			r.list(v, maxPerTask, func(item *yaml.Node) {
				var id string
				r.text(item, &id)
				t.MustNot = append(t.MustNot, id)
			})
		},
		"tokens": func(v *yaml.Node) { r.count(v, &t.Tokens) },
	}, "task, reason, must, must_not, tokens")
	if !ok || len(r.faults) > before {
		return
	}
	switch {
	case strings.TrimSpace(t.Task) == "":
		r.fault(n, "", "A task has no text.")
	case len(t.Task) > maxTaskBytes:
		r.fault(n, "", "A task is longer than %s.", bytesize.Text(maxTaskBytes))
	}
	r.contradictions(n, &t)
	r.out.Tasks = append(r.out.Tasks, t)
}

// contradictions reports entries that are named twice.
func (r *routingReader) contradictions(n *yaml.Node, t *RoutingTask) {
	seen := map[string]bool{}
	check := func(id string) {
		if id != "" && seen[id] {
			r.fault(n, "keep one of the two", "A task names %q twice.", id)
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
		r.text(n, &e.ID)
		return e
	}
	if r.mapping(n, map[string]func(*yaml.Node){
		"id":   func(v *yaml.Node) { r.text(v, &e.ID) },
		"rank": func(v *yaml.Node) { r.count(v, &e.Rank) },
	}, "id, rank") && e.ID == "" {
		r.fault(n, "", "An expected entry has no id.")
	}
	return e
}

func (r *routingReader) list(n *yaml.Node, most int, read func(*yaml.Node)) {
	switch {
	case n.Kind != yaml.SequenceNode:
		r.fault(n, "write one a line, each after a dash", "Expected a list, found %s.", frontmatter.Type(n))
	case len(n.Content) > most:
		r.fault(n, "", "The list has more than %d elements.", most)
	default:
		for _, item := range n.Content {
			read(item)
		}
	}
}

func (r *routingReader) text(n *yaml.Node, to *string) bool {
	if t := frontmatter.Type(n); t != frontmatter.String {
		r.fault(n, "put text in quotes when it looks like something else", "Expected a string, found %s.", t)
		return false
	}
	*to = n.Value
	return true
}

// count reads a whole number from 1 on.
func (r *routingReader) count(n *yaml.Node, to *int) {
	number, err := strconv.Atoi(n.Value)
	if err != nil || n.Kind != yaml.ScalarNode || frontmatter.Type(n) != frontmatter.Number || number < 1 {
		r.fault(n, "write a whole number from 1 on", "Expected a whole number, found %q.", n.Value)
		return
	}
	*to = number
}
