package rules

import (
	"fmt"

	indexjson "github.com/packgen/packgen/resolver/loadout/json"
)

// AppendRuleIssues appends issues in the original's shape (loadout section 20.8).
func AppendRuleIssues(dst []byte, path func(string) string, issues []Issue) []byte {
	dst = append(dst, '[')
	for n, i := range issues {
		if n > 0 {
			dst = append(dst, ',')
		}
		dst = indexjson.AppendField(append(dst, '{'), "severity", string(i.Severity))
		dst = indexjson.AppendField(append(dst, ','), "code", i.Code)
		dst = indexjson.AppendField(append(dst, ','), "message", i.Message)
		if i.File != "" {
			dst = indexjson.AppendField(append(dst, ','), "file", path(i.File))
		}
		if i.Line > 0 {
			dst = fmt.Appendf(dst, `,"line":%d`, i.Line)
		}
		if i.Hint != "" {
			dst = indexjson.AppendField(append(dst, ','), "hint", i.Hint)
		}
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

// AppendReport appends a report in the original's shape (loadout section 20.5).
func AppendReport(dst []byte, r *Report) []byte {
	dst = indexjson.AppendField(append(dst, '{'), "filePath", r.FilePath)
	dst = fmt.Appendf(dst, `,"totalLines":%d,"totalTokens":%d,"sections":`, r.TotalLines, r.TotalTokens)
	dst = appendSections(dst, r.Sections)
	dst = append(dst, `,"proposals":[`...)
	for i := range r.Proposals {
		p := &r.Proposals[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSection(append(dst, `{"section":`...), &p.Section)
		dst = indexjson.AppendField(append(dst, ','), "suggestedId", p.ID)
		dst = indexjson.AppendField(append(dst, ','), "suggestedPath", p.Path)
		dst = indexjson.AppendStrings(append(dst, `,"suggestedKeywords":`...), p.Keywords)
		dst = indexjson.AppendStrings(append(dst, `,"suggestedPatterns":`...), p.Patterns)
		dst = indexjson.AppendField(append(dst, ','), "suggestedPriority", p.Priority)
		dst = indexjson.AppendField(append(dst, ','), "suggestedSummary", p.Summary)
		dst = append(indexjson.AppendField(append(dst, ','), "reason", p.Reason), '}')
	}
	dst = append(dst, `],"coreCandidate":`...)
	return append(appendSections(dst, r.CoreCandidate), '}')
}

func appendSections(dst []byte, list []Section) []byte {
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendSection(dst, &list[i])
	}
	return append(dst, ']')
}

func appendSection(dst []byte, s *Section) []byte {
	dst = indexjson.AppendField(append(dst, '{'), "heading", s.Heading)
	dst = fmt.Appendf(dst, `,"level":%d,"startLine":%d,"endLine":%d,`, s.Level, s.StartLine, s.EndLine)
	return fmt.Appendf(indexjson.AppendField(dst, "content", s.Content), `,"lines":%d,"tokens_est":%d}`, s.Lines, s.Tokens)
}
