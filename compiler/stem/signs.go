package stem

import (
	"slices"
	"unicode/utf8"
)

// Limits of what a sign may belong to.
const (
	maxRun      = 64 // the longest run between blanks that is looked at, in bytes
	maxNumbers  = 6  // numbers of a version
	minSigned   = 2  // characters of a word without a sign
	maxNumbered = 5  // bytes from which a run is not a version of one number
	maxJoined   = 4  // words with a slash between them that are one
)

// SignScanner finds the words that the runs of letters and digits of a text leave out,
// which are all in ASCII:
//
//   - one letter or digit that stands alone ("R");
//   - letters with their sign ("C++", "C#", ".NET", "--force"), beside those without;
//   - words with a slash or an ampersand between them, where one is not a word alone ("I/O", "R&D");
//   - versions, which begin with a v whether it is written or not ("1.2.4", "v1.2.4",
//     "python3.12", "2.0.0-rc.1"); in texts that are searched also what each is one of: "v1.2", "v1";
//   - with Numbered versions of one number, "v2" and "version 2";
//   - what Joined finds.
//
// It can be used again, by one goroutine at a time.
type SignScanner struct {
	Common func(word []byte) bool                    // reports a word that says nothing of a topic alone
	Joined func(run []byte, yield func(word []byte)) // yields the words of a run that only its signs make; may be nil

	Numbered bool // finds versions of one number too

	run      []byte // a run as it is looked at, in small letters
	word     []byte
	searched bool
	yield    func(word []byte)
}

// The kinds of bytes of a run.
const (
	inRun   = 1 << iota // letters and digits
	signed              // signs that may belong to them
	foreign             // of characters beyond ASCII
)

// Signs are the characters of ASCII that may belong to a word.
const Signs = "-.+#/&'_@$%\\"

// kindOf is the kind of a byte; 0 is between runs.
func kindOf(c byte) byte {
	switch {
	case c <= ' ':
		return 0
	case c >= utf8.RuneSelf:
		return foreign
	case isWordByte(c), 'A' <= c && c <= 'Z':
		return inRun
	}
	for i := range len(Signs) {
		if Signs[i] == c {
			return signed
		}
	}
	return 0
}

// Each calls yield for every such word of a text; the bytes are valid until it returns.
func (s *SignScanner) Each(text string, searched bool, yield func(word []byte)) {
	s.searched, s.yield = searched, yield
	for i := 0; i < len(text); {
		start, seen := i, byte(0)
		for i < len(text) && kindOf(text[i])&(inRun|signed) != 0 {
			seen |= kindOf(text[i])
			i++
		}
		if i < len(text) && kindOf(text[i]) == foreign {
			i = s.wide(text, start, i)
			continue
		}
		if seen&inRun != 0 && (seen&signed != 0 || i-start == 1) && i-start <= maxRun {
			s.run = append(s.run[:0], text[start:i]...)
			s.look()
		}
		if s.Numbered && i-start < maxNumbered && seen == inRun {
			s.number(text[:start], text[start:i])
		}
		i++ // what is between runs
	}
}

// number finds a version of one number: a v and the number, or the number alone after the
// word version.
func (s *SignScanner) number(before, run string) {
	digits := len(run)
	for digits > 0 && run[digits-1]-'0' < 10 {
		digits--
	}
	if digits == 1 && run[0]|0x20 == 'v' || digits == 0 && endsIn(before, "version ") {
		s.word = append(append(s.word[:0], 'v'), run[digits:]...)
		s.yield(s.word)
	}
}

// endsIn reports a text that ends in a word of small letters, whatever its case.
func endsIn(text, word string) bool {
	n := len(text) - len(word)
	for i := 0; n >= 0 && i < len(word); i++ {
		if text[n+i]|0x20 != word[i] {
			return false
		}
	}
	return n >= 0
}

