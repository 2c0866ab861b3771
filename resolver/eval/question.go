package eval

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/frontmatter"
	resolver "github.com/packgen/packgen/resolver/context"
	"github.com/packgen/packgen/resolver/repo"
)

// keyQuestions is the front matter key of the questions that a page answers.
const keyQuestions = "questions"

// errByHand marks front matter that is not rewritten.
var errByHand = errors.New("its front matter has a form that is not rewritten; add the question by hand")

// addQuestionTo adds a question to the front matter of a document or page: to its list
// for one section, or to the list for the whole file where it has one. All other bytes
// stay as they are. A question that already exists changes nothing.
func addQuestionTo(text []byte, section, question string) ([]byte, error) {
	line := oneLine(question)
	if line == "" {
		return nil, errors.New("the question is empty")
	}
	quoted := quote(line)
	decoded, ok := frontmatter.Decode(text)
	if !ok || !bytes.Equal(decoded, text) {
		return nil, errByHand
	}
	block, _ := frontmatter.Read(text, frontmatter.Options{})
	var out []byte
	switch top := frontmatter.NewMap("", block.Node, nil); {
	case block.Node == nil && bytes.HasPrefix(text, []byte("---\n")):
		return nil, errByHand
	case block.Node == nil:
		out = slices.Concat(fmt.Appendf(nil, "---\n%s:\n  %s:\n    - %s\n---\n", keyQuestions, quoteKey(section), quoted), text)
	case top.Value(keyQuestions) == nil:
		out = insertLines(text, closing(text), fmt.Sprintf("%s:\n  %s:\n    - %s\n", keyQuestions, quoteKey(section), quoted))
	default:
		var err error
		if out, err = addTo(text, top.Value(keyQuestions), section, line); err != nil || out == nil {
			return text, err
		}
	}
	if !asks(out, section, line) {
		return nil, errByHand
	}
	return out, nil
}

// addTo adds a line to the lists that there are; nil when the question exists.
func addTo(text []byte, questions *yaml.Node, section, line string) ([]byte, error) {
	list, indent := questions, "  "
	if questions.Kind == yaml.MappingNode {
		if questions.Style&yaml.FlowStyle != 0 || len(questions.Content) == 0 {
			return nil, errByHand
		}
		indent = strings.Repeat(" ", questions.Content[0].Column-1)
		list = nil
		for i := 0; i+1 < len(questions.Content); i += 2 {
			if questions.Content[i].Value == section {
				list = questions.Content[i+1]
			}
		}
		if list == nil {
			last := lastLine(questions)
			return insertLines(text, last+1, fmt.Sprintf("%s%s:\n%s  - %s\n", indent, quoteKey(section), indent, quote(line))), nil
		}
	}
	if list.Kind != yaml.SequenceNode || list.Style&yaml.FlowStyle != 0 || len(list.Content) == 0 {
		return nil, errByHand
	}
	for _, item := range list.Content {
		if item.Value == line {
			return nil, nil
		}
	}
	// The column of an item is that of its text, two after its dash.
	indent = strings.Repeat(" ", max(0, list.Column-1))
	return insertLines(text, lastLine(list)+1, fmt.Sprintf("%s- %s\n", indent, quote(line))), nil
}

// lastLine is the last line of a node, from 1.
func lastLine(n *yaml.Node) int {
	last := n.Line
	for _, c := range n.Content {
		last = max(last, lastLine(c))
	}
	return last
}

// closing is the line of the marker that closes the front matter, from 1.
func closing(text []byte) int {
	lines := bytes.Split(text, []byte("\n"))
	for i := 1; i < len(lines); i++ {
		if string(bytes.TrimRight(lines[i], " \t")) == "---" {
			return i + 1
		}
	}
	return len(lines)
}

// insertLines puts lines before a line, counted from 1.
func insertLines(text []byte, before int, lines string) []byte {
	at := 0
	for range before - 1 {
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			at = len(text)
			break
		}
		at += next + 1
	}
	return slices.Concat(text[:at], []byte(lines), text[at:])
}

// asks reports whether a text has the question for the section, or for the whole file,
// and reads as front matter without a fault.
func asks(text []byte, section, line string) bool {
	block, faults := frontmatter.Read(text, frontmatter.Options{})
	if len(faults) > 0 || block.Node == nil {
		return false
	}
	top := frontmatter.NewMap("", block.Node, nil)
	list, _ := top.StringOrStrings(keyQuestions)
	if node := top.Value(keyQuestions); node != nil && node.Kind == yaml.MappingNode {
		list, _ = top.Map(keyQuestions).StringOrStrings(section)
	}
	return slices.Contains(list, line)
}

// quote writes a string of one line in double quotes.
func quote(line string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(line) + `"`
}

// quoteKey writes a section id, in quotes where YAML needs them.
func quoteKey(section string) string {
	if section == "" || strings.Trim(section, "abcdefghijklmnopqrstuvwxyz-") != "" || strings.HasPrefix(section, "-") ||
		slices.Contains([]string{"yes", "no", "on", "off", "true", "false", "null", "y", "n"}, section) {
		return quote(section)
	}
	return section
}

// oneLine puts a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// OfferQuestions offers the query of each section that was lost as a question of its
// page, on ask, and writes those that the author agrees to: a line "y" of in for each.
// What was written is added to Written and reported on out. Validation queries are never
// offered, and none for a section that does not exist.
func (e *Run) OfferQuestions(in io.Reader, ask, out io.Writer) error {
	answers := bufio.NewScanner(in)
	for _, c := range e.Contexts {
		for i := range c.Report.Results {
			r := &c.Report.Results[i]
			for _, m := range r.Misses {
				document, section, ok := strings.Cut(m.Section, "#")
				if !ok || !strings.HasSuffix(document, ".md") || m.Rule == resolver.BySplit {
					continue
				}
				fmt.Fprintf(ask, "%s: add the question %q? [y/N] ", diag.Printable(m.Section), diag.Printable(r.Case.Query))
				agreed := answers.Scan() && strings.EqualFold(strings.TrimSpace(answers.Text()), "y")
				fmt.Fprintln(ask)
				if !agreed {
					continue
				}
				if err := writeQuestion(e, c.member, document, section, r.Case.Query, ask, out); err != nil {
					return err
				}
			}
		}
	}
	if err := answers.Err(); err != nil {
		return fmt.Errorf("read the answers: %w", err)
	}
	return nil
}

// writeQuestion writes one question into the front matter of a file of a pack. A file
// whose front matter cannot be rewritten is left as it is, with a note.
func writeQuestion(e *Run, m *repo.Member, document, section, question string, note, out io.Writer) error {
	name := diag.Printable(m.Dir + "/" + document)
	text, err := m.Pack.ReadFile(document)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	now, err := addQuestionTo(text, section, question)
	if err != nil {
		fmt.Fprintf(note, "note: %s: %v\n", name, err)
		return nil
	}
	if err := e.write(e.ws.Paths.Abs(m.Dir), m.Dir+"/"+document, document, now); err != nil {
		return err
	}
	verb := "wrote"
	if e.DryRun {
		verb = "would write"
	}
	fmt.Fprintf(out, "%s %s\n", verb, name)
	return nil
}
