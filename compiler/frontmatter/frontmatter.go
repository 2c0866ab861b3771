package frontmatter

import (
	"bytes"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/strictyaml"
)

// ID is the rule id of every diagnostic of this package.
const ID = "metadata-invalid"

// The largest blocks that are read, in bytes, marker lines included: of a file whose
// front matter is a contract, and of any other.
const (
	MaxBytes     = 64 << 10
	MaxPageBytes = 1 << 20
)

// Block is the front matter of one file.
type Block struct {
	Node *yaml.Node // the mapping; nil when the block is empty or broken. Line and Column are file positions, 1-based, columns in bytes
	// Suspect is the mapping of a block that has faults and can be read all the
	// same, such as one with a key given twice. It is for finding more faults.
	Suspect *yaml.Node
	Start   int  // byte offset of the opening marker in the text given to Read (0)
	End     int  // byte offset just after the closing line's line end: where the body starts; 0 when there is no block
	Open    bool // of a page: the block is never closed; End is that of the text, none of which is body
}

// Options say how strict to be.
type Options struct {
	Path     string // for diagnostics
	Required bool   // KNOWLEDGE.md: a missing or unclosed block is an error, whatever its lines are
}

// Read finds and reads the front matter of a text that came from [Decode]. The
// diagnostics are errors with the id [ID]; a block with an error has a nil Node
// and still its End, so that the body can be used. Text of a page
// between two rules "---" is not a block; an unclosed block begins with a key.
func Read(text []byte, o Options) (Block, []diag.Diagnostic) {
	fault := func(line, column int, message, hint string) []diag.Diagnostic {
		return []diag.Diagnostic{{
			ID: ID, Severity: diag.Error, Path: o.Path,
			Line: line, Column: column, Message: message, Hint: hint,
		}}
	}
	if !isMarker(firstLine(text)) {
		if o.Required {
			return Block{}, fault(1, 1, "front matter is missing", `start the file with a line "---", then "key: value" lines, then another line "---"`)
		}
		return Block{}, nil
	}
	last, end := findClose(text)
	if last < 0 {
		if o.Required {
			return Block{}, fault(1, 1, "front matter is not closed", `add a line "---" after the last key`)
		}
		return UnclosedBlock(text, o.Path)
	}
	if !o.Required && linesOf(text[:last]).isText() {
		return Block{}, nil
	}
	block := Block{End: end}
	limit := MaxPageBytes
	if o.Required {
		limit = MaxBytes
	}
	if end > limit {
		return block, fault(1, 1,
			fmt.Sprintf("front matter is larger than %d KiB", limit>>10),
			"move long text into the body of the file")
	}
	// The opening marker is a YAML document start, so lines count from the top of
	// the file.
	r := strictyaml.Reader{Options: strictyaml.Options{ID: ID, Path: o.Path}}
	doc := r.Document(text[:last])
	switch {
	case doc == nil:
	case len(r.Faults) > 0:
		block.Suspect = doc.Content[0]
	default:
		block.Node = doc.Content[0]
	}
	HideComments(block.Node)
	HideComments(block.Suspect)
	return block, r.Faults
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
