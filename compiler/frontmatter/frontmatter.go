// Package frontmatter reads the YAML block at the head of a Markdown file,
// strictly and with positions (agent-knowledge section 3.1).
//
// A block stands between a first line "---" and a closing line "---". It is a
// mapping or empty, holds no anchors or aliases, no duplicate keys and no
// second document, and plain values are read by the YAML 1.2 core schema:
// "yes", "on" and "2026-05-20" are strings, "1.10" is a number.
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
)

// ID is the rule id of every diagnostic of this package.
const ID = "metadata-invalid"

const (
	// MaxBytes is the largest block that is read, marker lines included.
	MaxBytes = 64 << 10
	// MaxDepth is how deep lists and mappings may nest.
	MaxDepth = 32
)

// Block is the front matter of one file.
type Block struct {
	Node *yaml.Node // the mapping; nil when the block is empty or broken. Line and Column are file positions, 1-based, columns in bytes
	// Suspect is the mapping of a block that has faults and can be read all the
	// same, such as one with a key given twice. It is for finding more faults.
	Suspect *yaml.Node
	Start   int // byte offset of the opening marker in the text given to Read (0)
	End     int // byte offset just after the closing line's line end: where the body starts; 0 when there is no block
}

// Options say how strict to be.
type Options struct {
	Path     string // for diagnostics
	Required bool   // KNOWLEDGE.md: a missing or unclosed block is an error; elsewhere it is body text
}

// Read finds and reads the front matter of a text that came from [Decode]. The
// diagnostics are errors with the id [ID]; a block with an error has a nil Node
// and still its End, so that the body can be used.
func Read(text []byte, o Options) (Block, []diag.Diagnostic) {
	fault := func(line, column int, message, hint string) []diag.Diagnostic {
		return []diag.Diagnostic{{
			ID: ID, Severity: diag.Error, Path: o.Path,
			Line: line, Column: column, Message: message, Hint: hint,
		}}
	}
	if !isMarker(firstLine(text)) {
		if o.Required {
			return Block{}, fault(1, 1, "Front matter is missing.", `start the file with a line "---", then "key: value" lines, then another line "---"`)
		}
		return Block{}, nil
	}
	last, end := findClose(text)
	if last < 0 {
		if o.Required {
			return Block{}, fault(1, 1, "Front matter is not closed.", `add a line "---" after the last key`)
		}
		return Block{}, nil
	}
	block := Block{End: end}
	if end > MaxBytes {
		return block, fault(1, 1,
			fmt.Sprintf("Front matter is larger than %d KiB.", MaxBytes>>10),
			"move long text into the body of the file")
	}
	node, problem := parse(text[:last])
	if problem != nil {
		return block, fault(problem.line, problem.column, problem.message, problem.hint)
	}
	if node == nil {
		return block, nil
	}
	byteColumns(node, text[:last])
	if faults := check(node, o.Path); len(faults) > 0 {
		block.Suspect = node
		return block, faults
	}
	block.Node = node
	return block, nil
}

func firstLine(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// isMarker reports whether a line (without its end) is "---", blanks after it
// allowed.
func isMarker(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && len(bytes.TrimRight(rest, " \t")) == 0
}

// findClose returns the offsets of the closing line and of the text after it,
// or -1 when the block is not closed.
func findClose(text []byte) (start, end int) {
	next := func(from int) int {
		if i := bytes.IndexByte(text[from:], '\n'); i >= 0 {
			return from + i + 1
		}
		return len(text)
	}
	for start = next(0); start < len(text); start = end {
		end = next(start)
		if text[start] == '-' && isMarker(bytes.TrimSuffix(text[start:end], []byte("\n"))) {
			return start, end
		}
	}
	return -1, -1
}

// problem is why a block cannot be read at all.
type problem struct {
	line, column  int
	message, hint string
}

// parse reads a block up to its closing line. The opening marker is a YAML
// document start, so lines count from the top of the file.
func parse(block []byte) (node *yaml.Node, bad *problem) {
	// The YAML library reports its faults by panics that it recovers itself;
	// this is for those it does not, so that a hostile block stays a finding.
	defer func() {
		if recover() != nil {
			node, bad = nil, &problem{line: 1, column: 1, message: "Front matter cannot be read as YAML."}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(block))
	var doc, second yaml.Node
	err := decoder.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err != nil {
		return nil, syntaxProblem(err, block)
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, &problem{second.Line, second.Column, "Front matter holds more than one YAML document.", `remove the line "..." or "---" inside the block`}
	} else if !errors.Is(err, io.EOF) {
		return nil, syntaxProblem(err, block)
	}
	if len(doc.Content) == 0 {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind == yaml.ScalarNode && Type(root) == Null && root.Anchor == "" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &problem{root.Line, root.Column, "Front matter is not a map: found " + kindName(root) + ".", `write "key: value" lines`}
	}
	return root, nil
}

// syntaxProblem turns an error of the YAML library, "yaml: line 3: text", into
// a place and a sentence.
func syntaxProblem(err error, block []byte) *problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	bad := &problem{line: 1}
	if rest, ok := strings.CutPrefix(text, "line "); ok {
		if number, message, ok := strings.Cut(rest, ": "); ok {
			if line, err := strconv.Atoi(number); err == nil {
				bad.line, text = line, message
			}
		}
	}
	if countsFromZero(text) {
		bad.line++
	}
	if rest, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		name, _, _ := strings.Cut(rest, "'")
		before, _, _ := bytes.Cut(block, []byte("*"+name))
		bad.line = bytes.Count(before, []byte("\n")) + 1
		bad.message = fmt.Sprintf("YAML alias *%s is not allowed in front matter.", name)
		bad.hint = "write the value out, or quote it"
		return bad
	}
	bad.message = "Front matter is not valid YAML: " + text + "."
	switch {
	case strings.Contains(text, "mapping values are not allowed"):
		bad.hint = `quote a value that holds ": "`
	case strings.Contains(text, "cannot start any token"):
		bad.hint = "indent with spaces, and quote a value that starts with a special character"
	}
	return bad
}

// countsFromZero reports whether the YAML library gives its line for that
// message counted from 0: it does so for what its parser finds, not for what
// its scanner finds.
func countsFromZero(message string) bool {
	what, ok := strings.CutPrefix(message, "did not find expected ")
	if !ok {
		return false
	}
	switch what {
	case "',' or ']'", "',' or '}'", "node content", "key", "'-' indicator", "<document start>":
		return true
	}
	return false
}

func deepProblem(line, column int) *problem {
	return &problem{line, column, fmt.Sprintf("Front matter nests deeper than %d levels.", MaxDepth), ""}
}
