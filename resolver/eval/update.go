package eval

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

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
