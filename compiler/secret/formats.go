package secret

import (
	"bytes"
	"cmp"
	_ "embed" // the forms
	"slices"
	"strconv"
	"strings"
	"sync"
)

// format is the form in which a provider writes its tokens: a prefix and what
// follows it.
type format struct {
	kind   string
	prefix string
	least  int // bytes after the prefix
	most   int // the same; 0 means no limit
	of     alphabet
	fits   func(rest string) bool // what else must be true; nil is nothing
}

// The kinds that are found without a form too.
const (
	kindNewRelic = "New Relic key"
	kindSupabase = "Supabase key"
	kindAzure    = "Azure key"
)

//go:embed formats.txt
var formatLines string

// formats reads the forms: a line each, whose fields are those of format.
func formats() []format {
	alphabets := map[string]alphabet{
		"base64": isBase64, "base64OrWord": isBase64OrWord, "capital": isCapital, "dollarWord": isDollarWord, "dotted": isDotted,
		"hex": isHex, "hexAnyCase": isHexAnyCase, "hexOrDash": isHexOrDash, "path": isPath, "plain": isPlain, "small": isSmall,
		"teamsPath": isTeamsPath, "word": isTokenByte, "wordOrDash": isTokenRest,
	}
	conditions := map[string]func(string) bool{
		"hasDigit": hasDigit, "hasLongPart": hasLongPart, "airtable": isAirtable, "resend": isResend, "sendGrid": isSendGrid,
		"slack": isSlack, "uuid": isUUID, "mixed": mixed,
	}
	var list []format
	for line := range strings.Lines(formatLines) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[0] == "#" {
			continue
		}
		least, _ := strconv.Atoi(fields[1]) // a test reads every line
		most, _ := strconv.Atoi(fields[2])
		list = append(list, format{strings.Join(fields[5:], " "), fields[0], least, most, alphabets[fields[3]], conditions[fields[4]]})
	}
	return list
}

func isBase64OrWord(c byte) bool { return isBase64(c) || isTokenRest(c) }
func isHexOrDash(c byte) bool    { return isHex(c) || c == '-' }
func isHexAnyCase(c byte) bool   { return isHex(c) || c >= 'A' && c <= 'F' }
func isPath(c byte) bool         { return isTokenRest(c) || c == '/' }
func isTeamsPath(c byte) bool    { return isPath(c) || c == '@' }
func isDollarWord(c byte) bool   { return isSmall(c) || c == '$' }

func hasDigit(rest string) bool { return strings.ContainsAny(rest, "0123456789") }

// mixed reports letters of both cases, or letters and digits: what a prefix of
// few letters needs for not being a word. Words joined in camel case are not.
func mixed(rest string) bool {
	upper, lower, digit := 0, 0, 0
	for i := range len(rest) {
		switch c := rest[i]; {
		case isUpper(c):
			upper++
		case isLower(c):
			lower++
		case isDigit(c):
			digit++
		}
	}
	if upper+lower == 0 {
		return different(rest, 3) < 3 // a row of one digit is judged later
	}
	return (digit > 0 || upper > 0 && lower > 0 || upper+lower >= 30) && !readsAsWords(rest)
}

// hasLongPart reports whether a token holds a part of 16 characters with digits
// among them, or one of 32 characters: "fading-circle-12-of-24" has none.
func hasLongPart(rest string) bool {
	for _, part := range strings.FieldsFunc(rest, func(c rune) bool { return c == '-' || c == '_' }) {
		if len(part) >= 32 || len(part) >= 16 && hasDigit(part) && strings.Trim(part, "0123456789") != "" {
			return true
		}
	}
	return false
}

func isSlack(rest string) bool {
	return strings.IndexByte("abeoprs", rest[0]) >= 0 && rest[1] == '-' && hasDigit(rest)
}

func isSendGrid(rest string) bool {
	id, key, ok := strings.Cut(rest, ".")
	return ok && len(id) >= 16 && len(key) >= 32
}

func isResend(rest string) bool {
	id, key, ok := strings.Cut(rest, "_")
	return ok && len(id) == 8 && len(key) >= 20 && mixed(rest)
}

func isAirtable(rest string) bool {
	id, key, ok := strings.Cut(rest, ".")
	return ok && len(id) == 14 && len(key) == 64 && only(key, isHex)
}

// formatIndex finds the forms that may begin with two bytes.
type formatIndex struct {
	lists [][]format
	at    [128 * 128]uint8 // of the two bytes: which list; 0 for none
}

var indexed = sync.OnceValue(func() *formatIndex {
	x := &formatIndex{lists: [][]format{nil}}
	list := formats()
	slices.SortStableFunc(list, func(a, b format) int {
		return cmp.Or(strings.Compare(a.prefix[:2], b.prefix[:2]), len(b.prefix)-len(a.prefix))
	})
	for len(list) > 0 {
		first := list[0].prefix[:2]
		n := slices.IndexFunc(list, func(f format) bool { return f.prefix[:2] != first })
		if n < 0 {
			n = len(list)
		}
		x.at[int(first[0])<<7|int(first[1])] = uint8(len(x.lists))
		x.lists = append(x.lists, list[:n:n])
		list = list[n:]
	}
	return x
})

// beginning returns the forms whose first two bytes a text begins with.
func (x *formatIndex) beginning(text []byte) []format {
	if len(text) < 2 || text[0] >= 128 || text[1] >= 128 {
		return nil
	}
	return x.lists[x.at[int(text[0])<<7|int(text[1])]]
}

// maxToken is how much of a token is judged, in bytes.
const maxToken = 512

// end returns where a token of this form ends that begins at an offset, 0 for none,
// and how far the text was looked at.
func (f *format) end(text []byte, at int) (end, far int) {
	from := at + len(f.prefix)
	if len(text) < from+f.least || !bytes.HasPrefix(text[at:], []byte(f.prefix)) {
		return 0, at
	}
	end = run(text, from, maxToken, f.of)
	far = end
	for end > from && (text[end-1] == '.' || text[end-1] == '-') {
		end-- // what ends a sentence
	}
	rest := text[from:end]
	switch {
	case len(rest) < f.least, f.most > 0 && len(rest) > f.most, f.most > 0 && end < len(text) && isTokenByte(text[end]):
		return 0, far
	case f.fits != nil && !f.fits(string(rest)):
		return 0, far
	}
	if len(rest) == maxToken {
		end = run(text, end, len(text), f.of)
	}
	return end, far
}

// distinct reports a prefix that begins no ordinary name, so that it means a token
// inside of a longer word too, such as the name of a file.
func (f *format) distinct() bool {
	return len(f.prefix) >= 6 || len(f.prefix) >= 4 && f.prefix[len(f.prefix)-1] != '-'
}
