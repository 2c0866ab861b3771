package rank

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/stem"
)

// Limits of what a sign may belong to.
const (
	maxRun     = 64 // the longest run between blanks that is looked at, in bytes
	maxNumbers = 6  // numbers of a version
	maxJoined  = 4  // words with a slash between them that are one
)

// signScanner finds the words that the runs of letters and digits of a text leave out,
// which are all in ASCII:
//
//   - one letter or digit that stands alone ("R");
//   - letters with their sign ("C++", "C#", ".NET", "--force"), beside those without;
//   - words with a slash or an ampersand between them, where one is not a word alone ("I/O", "R&D");
//   - versions, which begin with a v whether it is written or not ("1.2.4", "v1.2.4",
//     "python3.12", "2.0.0-rc.1"); in texts that are searched also what each is one of: "v1.2", "v1";
//   - compounds of words that say nothing of a topic alone ("one-on-ones", "to-do").
//
// It can be used again, by one goroutine at a time.
type signScanner struct {
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

// signs are the characters of ASCII that may belong to a word.
const signs = "-.+#/&'_@$%\\"

// runBytes are the kinds of all bytes; 0 is between runs.
var runBytes = sync.OnceValue(func() *[256]byte {
	var table [256]byte
	for c := range table {
		switch {
		case c >= utf8.RuneSelf:
			table[c] = foreign
		case lowerASCII()[c] != 0:
			table[c] = inRun
		case strings.IndexByte(signs, byte(c)) >= 0:
			table[c] = signed
		}
	}
	return &table
})

// each calls yield for every such word of a text; the bytes are valid until it returns.
func (s *signScanner) each(text string, searched bool, yield func(word []byte)) {
	s.searched, s.yield = searched, yield
	table := runBytes()
	for i := 0; i < len(text); {
		start, seen := i, byte(0)
		for i < len(text) && table[text[i]]&(inRun|signed) != 0 {
			seen |= table[text[i]]
			i++
		}
		if i < len(text) && table[text[i]] == foreign {
			i = s.wide(text, start, i)
			continue
		}
		if seen&inRun != 0 && (seen&signed != 0 || i-start == 1) && i-start <= maxRun {
			s.run = append(s.run[:0], text[start:i]...)
			s.look()
		}
		i++ // what is between runs
	}
}

// wide looks at a run that characters beyond ASCII follow: full-width forms belong to it,
// letters make it something else, and any other ends it. It returns where that is.
func (s *signScanner) wide(text string, start, i int) int {
	table := runBytes()
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
			if table[byte(r)] == 0 {
				break
			}
			if len(s.run) <= maxRun {
				s.run = append(s.run, byte(r))
			}
			i += size
			continue
		}
		class := stem.ClassOf(r)
		if class != stem.Letter && class != stem.Dropped && r != apostrophe {
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
func (s *signScanner) look() {
	lower := lowerASCII()
	run := bytes.TrimRight(bytes.TrimLeft(s.run, "'_&/"), ".'_&/")
	for i, c := range run {
		if lower[c] != 0 {
			run[i] = lower[c]
		}
	}
	switch {
	case len(run) == 0, len(run) == 1 && isDigit(run[0]) && s.run[len(s.run)-1] == '.': // of a list
		return
	case bytes.ContainsAny(run, "$%\\"):
		return
	case run[0] == '-' && s.flag(run):
		return
	case run[0] == '.' && s.pointed(run):
		return
	}
	parts := bytes.FieldsFunc(run, func(r rune) bool { return strings.ContainsRune("/&@", r) })
	joined := s.join(run, parts)
	for _, part := range parts {
		switch {
		case len(part) == 1:
			if !joined {
				s.single(part)
			}
		default:
			s.part(part)
		}
	}
}

// flag finds an option of a command, such as "--dry-run".
func (s *signScanner) flag(run []byte) bool {
	name := bytes.TrimPrefix(run[1:], []byte("-"))
	if len(name) == 0 || !isLetter(name[0]) || name[len(name)-1] == '-' || bytes.Contains(name, []byte("--")) {
		return false
	}
	for _, c := range name {
		if lowerASCII()[c] == 0 && c != '-' {
			return false
		}
	}
	s.yield(run)
	return true
}

// pointed finds a name that begins with a point, such as ".net".
func (s *signScanner) pointed(run []byte) bool {
	n := 1
	for n < len(run) && lowerASCII()[run[n]] != 0 {
		n++
	}
	if n < 3 || !isLetter(run[1]) || n < len(run) && run[n] != '-' && run[n] != '/' {
		return false
	}
	s.yield(run[:n])
	return true
}

// join finds words with slashes or ampersands between them, one of which is not a word alone.
func (s *signScanner) join(run []byte, parts [][]byte) bool {
	if len(parts) < 2 || len(parts) > maxJoined || len(bytes.Join(parts, nil))+len(parts)-1 != len(run) || bytes.IndexByte(run, '@') >= 0 {
		return false
	}
	none := false
	for _, part := range parts {
		none = none || len(part) < minWord || stopWords()[string(part)]
		if slices.ContainsFunc(part, func(c byte) bool { return lowerASCII()[c] == 0 }) {
			return false
		}
	}
	if none {
		s.yield(run)
	}
	return none
}

// single finds a letter or digit that stands alone.
func (s *signScanner) single(part []byte) {
	if lowerASCII()[part[0]] != 0 && !stopWords()[string(part)] {
		s.yield(part)
	}
}

// part finds the words of a run without slashes, of two characters or more.
func (s *signScanner) part(part []byte) {
	if bytes.IndexByte(part, '#') == 1 && len(part) == 2 && isLetter(part[0]) {
		s.yield(part)
	}
	if at := bytes.Index(part, []byte("++")); at > 0 && isLetter(part[0]) && !bytes.ContainsFunc(part[:at], func(r rune) bool { return lowerASCII()[byte(r)] == 0 }) {
		s.yield(part[:at+2])
	}
	if bytes.IndexByte(part, '.') > 0 {
		s.versions(part)
	}
	if bytes.IndexByte(part, '-') > 0 {
		if word := compound(part); word != nil {
			s.yield(word)
		}
	}
}

// versions finds the versions in a run.
func (s *signScanner) versions(run []byte) {
	for i := 0; i < len(run); {
		if !isDigit(run[i]) || i > 0 && (run[i-1] == '.' || isDigit(run[i-1])) {
			i++
			continue
		}
		from := i
		s.word = append(s.word[:0], 'v')
		var ends [maxNumbers]int // in the word, of each number
		n := 0
		for n < maxNumbers {
			for i < len(run) && isDigit(run[i]) {
				s.word = append(s.word, run[i])
				i++
			}
			ends[n] = len(s.word)
			n++
			if i+1 >= len(run) || run[i] != '.' || !isDigit(run[i+1]) {
				break
			}
			s.word = append(s.word, '.')
			i++
		}
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

// before finds the letters right before a version, as in "python3.12".
func (s *signScanner) before(run []byte) {
	from := len(run)
	for from > 0 && isLetter(run[from-1]) {
		from--
	}
	if name := run[from:]; len(name) >= minWord && (from == 0 || !isDigit(run[from-1])) && !stopWords()[string(name)] {
		s.yield(name)
	}
}

// stages are what comes before a release, and the short names of some.
const stages = " alpha beta rc pre preview dev snapshot canary nightly a=alpha b=beta c=rc m=milestone milestone "

// stageOf is the stage of a version that a text begins with, as in "-rc.1" and "b2", and
// its size; 0 where there is none.
func stageOf(text []byte) (stage string, size int) {
	at := 0
	if at < len(text) && (text[at] == '-' || text[at] == '.') {
		at++
	}
	from := at
	for at < len(text) && isLetter(text[at]) {
		at++
	}
	name := string(text[from:at])
	switch {
	case name == "":
		return "", 0
	case strings.Contains(stages, " "+name+" "):
	case strings.Contains(stages, " "+name+"="):
		_, rest, _ := strings.Cut(stages, " "+name+"=")
		name, _, _ = strings.Cut(rest, " ")
	default:
		return "", 0
	}
	digits := at
	if digits+1 < len(text) && (text[digits] == '.' || text[digits] == '-') && isDigit(text[digits+1]) {
		digits++
	}
	end := digits
	for end < len(text) && isDigit(text[end]) {
		end++
	}
	if end == digits {
		return name, at
	}
	return name + string(text[digits:end]), end
}

// isVersion reports a word that versions yields: a v, and numbers with points between.
func isVersion(word string) bool {
	return len(word) > 1 && word[0] == 'v' && isDigit(word[1]) && strings.Contains(word, ".")
}

// wider are the versions that a version is one of, the nearest first, down to two numbers.
func wider(version string) []string {
	var list []string
	if base, _, ok := strings.Cut(version, "~"); ok {
		version = base
		list = append(list, base)
	}
	for {
		at := strings.LastIndexByte(version, '.')
		if at < 0 || strings.IndexByte(version, '.') == at {
			return list
		}
		version = version[:at]
		list = append(list, version)
	}
}

// compound is a run of words with hyphens between them as a word of its own; nil where one
// of the words is a topic, or the run no compound.
func compound(run []byte) []byte {
	parts := strings.Split(string(run), "-")
	last := len(parts) - 1
	if slices.Contains(parts, "") {
		return nil
	}
	for i, part := range parts {
		if stopWords()[part] {
			continue
		}
		if n := len(part); n >= minPlural && part[n-1] == 's' && part[n-2] != 's' {
			part = part[:n-1]
		}
		if !weakWords()[part] {
			return nil
		}
		if i == last {
			parts[i] = part
		}
	}
	return []byte(strings.Join(parts, "-"))
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isSigned reports the words that a text mostly holds without their signs too, so that
// their absence says little: compounds, options, and names that begin with a point.
func isSigned(stem string) bool {
	return stem != "" && (stem[0] == '.' || strings.Contains(stem, "-") || len(stem) > 3 && strings.ContainsAny(stem, "/&"))
}
