package injection

import (
	"bytes"

	"github.com/packgen/packgen/compiler/prose"
)

// maxCommand is how far a shell command is followed, in bytes.
const maxCommand = 400

// fetchAndRun finds a download that is handed to a shell: "curl … | sh",
// "bash <(wget …)", "sh -c "$(curl …)"".
func (s *scan) fetchAndRun(start, end int) {
	if from, ok := s.substituted(start); ok {
		s.command(from, end)
		return
	}
	limit := min(len(s.text), end+maxCommand)
	for i := end; i < limit; i++ {
		switch s.text[i] {
		case '\n':
			if s.text[i-1] != '\\' {
				return
			}
		case '|':
			if stop, ok := s.shell(i + 1); ok {
				s.command(start, stop)
				return
			}
		}
	}
}

// command records a download that is run. One in a code block or span is what it
// takes to install a thing: a page that shows it gives no order.
func (s *scan) command(start, end int) {
	before, first := lineBefore(s.text[:start], " \t$")
	if !s.raw && first && (bytes.HasPrefix(before, []byte("    ")) || bytes.HasPrefix(before, []byte("\t"))) {
		s.mention(kindFetchRun, start, end)
		return
	}
	s.unquoted(kindFetchRun, start, end, false)
}

// lineBefore returns the bytes of a set that end a text on its last line, and whether
// nothing else is on that line. Of a long line no more is looked at.
func lineBefore(text []byte, set string) (before []byte, alone bool) {
	at := len(bytes.TrimRight(text, set))
	return text[at:], at == 0 || text[at-1] == '\n'
}

// shell returns the end of a shell's name that a pipe leads to.
func (s *scan) shell(at int) (end int, ok bool) {
	for range 4 {
		for at < len(s.text) && (s.text[at] == ' ' || s.text[at] == '\t' || s.text[at] == '\\' && at+1 < len(s.text) && s.text[at+1] == '\n') {
			if s.text[at] == '\\' {
				at++
			}
			at++
		}
		end = at
		for end < len(s.text) && end-at < maxCommand && inCommand(s.text[end]) {
			end++
		}
		name := s.text[at:end]
		if isShell(prose.Lower(name[bytes.LastIndexByte(name, '/')+1:])) {
			return end, true
		}
		if word := prose.Lower(name); word != "sudo" && word != "env" && (len(name) == 0 || name[0] != '-') {
			return 0, false
		}
		at = end
	}
	return 0, false
}

// inCommand reports a byte of a command's name or option.
func inCommand(c byte) bool {
	return prose.IsLetter(c) || prose.IsDigit(c) || c == '_' || c == '/' || c == '-' || c == '=' || c == '.'
}

func isShell(name string) bool {
	switch name {
	case "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "perl", "ruby", "node":
		return true
	}
	return false
}

// maxSubstitution is how far before a command its substitution may begin, in
// bytes.
const maxSubstitution = 32

// substituted reports a command whose output becomes a script, and where that
// begins.
func (s *scan) substituted(start int) (from int, ok bool) {
	head := s.text[max(0, start-maxSubstitution):start]
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[i+1:]
	}
	open := bytes.LastIndexByte(head, '(')
	if open < 1 || head[open-1] != '$' && head[open-1] != '<' || len(bytes.TrimSpace(head[open+1:])) > 0 {
		return 0, false
	}
	words := bytes.FieldsFunc(head[:open-1], func(c rune) bool { return c == ' ' || c == '"' || c == '\'' || c == '`' })
	for i := len(words) - 1; i >= 0; i-- {
		name := prose.Lower(words[i][bytes.LastIndexByte(words[i], '/')+1:])
		if isShell(name) || name == "eval" || name == "source" {
			return start - len(head) + bytes.Index(head, words[i]), true
		}
	}
	return 0, false
}
