package lint

import (
	"bytes"
	"strings"

	"github.com/packgen/packgen/compiler/prose"
)

// codeDirectives reads the suppressions in code: lines that are nothing but a
// comment of any common language, such as
//
//	# packgen-disable-next-line RULE: reason
//	// packgen-disable-next-line RULE: reason
//
// Each covers itself and what follows up to the next line that is not blank, within
// its span. One that cannot be used is skipped.
func codeDirectives(text []byte, spans prose.Spans) []Suppression {
	var list []Suppression
	at, line := 0, 1
	for _, span := range spans {
		for from := span.Start; len(list) < maxSuppressions; {
			i := bytes.Index(text[from:span.End], []byte(directiveLine))
			if i < 0 {
				break
			}
			start := bytes.LastIndexByte(text[:from+i], '\n') + 1
			end := lineEnd(text[:span.End], from+i)
			line += bytes.Count(text[at:start], []byte("\n"))
			at, from = start, end
			directive, ok := cutComment(text[max(start, span.Start):end])
			if !ok {
				continue
			}
			last := line
			for next := end; next < span.End; {
				stop := lineEnd(text[:span.End], next)
				last++
				if len(bytes.TrimSpace(text[next:stop])) > 0 {
					break
				}
				next = stop
			}
			list = append(list, codeSuppressions(directive, line, last)...)
		}
	}
	return list
}

// codeSuppressions are those of one directive in code.
func codeSuppressions(directive string, line, last int) []Suppression {
	ids, reason, _ := strings.Cut(directive, ":")
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return nil
	}
	var list []Suppression
	for id := range strings.SplitSeq(ids, ",") {
		if id = strings.TrimSpace(id); unusableID(id) {
			continue
		}
		list = append(list, Suppression{Rule: id, Reason: reason, Line: line, First: line, Last: last, InCode: true})
	}
	return list
}

func unusableID(id string) bool {
	message, _ := unusable(id, false)
	return message != ""
}

// commentMarks begin the comments of common languages, longer ones first.
var commentMarks = [...]string{"<!--", "/*", "//", "--", "#", ";", "%", "'", "*"}

// cutComment returns what follows the name of the directive on a line of code that
// is nothing but a comment.
func cutComment(line []byte) (string, bool) {
	inner := strings.TrimSpace(strings.TrimLeft(string(line[:min(len(line), maxDirective)]), " \t>"))
	marked := false
	for _, mark := range commentMarks {
		if rest, ok := strings.CutPrefix(inner, mark); ok {
			inner, marked = strings.TrimLeft(rest, "#/-;*! \t"), true
			break
		}
	}
	rest, ok := strings.CutPrefix(inner, directiveLine+" ")
	for _, end := range [...]string{"-->", "*/"} {
		rest = strings.TrimSuffix(rest, end)
	}
	return rest, marked && ok
}