// wide looks at a run that characters beyond ASCII follow: full-width forms belong to it,
// letters make it something else, and any other ends it. It returns where that is.
func (s *SignScanner) wide(text string, start, i int) int {
	s.run = append(s.run[:0], text[start:min(i, start+maxRun+1)]...)
	other := false
	for i < len(text) {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(text[i:])
		}
		if r >= firstWide && r <= lastWide {
			r -= toNarrow
		}
		if r < utf8.RuneSelf {
			if kindOf(byte(r)) == 0 {
				break
			}
			if len(s.run) <= maxRun {
				s.run = append(s.run, byte(r))
			}
			i += size
			continue
		}
		class := ClassOf(r)
		if class != Letter && class != Dropped && r != apostrophe {
			break
		}
		other = true
		i += size
	}
	if !other && len(s.run) > 0 && len(s.run) <= maxRun {
		s.look()
	}
	if i < len(text) {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return i
}

// Full-width forms of ASCII, and how far they are from it.
const (
	firstWide  = 0xFF01
	lastWide   = 0xFF5E
	toNarrow   = 0xFEE0
	apostrophe = '\u2019'
)

// look finds the words of the run.
func (s *SignScanner) look() {
	run := trim(s.run)
	for i, c := range run {
		if 'A' <= c && c <= 'Z' {
			run[i] = c + 'a' - 'A'
		}
	}
	isListNumber := len(run) == 1 && IsDigit(run[0]) && s.run[len(s.run)-1] == '.'
	if len(run) == 0 || isListNumber || slices.ContainsFunc(run, isCodeSign) || s.flag(run) || s.pointed(run) {
		return
	}
	joined := s.join(run)
	eachPart(run, func(part []byte) {
		switch {
		case len(part) > 1:
			s.part(part)
		case !joined:
			s.single(part)
		}
	})
}

// trim cuts off the ends of a run what belongs to no word there.
func trim(run []byte) []byte {
	for len(run) > 0 && isEdge(run[0]) {
		run = run[1:]
	}
	for len(run) > 0 && (isEdge(run[len(run)-1]) || run[len(run)-1] == '.') {
		run = run[:len(run)-1]
	}
	return run
}

func isCodeSign(c byte) bool { return c == '$' || c == '%' || c == '\\' }

func isEdge(c byte) bool { return c == '\'' || c == '_' || c == '&' || c == '/' }

// eachPart calls yield for what is between slashes, ampersands and at signs.
func eachPart(run []byte, yield func(part []byte)) {
	from := 0
	for i := 0; i <= len(run); i++ {
		if i < len(run) && run[i] != '/' && run[i] != '&' && run[i] != '@' {
			continue
		}
		if i > from {
			yield(run[from:i])
		}
		from = i + 1
	}
}

// indexOf returns where a text is in another, or -1. The packages strings and bytes would
// be a part of the size of what runs in a browser.
func indexOf(text, part string) int {
	for i := 0; i+len(part) <= len(text); i++ {
		if text[i:i+len(part)] == part {
			return i
		}
	}
	return -1
}

// flag finds an option of a command, such as "--dry-run".
func (s *SignScanner) flag(run []byte) bool {
	if run[0] != '-' {
		return false
	}
	name := run[1:]
	if len(name) > 0 && name[0] == '-' {
		name = name[1:]
	}
	if len(name) == 0 || !IsLetter(name[0]) || name[len(name)-1] == '-' {
		return false
	}
	for i, c := range name {
		if !isWordByte(c) && (c != '-' || name[i-1] == '-') {
			return false
		}
	}
	s.yield(run)
	return true
}

// pointed finds a name that begins with a point, such as ".net".
func (s *SignScanner) pointed(run []byte) bool {
	n := 1
	for n < len(run) && isWordByte(run[n]) {
		n++
	}
	if run[0] != '.' || n < 3 || !IsLetter(run[1]) || n < len(run) && run[n] != '-' && run[n] != '/' {
		return false
	}
	s.yield(run[:n])
	return true
}

// join finds words with slashes or ampersands between them, one of which is not a word alone.
func (s *SignScanner) join(run []byte) bool {
	parts, chars, weak, plain := 0, 0, false, true
	eachPart(run, func(part []byte) {
		parts, chars = parts+1, chars+len(part)
		weak = weak || len(part) < minSigned || s.Common(part)
		plain = plain && !slices.ContainsFunc(part, isNoWordByte)
	})
	if parts < 2 || parts > maxJoined || chars+parts-1 != len(run) || slices.Contains(run, '@') || !weak || !plain {
		return false
	}
	s.yield(run)
	return true
}

// single finds a letter or digit that stands alone.
func (s *SignScanner) single(part []byte) {
	if isWordByte(part[0]) && !s.Common(part) {
		s.yield(part)
	}
}

