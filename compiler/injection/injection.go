package injection

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/prose"
)

// The families of instruction-like text (agent-knowledge section 18.3).
const (
	kindOverride = "override"       // ignore all previous instructions
	kindPersona  = "persona"        // you are now, act as the system
	kindPrompt   = "prompt"         // reveal the system prompt
	kindRoleTag  = "role-tag"       // <system>
	kindConceal  = "conceal"        // do not tell the user
	kindFetchRun = "fetch-and-run"  // curl … | sh
	KindHidden   = "hidden-text"    // invisible characters
	KindComment  = "hidden-comment" // any of these in an HTML comment
)

// Options say what a text is. The zero value stands for Markdown or prose.
type Options struct {
	// Raw is for other formats, such as JSON or CSV, where quotation marks belong
	// to the format and say nothing about the words in them.
	Raw bool
	// LeaveOut reports an HTML comment, given with its marks, in which nothing is
	// looked for; nil leaves none out. It is not asked in raw text.
	LeaveOut func(comment []byte) bool
}

// Find finds instruction-like text: text that might make a model take data for
// orders (agent-knowledge section 18.3). The text is one that frontmatter.Decode
// returned. Hits are in order of their place.
//
// To quote is not to instruct. A hit is weak when it is in a code span, a
// fence, a block quote or quotation marks; when it is denied ("do not ignore …")
// or reported ("tells the model to ignore …"); and when a phrase is only named
// ("the system prompt"). In an HTML comment, which no reader sees, every hit
// counts in full, and so do invisible characters wherever they are, except
// where a script or an emoji needs them and for the few that a paste leaves
// behind.
func Find(text []byte, o Options) []Hit {
	s := scan{book: readWordings(), text: text, raw: o.Raw, leaveOut: o.LeaveOut}
	return s.run()
}

type scan struct {
	book     *book
	text     []byte
	raw      bool
	leaveOut func(comment []byte) bool // nil leaves none out
	written  []byte                    // the text as it is in the file, in which hits are placed
	decoded  *prose.Rewritten          // how the text with its escapes decoded was made of it; nil when they are the same
	folded   *folded                   // how text was made of that; nil when they are the same
	hits     []Hit
	asked    int            // the offset that inHeading was asked for last
	line     int            // where its line starts
	about    *prose.Quoting // made when the first hit asks for it
}

// run walks over the text. Words that can begin a phrase and the few
// characters that can begin something else are looked at, all others passed by.
//
// Where folding the text changes it, the folded one is looked at too: a phrase
// spelled with character references or look-alike letters is one all the same.
func (s *scan) run() []Hit {
	s.written = s.text
	s.look()
	// Who reads the front matter, or a file of data, sees what its escapes stand for.
	if s.decoded = unescaped(s.written, s.raw); s.decoded != nil {
		s.text, s.folded = s.decoded.Text, nil
		s.look()
	}
	return sortHits(s.hits)
}

// look looks at a text, and at what is left of it when it is folded.
func (s *scan) look() {
	s.phrases()
	s.invisible()
	text := s.text
	for _, comments := range []bool{true, false} {
		if s.folded = fold(text, s.raw, comments); s.folded != nil {
			s.text = s.folded.text
			s.phrases()
		}
		if s.raw || !bytes.Contains(text, []byte("<!--")) {
			break
		}
	}
}

// unescaped decodes the escapes of front matter, or of a file that is not prose.
func unescaped(text []byte, raw bool) *prose.Rewritten {
	if raw {
		return prose.Unescape(text)
	}
	head := prose.FrontMatterEnd(text)
	w := prose.Unescape(text[:head])
	if w != nil {
		w.Text = append(w.Text, text[head:]...)
	}
	return w
}

// place returns the range of the file that a range of the text stands for.
func (s *scan) place(start, end int) (from, to int) {
	if s.folded != nil {
		start, end = s.folded.original(start, end)
	}
	if s.decoded != nil {
		start, end = s.decoded.Original(start, end)
	}
	return start, end
}

// phrases walks over the text for everything but invisible characters.
func (s *scan) phrases() {
	for i := 0; i < len(s.text); {
		c := s.text[i]
		switch {
		case prose.IsLetter(c):
			end := prose.WordEnd(s.text, i)
			s.phrase(i, end)
			i = end
			continue
		case c == '<':
			s.template(i)
			s.tag(i)
		case c == '[':
			s.template(i)
		case c >= 0x80:
			i = s.pass(i)
			continue
		}
		i++
	}
}

// pass skips a character beyond ASCII, and with a letter the word it begins, so
// that no phrase starts in the middle of a word.
func (s *scan) pass(i int) int {
	if s.text[i] == 0xE5 || s.text[i] == 0xE6 {
		s.chinese(i)
	}
	if end := prose.WordEnd(s.text, i); end > i {
		return end
	}
	_, size := utf8.DecodeRune(s.text[i:])
	return i + size
}

