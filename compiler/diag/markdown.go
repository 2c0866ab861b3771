package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/packgen/packgen/compiler/amount"
)

// A job summary holds at most 1 MiB, and nobody reads a thousand rows.
const (
	maxRows      = 200
	maxCellBytes = 300
)

// Markdown writes diagnostics as a summary for a job or a pull request: a line
// with counts and a table, worst first, in which each rule has its share. No text of a file is read as markup.
func Markdown(w io.Writer, list []Diagnostic, o FormatOptions) error {
	out := bufio.NewWriter(w)
	errors, warnings := Count(list, Error), Count(list, Warning)
	infos := len(list) - errors - warnings
	out.WriteString("### packgen\n\n")
	if len(list) == 0 {
		out.WriteString("No findings.\n")
		return out.Flush()
	}
	fmt.Fprintf(out, "%s, %s, %s.\n\n", amount.Counted(errors, "error"), amount.Counted(warnings, "warning"), amount.Counted(infos, "remark"))
	out.WriteString("| | Rule | Place | Finding |\n| --- | --- | --- | --- |\n")
	limit := o.Limit
	if limit <= 0 {
		limit = maxRows
	}
	shares, kinds := Share(list, limit)
	for _, d := range shares {
		path := o.path(d)
		d = shown(d)
		d.Path = path
		message := Cell(d.Message)
		if d.Hint != "" {
			message += "<br>" + Cell(Advice(d.Hint))
		}
		place := ""
		if d.Path != "" {
			place = Cell(d.Place())
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", d.Severity, Cell(d.ID), place, message)
	}
	if more := len(list) - len(shares); more > 0 {
		fmt.Fprintf(out, "\n%s: %s.", amount.Counted(more, "further finding"), Cell(Left(kinds)))
		if o.All != "" {
			fmt.Fprintf(out, " `%s` prints all.", o.All)
		}
		out.WriteString("\n")
	}
	return out.Flush()
}

// Cell makes text safe for a cell of a Markdown table: on one line, cut to 300 bytes, with
// every character that could begin markup, HTML, a mention or a link as an
// entity or after a backslash.
func Cell(s string) string {
	if len(s) > maxCellBytes {
		s = strings.ToValidUTF8(s[:maxCellBytes], "") + "…"
	}
	s = Printable(s)
	var b strings.Builder
	for _, c := range s {
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '@':
			b.WriteString("&#64;")
		case c == ':':
			b.WriteString("&#58;")
		case strings.ContainsRune("\\`*_{}[]()#+!|~$", c):
			b.WriteByte('\\')
			b.WriteRune(c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
