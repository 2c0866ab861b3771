package frontmatter

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// IsDraft reports that the front matter at the start of a file says, in the words of any
// system, that its author has not published the page. It is the one
// judge of that. No more than the block is read, and no more than [MaxPageBytes] of
// it; a file that cannot be read is not a draft. Lines are compared, so that a block with
// a fault elsewhere, or without its closing line, holds its page back too.
func IsDraft(r io.Reader) bool {
	lines := blockLines{bufio.NewReaderSize(io.LimitReader(r, MaxPageBytes), 1<<10)}
	first, ok := lines.next()
	first = bytes.TrimPrefix(first, bom)
	d := draftReader{between: ":"}
	switch {
	case isMarker(first):
	case isTOMLMarker(first):
		d.between = "="
	default:
		return false
	}
	for ok {
		var line []byte
		line, ok = lines.next()
		if d.between == ":" && isMarker(line) || d.between == "=" && isTOMLMarker(line) {
			return d.draft && !d.isText() || d.flowDraft()
		}
		d.read(line)
	}
	return d.draft && d.opened == hasKey // never closed: front matter with a fault, where it begins as such
}

// isTOMLMarker reports a line of Hugo and Zola around front matter.
func isTOMLMarker(line []byte) bool { return string(bytes.TrimRight(line, " \t")) == "+++" }

// blockLines reads lines that end as [Decode] knows it.
type blockLines struct{ *bufio.Reader }

// maxDraftLine is how much of a line is looked at, in bytes.
const maxDraftLine = 4 << 10

// next reads a line without its end; of a long one only the beginning. It is false for
// the last one.
func (r blockLines) next() (line []byte, ok bool) {
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil:
			return line, false
		case c == '\r':
			if after, err := r.Peek(1); err == nil && after[0] == '\n' {
				r.Discard(1)
			}
			return line, true
		case c == '\n':
			return line, true
		case len(line) < maxDraftLine:
			line = append(line, c)
		}
	}
}

// draftReader reads the lines of a block.
type draftReader struct {
	block
	between string // what is between key and value
	draft   bool
	inTable bool   // of TOML: the keys are not of the page
	indent  int    // of the keys of the page
	list    string // the key whose items follow
	flow    []byte // the block, when it is written as {…}
}

// maxFlow is the longest block written as {…} that is read, in bytes.
const maxFlow = 64 << 10

func (d *draftReader) read(line []byte) {
	d.block.read(line)
	text := bytes.TrimSpace(line)
	if len(text) == 0 || text[0] == '#' {
		return
	}
	if text[0] == '{' && d.indent == 0 || d.flow != nil {
		if len(d.flow)+len(line) < maxFlow {
			d.flow = append(append(d.flow, line...), '\n')
		}
		return
	}
	if d.between == "=" {
		d.inTable = d.inTable || text[0] == '['
	}
	if item, ok := bytes.CutPrefix(text, []byte("- ")); ok && d.list != "" {
		d.draft = d.draft || saysDraft(d.list, string(item))
		return
	}
	indent := 1 + len(line) - len(bytes.TrimLeft(line, " \t"))
	if d.indent == 0 {
		d.indent = indent
	}
	if d.inTable || indent != d.indent {
		return
	}
	key, value, ok := strings.Cut(string(text), d.between)
	if !ok {
		return
	}
	d.list = ""
	if strings.TrimSpace(value) == "" {
		d.list = key
	}
	d.draft = d.draft || saysDraft(key, value)
}

// flowDraft judges a block that is written as {…}.
func (d *draftReader) flowDraft() bool {
	var n yaml.Node
	if d.flow == nil || yaml.Unmarshal(d.flow, &n) != nil || len(n.Content) == 0 || n.Content[0].Kind != yaml.MappingNode {
		return false
	}
	pairs := n.Content[0].Content
	for i := 0; i+1 < len(pairs); i += 2 {
		if saysDraft(pairs[i].Value, pairs[i+1].Value) {
			return true
		}
	}
	return false
}

// saysDraft reports that a key of front matter with a value, both as they are written,
// says that the page is not published: draft: true, published: no, publish: off,
// status: WIP, in any case and in quotes too.
func saysDraft(key, value string) bool {
	if i := strings.Index(value, " #"); i >= 0 {
		value = value[:i]
	}
	value = strings.ToLower(strings.Trim(value, " \t\"'[],"))
	switch strings.ToLower(strings.Trim(key, " \t\"'")) {
	case "draft", "isdraft", "is_draft":
		return slices.Contains([]string{"true", "yes", "on", "1", "y"}, value) || DraftWord(value)
	case "published", "publish":
		return slices.Contains([]string{"false", "no", "off", "0", "n"}, value) || DraftWord(value)
	case "status", "state":
		return DraftWord(value)
	}
	return false
}

// DraftWord reports a status, in any case, that means that a page is not finished enough
// to be published: draft and what begins with that word, wip, work in progress,
// unpublished.
func DraftWord(status string) bool {
	words := strings.FieldsFunc(strings.ToLower(status), func(r rune) bool { return strings.ContainsRune(" \t-_/:,;()[]\"'", r) })
	if len(words) == 0 {
		return false
	}
	switch all := strings.Join(words, " "); {
	case strings.HasPrefix(words[0], "draft"), words[0] == "wip", words[len(words)-1] == "draft":
		return true
	case words[0] == "not":
		return all == "not published"
	default:
		return words[0] == "unpublished" || strings.HasPrefix(all, "work in progress")
	}
}