// part finds the words of a run without slashes, of two characters or more.
func (s *SignScanner) part(part []byte) {
	if len(part) == 2 && part[1] == '#' && IsLetter(part[0]) {
		s.yield(part)
	}
	if at := slices.IndexFunc(part, isNoWordByte); at > 0 && at+1 < len(part) && IsLetter(part[0]) && part[at] == '+' && part[at+1] == '+' {
		s.yield(part[:at+2])
	}
	if slices.Index(part, '.') > 0 {
		s.versions(part)
	}
	if s.Joined != nil {
		s.Joined(part, s.yield)
	}
}

// versions finds the versions in a run.
func (s *SignScanner) versions(run []byte) {
	for i := 0; i < len(run); {
		if !IsDigit(run[i]) || i > 0 && (run[i-1] == '.' || IsDigit(run[i-1])) {
			i++
			continue
		}
		from := i
		var ends [maxNumbers]int // in the word, of each number
		n, size := s.numbers(run[i:], &ends)
		i += size
		if n < 2 {
			continue
		}
		s.before(run[:from])
		s.word = s.word[:ends[n-1]]
		if stage, size := stageOf(run[i:]); size > 0 {
			s.word = append(append(s.word, '~'), stage...)
			i += size
			s.yield(s.word)
			if !s.searched {
				continue
			}
			s.word = s.word[:ends[n-1]]
		}
		s.yield(s.word)
		for n--; s.searched && n > 0; n-- {
			s.yield(s.word[:ends[n-1]])
		}
	}
}

// numbers makes a word of a v and the numbers that a text begins with. It returns how many
// they are and their size, and notes where in the word each ends.
func (s *SignScanner) numbers(text []byte, ends *[maxNumbers]int) (n, size int) {
	s.word = append(s.word[:0], 'v')
	for n < maxNumbers {
		for size < len(text) && IsDigit(text[size]) {
			s.word = append(s.word, text[size])
			size++
		}
		ends[n] = len(s.word)
		n++
		if size+1 >= len(text) || text[size] != '.' || !IsDigit(text[size+1]) {
			break
		}
		s.word = append(s.word, '.')
		size++
	}
	return n, size
}

// before finds the letters right before a version, as in "python3.12".
func (s *SignScanner) before(run []byte) {
	from := len(run)
	for from > 0 && IsLetter(run[from-1]) {
		from--
	}
	if name := run[from:]; len(name) >= minSigned && (from == 0 || !IsDigit(run[from-1])) && !s.Common(name) {
		s.yield(name)
	}
}

// Stages are what comes before a release, and the short names of some.
const Stages = " alpha beta rc pre preview dev snapshot canary nightly a=alpha b=beta c=rc m=milestone milestone "

// stageOf is the stage of a version that a text begins with, as in "-rc.1" and "b2", and
// its size; 0 where there is none.
func stageOf(text []byte) (stage string, size int) {
	at := 0
	if at < len(text) && (text[at] == '-' || text[at] == '.') {
		at++
	}
	from := at
	for at < len(text) && IsLetter(text[at]) {
		at++
	}
	name := string(text[from:at])
	if name == "" {
		return "", 0
	}
	if short := indexOf(Stages, " "+name+"="); short >= 0 {
		name = Stages[short+len(name)+2:]
		name = name[:indexOf(name, " ")]
	} else if indexOf(Stages, " "+name+" ") < 0 {
		return "", 0
	}
	number, end := stageNumber(text, at)
	return name + number, end
}

// stageNumber is the number of a stage, if any, and where it ends.
func stageNumber(text []byte, at int) (number string, end int) {
	digits := at
	if digits+1 < len(text) && (text[digits] == '.' || text[digits] == '-') && IsDigit(text[digits+1]) {
		digits++
	}
	end = digits
	for end < len(text) && IsDigit(text[end]) {
		end++
	}
	if end == digits {
		return "", at
	}
	return string(text[digits:end]), end
}

// IsLetter reports a small letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// IsDigit reports a digit of ASCII.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// isWordByte reports a small letter or a digit.
func isWordByte(c byte) bool { return IsLetter(c) || IsDigit(c) }

func isNoWordByte(c byte) bool { return !isWordByte(c) }
