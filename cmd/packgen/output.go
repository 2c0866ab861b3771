package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/packgen/packgen/compiler/color"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/compiler/schema"
	"github.com/packgen/packgen/compiler/secret"
	"github.com/packgen/packgen/resolver/loadout"
	indexjson "github.com/packgen/packgen/resolver/loadout/json"
	"github.com/packgen/packgen/resolver/repo"
)

// envelope is the head of what --json prints (agent-knowledge section 17.2). A command
// embeds it and adds its own keys.
type envelope struct {
	OK       bool          `json:"ok"`     // no finding is an error
	Status   schema.Status `json:"status"` // passed, needs-review, stale, disputed or failed
	Command  string        `json:"command"`
	Pack     string        `json:"pack,omitempty"` // when the command is about one pack
	Findings []finding     `json:"findings"`
}

// finding is a diagnostic in the envelope.
type finding = diag.Finding

func findingsOf(list []diag.Diagnostic) []finding { return diag.Findings(list) }

// failure returns the envelope of a command that could not do its work.
func failure(command string, err error) envelope {
	f := finding{Severity: diag.Error, Message: secret.Redact(err.Error()), Hint: diag.HintOf(err)}
	var faults *repo.Faults
	if errors.As(err, &faults) {
		return envelope{Status: schema.Failed, Command: command, Findings: findingsOf(faults.List)}
	}
	return envelope{Status: schema.Failed, Command: command, Findings: []finding{f}}
}

// printJSON writes v to standard output as indented JSON.
func (a *app) printJSON(v any) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		a.reported = true
		fmt.Fprintf(a.stderr, "packgen: print the result: %v\n", err)
		return
	}
	a.printed(a.writeJSON(text.Bytes()))
}

// writeJSON writes JSON to standard output, with invisible and control characters as
// escapes: it may quote text from anywhere, and a terminal or an agent may read it.
func (a *app) writeJSON(text []byte) error {
	a.reported = true
	_, err := a.stdout.Write(diag.EscapeJSON(text))
	return err
}

// printed reports a failure to write the output.
func (a *app) printed(err error) {
	if err != nil {
		fmt.Fprintf(a.stderr, "packgen: print the result: %v\n", err)
	}
}

// part is one key of an envelope with its value: JSON text, or a value to encode.
type part struct {
	key   string
	value any
}

// printParts prints an envelope: the keys of the struct head, then the parts. JSON text,
// which may be megabytes, is neither checked nor copied again.
func (a *app) printParts(head any, parts ...part) {
	out, err := schema.Compact(head)
	out = bytes.TrimSuffix(out, []byte("}"))
	for _, p := range parts {
		text, done := p.value.([]byte)
		if !done && err == nil {
			text, err = schema.Compact(p.value)
		}
		out = append(fmt.Appendf(out, ",%q:", p.key), text...)
	}
	if err != nil {
		a.reported = true
		a.printed(err)
		return
	}
	out = append(out, '}')
	out = append(indexjson.Indent(make([]byte, 0, 2*len(out)), loadout.Value(out)), '\n')
	a.printed(a.writeJSON(out))
}

// printError writes an error and its hint as text.
func (a *app) printError(err error) {
	p := a.painterFor(a.stderr)
	var faults *repo.Faults
	if errors.As(err, &faults) {
		a.printFindings(faults.List, nil)
		return
	}
	fmt.Fprintf(a.stderr, "packgen: %s %s\n", p.Red("error:"), diag.Printable(secret.Redact(err.Error())))
	if hint := diag.HintOf(err); hint != "" {
		fmt.Fprintf(a.stderr, "    %s\n", diag.Printable(diag.Advice(hint)))
	}
}

// painterFor returns a painter for what is written to w.
func (a *app) painterFor(w io.Writer) color.Painter {
	return color.Painter(color.Wanted(a.color, isTerminal(w), os.Getenv))
}

// isTerminal reports whether somebody reads what is written to w: it is a character device,
// and not the one that drops everything.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
