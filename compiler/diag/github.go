package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
)

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
