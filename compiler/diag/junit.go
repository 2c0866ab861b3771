package diag

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

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
