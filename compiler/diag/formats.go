package diag

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/amount"
	"github.com/packgen/packgen/compiler/invisible"
	"github.com/packgen/packgen/compiler/secret"
)

// Finding is a diagnostic as the JSON envelope holds it (agent-knowledge section
// 17.2), with what section 17.2 has no field for. The tags are those of package schema.
type Finding struct {
	Severity Severity `json:"severity" check:"required" enum:"error|warning|info"`
	Path     string   `json:"path" check:"required"`    // relative to the pack root, or to the repository when Pack is empty
	Message  string   `json:"message" check:"required"` // begins with the rule id in brackets
	ID       string   `json:"id,omitempty"`
	Pack     string   `json:"pack,omitempty"`
	Line     int      `json:"line,omitempty" min:"0"`   // 1-based
	Column   int      `json:"column,omitempty" min:"0"` // 1-based, in bytes
	Hint     string   `json:"hint,omitempty"`
}

// shown returns a diagnostic as it may be shown: likely secrets in its texts and in
// the names of files are cut to their first characters (agent-knowledge section
// 18.4). Rules redact what they quote; this covers what one of them forgets.
func shown(d Diagnostic) Diagnostic {
	d.Pack, d.Path = secret.RedactPath(d.Pack), secret.RedactPath(d.Path)
	d.Message, d.Hint = secret.Redact(d.Message), secret.Redact(d.Hint)
	return d
}

// withAdvice returns the message of a diagnostic as it may be shown, and what to do in
// a line of its own.
func withAdvice(d Diagnostic) string {
	d = shown(d)
	text := Printable(d.Message)
	if d.Hint != "" {
		text += "\n" + Printable(Advice(d.Hint))
	}
	return text
}

// Findings turns diagnostics into the envelope's form, in their order; never nil.
func Findings(list []Diagnostic) []Finding {
	out := make([]Finding, 0, len(list))
	for _, d := range list {
		d = shown(d)
		out = append(out, Finding{
			Severity: d.Severity, Path: d.Path, Message: d.Labelled(),
			ID: d.ID, Pack: d.Pack, Line: d.Line, Column: d.Column, Hint: d.Hint,
		})
	}
	return out
}

// FormatOptions say what the formats for other programs need to know. The zero value
// is ready to use.
type FormatOptions struct {
	// Path gives the path of a diagnostic from the repository root, with slashes;
	// nil leaves paths as they are.
	Path func(Diagnostic) string
	// Lines gives the line of a diagnostic, from which SARIF makes fingerprints
	// that survive edits elsewhere in the file; nil makes them of the message.
	Lines Lines
	// Rules explains rule ids, for SARIF and links in a summary; nil explains none.
	Rules func(id string) (RuleText, bool)
	// Limit is how many findings the formats with a limit show, worst first and each
	// rule with its share; 0 means the limit of that format.
	Limit int
	// Fails says which findings fail a test, for JUnit; nil means errors.
	Fails func(Diagnostic) bool
	// All is the command that prints every finding, named where some are left out;
	// "" names none.
	All string
}

// RuleText is what a report says about a rule.
type RuleText struct {
	Title    string   // a few words
	Means    string   // what a finding says
	Help     string   // why it matters and how to fix it
	Severity Severity // of an ordinary finding
}

// path returns the path to show of a diagnostic.
func (o FormatOptions) path(d Diagnostic) string {
	if o.Path != nil {
		return secret.RedactPath(o.Path(d))
	}
	return secret.RedactPath(d.Path)
}

// normalLine is a line as fingerprints see it: blanks collapsed and trimmed.
func normalLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// The parts of a GitLab code quality report.
type (
	qualityIssue struct {
		Description string          `json:"description"`
		Check       string          `json:"check_name"`
		Fingerprint string          `json:"fingerprint"`
		Severity    string          `json:"severity"`
		Location    qualityLocation `json:"location"`
	}
	qualityLocation struct {
		Path  string       `json:"path"`
		Lines qualityLines `json:"lines"`
	}
	qualityLines struct {
		Begin int `json:"begin"`
	}
)