// add records a hit with what its surroundings make of it.
func (s *scan) add(kind string, start, end int, weak bool) {
	h := Hit{Kind: kind, Start: start, End: end, Shown: shown(s.text[start:end]), Weak: weak}
	start, end = s.place(start, end)
	h.Start, h.End = start, end
	if !s.raw {
		if s.about == nil {
			s.about = prose.ReadQuoting(s.written)
		}
		switch {
		case s.about.Hidden(start, end):
			if s.leftOut(start) {
				return
			}
			h.Kind, h.Weak = KindComment, false
		case s.about.Quoted(start, end):
			h.Weak = true
		}
	}
	s.hits = append(s.hits, h)
}

// mention records a phrase that is only named: it is nothing but in a comment, which no
// reader sees.
func (s *scan) mention(kind string, start, end int) {
	s.unquoted(kind, start, end, true)
}

// unquoted records a hit that is nothing where it would be weak: marks and commands in
// code are what a page is about.
func (s *scan) unquoted(kind string, start, end int, weak bool) {
	n := len(s.hits)
	if s.add(kind, start, end, weak); len(s.hits) > n && s.hits[n].Weak {
		s.hits = s.hits[:n]
	}
}

// leftOut reports whether an offset is in a comment that is left out.
func (s *scan) leftOut(at int) bool {
	if s.leaveOut == nil {
		return false
	}
	c, ok := s.about.Comments.Find(at)
	return ok && s.leaveOut(s.written[c.Start:c.End])
}

// tag looks at a "<": a role tag or a mark of a chat template.
func (s *scan) tag(i int) {
	rest := s.text[i+1:]
	if len(rest) > 2 && rest[0] == '|' && prose.IsLetter(rest[1]) {
		if end := prose.WordEnd(rest, 1); end+1 < len(rest) && rest[end] == '|' && rest[end+1] == '>' {
			s.unquoted(kindRoleTag, i, i+end+3, false)
		}
		return
	}
	n := 0
	if len(rest) > 0 && rest[0] == '/' {
		n = 1
	}
	if n >= len(rest) || !prose.IsLetter(rest[n]) {
		return
	}
	end := prose.WordEnd(rest, n)
	name := prose.Lower(rest[n:end])
	switch name {
	case "system", "assistant", "tool", "knowledge_pack", "instructions", "tool_result", "function_results":
	case "user":
		if !s.closes(i, name) { // "<user>@<host>" is a place to fill in
			return
		}
	default:
		return
	}
	if end == len(rest) || rest[end] != '>' && rest[end] != '/' && !prose.IsBlank(rest[end]) {
		return
	}
	for limit := min(len(rest), end+maxShown); end < limit && rest[end] != '>' && rest[end] != '\n'; end++ {
	}
	if end < len(rest) && rest[end] == '>' {
		end++
	}
	s.unquoted(kindRoleTag, i, i+1+end, n == 0 && s.inSentence(i) && !s.closes(i, name))
}

// maxTurn is how far the end of a turn of a chat is looked for, in bytes.
const maxTurn = 1000

// closes reports whether a tag is one of a pair.
func (s *scan) closes(at int, name string) bool {
	if s.text[at+1] == '/' {
		before := s.text[max(0, at-maxTurn):at]
		return bytes.Contains(bytes.ToLower(before), []byte("<"+name))
	}
	rest := s.text[at:min(len(s.text), at+maxTurn)]
	return bytes.Contains(bytes.ToLower(rest), []byte("</"+name+">"))
}

// inSentence reports whether words are before an offset on its line.
func (s *scan) inSentence(at int) bool {
	word, _ := prose.PreviousWord(s.text, at)
	return word != ""
}

// template finds the marks that chat templates put around a turn: "[INST]", "<<SYS>>".
func (s *scan) template(i int) {
	for _, mark := range []string{"[INST]", "[/INST]", "<<SYS>>", "<</SYS>>"} {
		if bytes.HasPrefix(s.text[i:], []byte(mark)) {
			s.unquoted(kindRoleTag, i, i+len(mark), false)
			return
		}
	}
}

// Hit is one place that Find found.
type Hit struct {
	Kind       string // one of the families
	Start, End int    // byte offsets into the text
	Shown      string // what was found, on one line and at most maxShown bytes; it may be printed
	// Weak hits are worth a remark and nothing more: text that is quoted, denied
	// or only spoken of.
	Weak bool
}

// maxShown is the longest text of a hit that is shown, in bytes.
const maxShown = 80

// shown puts found text on one line and cuts it to maxShown bytes.
func shown(text []byte) string {
	line := strings.Join(strings.Fields(string(text[:min(len(text), 4*maxShown)])), " ")
	if len(line) <= maxShown {
		return line
	}
	end := maxShown
	for end > 0 && !utf8.RuneStart(line[end]) {
		end--
	}
	return line[:end] + "…"
}

// sortHits orders hits by place and drops those that lie within an earlier one
// of the same kind.
func sortHits(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), strings.Compare(a.Kind, b.Kind))
	})
	kept := hits[:0]
	for _, h := range hits {
		if n := len(kept); n == 0 || kept[n-1].Kind != h.Kind || h.End > kept[n-1].End {
			kept = append(kept, h)
		}
	}
	return kept
}

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
