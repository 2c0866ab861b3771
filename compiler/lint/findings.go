package lint

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/injection"
	"github.com/packgen/packgen/compiler/secret"
)

// The ids of the findings of the scans (agent-knowledge section 6.10).
const (
	idInjection = "injection-suspect"
	idSecret    = "secret-suspect"
	idRawCopy   = "raw-copy"
)

// maxFindings is how many places of one file a scan reports; the last finding
// says how many more there are.
const maxFindings = 50

// injectionFindings makes diagnostics of the instruction-like text in a file: a
// warning for each, and for weak ones a single remark of severity info for each
// family, at its first place.
func injectionFindings(path string, text []byte, hits []injection.Hit) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var list []diag.Diagnostic
	weak := map[string]int{}
	hidden := 0 // the line of the finding about invisible characters before
	for i, h := range hits {
		if h.Weak {
			if weak[h.Kind]++; weak[h.Kind] > 1 {
				continue
			}
		}
		d := diag.Diagnostic{
			ID: idInjection, Severity: diag.Warning, Path: path,
			Message: fmt.Sprintf("the text reads like an instruction (%s): %q", h.Kind, h.Shown),
			Hint:    "remove it; where the page is about such text, put it in a code span or quotation marks",
		}
		switch {
		case h.Kind == injection.KindHidden:
			d.Message = fmt.Sprintf("the text holds invisible characters (%s)", h.Shown)
			d.Hint = "remove them"
		case h.Kind == injection.KindComment:
			d.Hint = "remove the comment"
		}
		if h.Weak {
			d.Severity, d.Hint = diag.Info, ""
		}
		d.Line, d.Column = p.place(h.Start)
		if h.Kind == injection.KindHidden {
			if d.Line == hidden {
				continue
			}
			hidden = d.Line
			if n := hiddenOn(text, h.Start, hits[i:]); n > 1 {
				d.Message = fmt.Sprintf("the text holds invisible characters in %d places of this line (%s first)", n, h.Shown)
			}
		}
		list = append(list, d)
	}
	return bounded(list)
}

// hiddenOn counts the invisible characters in the line of an offset, from the hit there on.
func hiddenOn(text []byte, start int, hits []injection.Hit) (n int) {
	end := len(text)
	if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	for _, h := range hits {
		if h.Start >= end {
			break
		}
		if h.Kind == injection.KindHidden {
			n++
		}
	}
	return n
}

// SecretFindings makes an error of every known secret in a file, and a warning of
// every guess. They name the kind and show at most four characters. Errors come
// first, so that no number of guesses hides one.
func SecretFindings(path string, text []byte, hits []secret.Hit) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var known, guessed []diag.Diagnostic
	for _, h := range hits {
		d := diag.Diagnostic{ID: idSecret, Path: path}
		d.Line, d.Column = p.place(h.Start)
		if h.Known {
			d.Severity = diag.Error
			d.Message = fmt.Sprintf("the text holds a likely %s, beginning with %q", h.Kind, h.Shown)
			d.Hint = "revoke it, then remove it from the file and its history; in examples write a placeholder"
			if h.Named() {
				d.Hint = "change it, then remove it from the file and its history; in examples write a placeholder"
				if !commentless(path) {
					d.Hint += "; if it is not a secret, " + acceptance(path)
				}
			}
			known = append(known, d)
			continue
		}
		d.Severity = diag.Warning
		d.Message = fmt.Sprintf("the text holds a possible %s, beginning with %q", h.Kind, h.Shown)
		d.Hint = "revoke and remove it; if it is not a secret, " + acceptance(path)
		guessed = append(guessed, d)
	}
	return append(bounded(known), bounded(guessed)...)
}

// acceptance says how a file lets a line through that a scan is wrong about.
func acceptance(name string) string {
	directive := directiveLine + " " + idSecret + ": why it is not one"
	switch {
	case strings.ToLower(path.Ext(name)) == ".md":
		return "write <!-- " + directive + " --> on the line above"
	case commentless(name):
		return "name the file under rules: in packgen.yaml"
	}
	return "write " + directive + " in a comment on the line above"
}

// commentless reports a file that can hold no comment.
func commentless(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".json" || ext == ".csv" || ext == ".tsv"
}

// CopyFindings makes a warning of every passage that Find found in a file.
func CopyFindings(path string, text []byte, copies []Copy) []diag.Diagnostic {
	p := placer{text: text, line: 1}
	var list []diag.Diagnostic
	for _, c := range copies {
		line, column := p.place(c.Start)
		list = append(list, diag.Diagnostic{
			ID: idRawCopy, Severity: diag.Warning, Path: path, Line: line, Column: column,
			Message: fmt.Sprintf("%d words in a row are copied from %s", c.Words, c.Source),
			Hint:    "say it in your own words with an anchor to the source, or quote less",
		})
	}
	return bounded(list)
}

// bounded cuts a list of findings of one file to maxFindings.
func bounded(list []diag.Diagnostic) []diag.Diagnostic {
	if len(list) <= maxFindings {
		return list
	}
	more := len(list) - maxFindings
	list = slices.Clip(list[:maxFindings])
	last := &list[maxFindings-1]
	last.Message += fmt.Sprintf(" So are %d more places of this file", more)
	return list
}

// placer turns offsets into places. It is quick where offsets ascend.
type placer struct {
	text  []byte
	at    int // offset whose line is known
	line  int // 1-based line of at
	start int // offset where that line starts
}

// place returns the 1-based line and column, in bytes, of an offset.
func (p *placer) place(offset int) (line, column int) {
	if offset < p.at {
		p.at, p.line, p.start = 0, 1, 0
	}
	passed := p.text[p.at:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		p.line += n
		p.start = p.at + bytes.LastIndexByte(passed, '\n') + 1
	}
	p.at = offset
	return p.line, offset - p.start + 1
}