// CodeQuality writes diagnostics as a GitLab code quality report, which a merge
// request shows beside the lines they are about: every one, in their order, with the
// fingerprints of SARIF. GitLab wants a path and a line of each: a finding about a
// whole file is at its first line, one about no file in ".".
func CodeQuality(w io.Writer, list []Diagnostic, o FormatOptions) error {
	prints := fingerprints(list, o)
	issues := make([]qualityIssue, 0, len(list))
	for i, d := range list {
		path := o.path(d)
		if path == "" {
			path = "."
		}
		issues = append(issues, qualityIssue{
			Description: withAdvice(d), Check: d.ID, Fingerprint: prints[i],
			Severity: map[Severity]string{Error: "critical", Warning: "minor", Info: "info"}[d.Severity],
			Location: qualityLocation{Path: path, Lines: qualityLines{Begin: max(d.Line, 1)}},
		})
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(issues); err != nil {
		return fmt.Errorf("write the code quality report: %w", err)
	}
	if _, err := w.Write(EscapeJSON(text.Bytes())); err != nil {
		return fmt.Errorf("write the code quality report: %w", err)
	}
	return nil
}

// maxAnnotations is how many annotations GitHub writes by default. A page shows
// ten of each severity for a step; the log holds all that are written.
const maxAnnotations = 50

// GitHub writes diagnostics as workflow commands, which a GitHub Actions job
// shows beside the lines they are about: worst first, since only the first few
// are shown, each rule with its share, and a last notice that says how many of which
// were left out.
//
// No text of a file can end a command or begin another one: line ends, percent
// signs and the separators of properties are escaped.
func GitHub(w io.Writer, list []Diagnostic, o FormatOptions) error {
	out := bufio.NewWriter(w)
	limit := o.Limit
	if limit <= 0 {
		limit = maxAnnotations
	}
	shares, kinds := Share(list, limit)
	for _, d := range shares {
		out.WriteString(annotation(d, o))
	}
	if more := len(list) - len(shares); more > 0 {
		text := amount.Counted(more, "more finding") + ": " + Left(kinds) + "."
		if o.All != "" {
			text += " " + o.All + " prints all."
		}
		fmt.Fprintf(out, "::notice title=packgen::%s\n", escapeData(Printable(text)))
	}
	return out.Flush()
}

// annotation formats one workflow command.
func annotation(d Diagnostic, o FormatOptions) string {
	command := map[Severity]string{Error: "error", Warning: "warning", Info: "notice"}[d.Severity]
	var props []string
	if path := o.path(d); path != "" {
		props = append(props, "file="+escapeProperty(path))
		if d.Line > 0 {
			props = append(props, fmt.Sprintf("line=%d", d.Line))
			if d.Column > 0 {
				props = append(props, fmt.Sprintf("col=%d", d.Column))
			}
		}
	}
	props = append(props, "title="+escapeProperty(d.ID))
	return "::" + command + " " + strings.Join(props, ",") + "::" + escapeData(withAdvice(d)) + "\n"
}

// escapeData escapes the message of a workflow command.
func escapeData(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(s)
}

// escapeProperty escapes a property of a workflow command.
func escapeProperty(s string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C").Replace(s)
}

// The parts of a JUnit report that CI systems agree on.
type (
	junitReport struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr,omitempty"`
		Line    string        `xml:"line,attr,omitempty"`
		Failure *junitFailure `xml:"failure"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes diagnostics as a JUnit report: a test case each, in their order, which
// fails where FormatOptions.Fails says so, and one that passes when there are none.
func JUnit(w io.Writer, list []Diagnostic, o FormatOptions) error {
	fails := o.Fails
	if fails == nil {
		fails = func(d Diagnostic) bool { return d.Severity == Error }
	}
	suite, seen := junitSuite{Name: "packgen check"}, map[string]int{}
	for _, d := range list {
		path, line := o.path(d), ""
		if d.Line > 0 && path != "" {
			line = strconv.Itoa(d.Line)
		}
		class, name := path, d.ID
		if class == "" {
			class = "packgen"
		}
		if line != "" {
			name += " in line " + line
		}
		seen[class+"\x00"+name]++
		if n := seen[class+"\x00"+name]; n > 1 { // readers keep one case of a name
			name += fmt.Sprintf(" (%d)", n)
		}
		text := withAdvice(d)
		c := junitCase{Class: class, Name: name, File: path, Line: line}
		if fails(d) {
			suite.Failures++
			c.Failure = &junitFailure{Type: d.Severity.String(), Message: Printable(shown(d).Message), Text: text}
		} else {
			c.Out = d.Severity.String() + ": " + text
		}
		suite.Cases = append(suite.Cases, c)
	}
	if len(list) == 0 {
		suite.Cases = []junitCase{{Class: "packgen", Name: "no findings"}}
	}
	suite.Tests = len(suite.Cases)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	report := junitReport{Name: "packgen", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}
	if err := enc.Encode(report); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return fmt.Errorf("write the JUnit report: %w", err)
	}
	return nil
}

// EscapeJSON returns JSON with every character in it that [Printable] escapes written as
// \uXXXX, so that what is printed cannot control a terminal or hide text from whoever reads the
// bytes. The values stay the same.
func EscapeJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(c rune) bool { return c >= 0x7F }) {
		return text
	}
	runs := invisible.Find(text)
	var out bytes.Buffer
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRune(text[i:])
		for len(runs) > 0 && runs[0].End <= i {
			runs = runs[1:]
		}
		switch unseen := c >= 0x7F && hidden(c) || len(runs) > 0 && runs[0].Start <= i; {
		case unseen && c > 0xFFFF:
			c -= 0x10000
			writeJSONEscape(&out, 0xD800+c>>10)
			writeJSONEscape(&out, 0xDC00+c&0x3FF)
		case unseen:
			writeJSONEscape(&out, c)
		default:
			out.Write(text[i : i+size])
		}
		i += size
	}
	return out.Bytes()
}

func writeJSONEscape(b *bytes.Buffer, c rune) {
	const hex = "0123456789abcdef"
	b.WriteString("\\u")
	for shift := 12; shift >= 0; shift -= 4 {
		b.WriteByte(hex[c>>shift&0xf])
	}
}
