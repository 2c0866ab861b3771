package secret

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/packgen/packgen/compiler/prose"
)

// Hit is a likely secret.
type Hit struct {
	Kind       string // what it looks like, such as "GitHub token"
	Known      bool   // its form is that of a provider's tokens or of a private key, or the text calls it a password; otherwise it is a guess
	Start, End int    // byte offsets into the text
	Shown      string // its first characters, at most four, which may be printed
}

// The kinds of secrets that no single provider gives out.
const (
	kindPrivateKey = "private key"
	kindJWT        = "JSON web token"
	kindPassword   = "password"
	kindAssigned   = "secret value" // token = "…"
	kindAddress    = "password in an address"
	kindHeader     = "authorization header"
	kindSignature  = "shared access signature"
)

// most is how many characters of a secret may be shown.
const most = 4

// Find finds likely secrets in a file's bytes, whatever its format, and returns
// for each the range it fills, so that whatever holds it can be withheld. Hits are
// in order of their place. A code block makes no difference: unlike an instruction
// a secret does its harm there too, and neither do escapes, character references,
// links and emphasis inside of a token with a known prefix.
//
// Text in place of a secret is not a secret: a value that says example, placeholder or
// changeme, a row of crosses, a variable, a path, a plain word, an example that a
// vendor prints in its own documentation.
//
// Escapes such as \x41 or of a line break, as YAML and JSON have them in quoted values, are decoded first
// where a text has some: a range is then that of what is written.
func Find(text []byte) []Hit {
	hits := findWritten(text)
	numbers := hasEscapes(text)
	if !numbers && !hasSigns(text) {
		return hits
	}
	decoded := prose.Unescape(text)
	if decoded == nil {
		return hits
	}
	for _, h := range findWritten(decoded.Text) {
		h.Start, h.End = decoded.Original(h.Start, h.End)
		if h.Known || numbers && !bytes.ContainsRune(text[h.Start:h.End], '\\') {
			hits = append(hits, h)
		}
	}
	return sorted(hits)
}

// hasSigns reports a text with another escape before what may be of a token: one of a line
// break or of a sign.
func hasSigns(text []byte) bool {
	for rest := text; ; {
		i := bytes.IndexByte(rest, '\\')
		if i < 0 || i+2 >= len(rest) {
			return false
		}
		sign := rest[i+1]
		rest = rest[i+2:]
		switch {
		case sign == '\n' || sign == '\r':
			after := bytes.TrimLeft(rest, " \t\n")
			if len(after) > 0 && (isTokenRest(after[0]) || after[0] == '\\') {
				return true
			}
			rest = after
		case strings.IndexByte("0abtnvfre\t \"/_NLP", sign) >= 0 && (isTokenRest(rest[0]) || rest[0] == '\\'):
			return true
		}
	}
}

// hasEscapes reports a text with an escape of a character by its number.
func hasEscapes(text []byte) bool {
	for _, mark := range []string{`\x`, `\u`, `\U`} {
		for rest := text; ; {
			i := bytes.Index(rest, []byte(mark))
			if i < 0 {
				break
			}
			if rest = rest[i+2:]; len(rest) > 1 && isHex(rest[0]|0x20) && isHex(rest[1]|0x20) {
				return true
			}
		}
	}
	return false
}

// findWritten finds secrets in a text as it is.
func findWritten(text []byte) []Hit {
	s := scan{text: text, forms: indexed(), seen: -1, named: -maxBefore - 1}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case isTokenByte(c):
			i = s.token(i)
		case c == '=' || c == ':' || c == '|' || c == '>' || c == '"':
			i = s.sign(i)
		case c == '\\':
			i += 2 // an escape, such as the \n before a token in JSON
		case c == '%' && i+2 < len(text) && isHex(text[i+1]|0x20) && isHex(text[i+2]|0x20):
			i += 3 // an escape of a URL
		case c == '&':
			i = s.reference(i)
		case c == '-':
			i = s.dash(i)
		case c == '~':
			i = s.tilde(i)
		case c == 0xEF && bytes.HasPrefix(text[i:], []byte(wideColon)):
			i = s.assignment(i, len(wideColon))
		default:
			i = s.skip(i)
		}
	}
	s.tables()
	return sorted(s.hits)
}

// reference looks at a character reference that a token may begin with, and returns where
// to continue.
func (s *scan) reference(i int) int {
	if c, n := referred(s.text[i:]); n == 0 || !isTokenByte(c) {
		return i + 1
	}
	return max(i+1, s.broken(i))
}

// skip passes a byte that begins nothing. A letter beyond ASCII may be of the name of a
// password.
func (s *scan) skip(i int) int {
	if s.text[i] >= 0x80 {
		s.named = i
	}
	return i + 1
}

// wideColon is the colon of Chinese and Japanese text.
const wideColon = "\uff1a"

// sign looks at a character that may be between a name and a value.
func (s *scan) sign(i int) int {
	if s.text[i] == ':' {
		if bytes.HasPrefix(s.text[i:], []byte("://")) {
			return s.address(i)
		}
		if end := s.botToken(i); end > 0 {
			return end
		}
		if bytes.HasPrefix(s.text[i:], []byte("::")) && i+2 < len(s.text) && (isTokenByte(s.text[i+2]) || s.text[i+2] == '~') {
			return i + 2 // a scope, as in CAccessToken::~CAccessToken
		}
	}
	return s.assignment(i, 1)
}

// dash looks at what dashes may begin: a private key, or an option of a command.
func (s *scan) dash(i int) int {
	switch {
	case bytes.HasPrefix(s.text[i:], []byte(keyBegin)):
		return s.privateKey(i)
	case i > 0 && !isBlank(s.text[i-1]) && strings.IndexByte("`\"'[(", s.text[i-1]) < 0:
		return i + 1
	}
	return s.option(i)
}

// Named reports a hit that is known by what the text calls it, not by its form.
func (h *Hit) Named() bool {
	return h.Known && (h.Kind == kindPassword || h.Kind == kindAddress)
}

// rank says what a hit goes by: 0 its form, 1 what the text calls it, 2 a guess.
func (h *Hit) rank() int {
	switch {
	case !h.Known:
		return 2
	case h.Named():
		return 1
	}
	return 0
}

// sorted orders hits by place and drops those within an earlier one of the same
// kind, and what goes by its name alone within any.
func sorted(hits []Hit) []Hit {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(a.rank(), b.rank()), strings.Compare(a.Kind, b.Kind))
	})
	kept := hits[:0]
	for _, h := range hits {
		if n := len(kept); n > 0 && h.End <= kept[n-1].End && (kept[n-1].Kind == h.Kind || h.rank() > 0) {
			continue
		}
		kept = append(kept, h)
	}
	return kept
}

// HasKnown reports whether a hit is more than a guess.
func HasKnown(hits []Hit) bool {
	return slices.ContainsFunc(hits, func(h Hit) bool { return h.Known })
}

// RedactPath cuts the known secrets in a slash path to their first characters.
// Each element is looked at by itself and without its extension, which would make
// a value look like a file's name.
func RedactPath(name string) string {
	elements := strings.Split(name, "/")
	changed := false
	for i, e := range elements {
		if hits := FindInName(e); HasKnown(hits) {
			elements[i], changed = cutOut(e, hits, true), true
		}
	}
	if !changed {
		return name
	}
	return strings.Join(elements, "/")
}

// FindInName finds likely secrets in the name of a file or directory.
func FindInName(name string) []Hit {
	if ext := path.Ext(name); ext != name {
		if hits := Find([]byte(strings.TrimSuffix(name, ext))); len(hits) > 0 {
			return hits
		}
	}
	return Find([]byte(name))
}

// Redact returns text with every likely secret, guesses too, cut to its first
// characters, for messages and logs that quote a user's text.
func Redact(text string) string { return cutOut(text, Find([]byte(text)), false) }

// RedactKnown returns text with the known secrets cut to their first characters,
// for what is published: a guess is no reason to change what a text says.
func RedactKnown(text string) string { return cutOut(text, Find([]byte(text)), true) }

// cutOut cuts hits to their first characters, all or those that are known.
func cutOut(text string, hits []Hit, known bool) string {
	var b strings.Builder
	at := 0
	for _, h := range hits {
		switch {
		case known && !h.Known:
			continue
		case h.Start < at:
			at = max(at, h.End)
			continue
		}
		b.WriteString(text[at:h.Start] + h.Shown + "…")
		at = h.End
	}
	if at == 0 && b.Len() == 0 {
		return text
	}
	b.WriteString(text[at:])
	return b.String()
}

type scan struct {
	text    []byte
	forms   *formatIndex
	hits    []Hit
	spent   int      // bytes looked at for tokens that markup breaks
	named   int      // end of the last word that may be the name of a password
	seen    int      // offset of the value that was looked at last for its announcement
	guessed int      // end of the guesses so far: another one within does not count
	failed  struct { // the last form that did not fit what has its prefix and its alphabet
		prefix string
		end    int
	}
	blank int // offset of a blank before which none was found
}

// add records a hit.
func (s *scan) add(kind string, known bool, start, end int) {
	first := []rune(string(s.text[start:min(end, start+16)]))
	s.hits = append(s.hits, Hit{Kind: kind, Known: known, Start: start, End: end, Shown: string(first[:min(len(first), most)])})
}

// isPublished reports a token that a vendor or a standard prints as an example in
// its own documentation, or that an emulator accepts by default. Such a token opens
// nothing, and many pages repeat it. Only its hash is kept here.
func isPublished(token []byte) bool {
	if len(token) > keyMost {
		return false
	}
	sum := sha256.Sum256(token)
	switch hex.EncodeToString(sum[:]) {
	case "0011cc25eb4320717494d2703e8cba85743e71b500283c21c8b88147992f9059", // Azure storage emulator
		"aa6547439583c3a275d4542a0df6c1ad6a863971be9f2a2220f027cc02aef615", // Azure Cosmos emulator
		"2cafc0970149a84f3b9e62eaf169f36f59907a3b3e31f7b82e68c69cd27f7326", // Stripe, test key of the first steps
		"f2d6ca16515033e5dce14eba840b979d27b5cbae24bb3e5bf484339667f86397", // Stripe, an earlier one
		"3543c50b0cb9cea8e55eb1f529b79f043cb250d485fde7b66cabbb5183add7da", // GitHub, personal access tokens
		"b8e148545b13c78bc74da2f1a7275dd71e56ddece129d7d2f7b3ecc06f7994da", // RFC 6750, bearer token
		"6c96130f130ab0d6d158397e24d2bcc1c9a5e73ae081f6e983f1c7b545d24a4c", // RFC 6749, access token
		"6db2421df4cd9fc1050edb4a50d41c9e3bfd952845d2ad09a7d54a0e5235078b": // RFC 8410, Ed25519 private key
		return true
	}
	return false
}

// An alphabet says which bytes a part of a token may hold.
type alphabet func(byte) bool

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool  { return c >= 'a' && c <= 'z' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func isHex(c byte) bool     { return isDigit(c) || c >= 'a' && c <= 'f' }
func isCapital(c byte) bool { return isUpper(c) || isDigit(c) }
func isSmall(c byte) bool   { return isLower(c) || isDigit(c) }
func isPlain(c byte) bool   { return isLetter(c) || isDigit(c) }
func isBase64(c byte) bool  { return isPlain(c) || c == '+' || c == '/' || c == '=' }
func isDotted(c byte) bool  { return isTokenRest(c) || c == '.' }

// isTokenByte reports a byte that may begin a token.
func isTokenByte(c byte) bool { return isPlain(c) || c == '_' }

// isTokenRest reports a byte that may continue a token.
func isTokenRest(c byte) bool { return isTokenByte(c) || c == '-' }

// run returns the end of the bytes of an alphabet from an offset on, at most most
// of them.
func run(text []byte, at, most int, of alphabet) int {
	limit := min(len(text), at+most)
	for at < limit && of(text[at]) {
		at++
	}
	return at
}

// only reports whether a text holds nothing but bytes of an alphabet.
func only(text string, of alphabet) bool {
	for i := range len(text) {
		if !of(text[i]) {
			return false
		}
	}
	return true
}

// isUUID reports a text such as 8f14e45f-ceea-467f-a8f0-9f1b2c3d4e5f.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i := range len(text) {
		switch i {
		case 8, 13, 18, 23:
			if text[i] != '-' {
				return false
			}
		default:
			if !isHex(text[i] | 0x20) {
				return false
			}
		}
	}
	return true
}
