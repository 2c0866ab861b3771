// Package secret finds likely secrets in texts and paths and cuts them out of
// what is shown (agent-knowledge section 18.4). It knows nothing of packs, so
// that whatever prints can use it.
package secret

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"path"
	"slices"
	"strings"
)

// Hit is a likely secret.
type Hit struct {
	Kind       string // what it looks like, such as "API key"
	Start, End int    // byte offsets into the text
	Shown      string // its first characters, at most four, which may be printed
}

// The kinds of secrets (agent-knowledge section 18.4).
const (
	kindPrivateKey = "private key"
	kindCloudKey   = "cloud access key id"
	kindGitToken   = "Git hosting token"
	kindChatToken  = "chat token"
	kindAPIKey     = "API key"
	kindJWT        = "JSON web token"
	kindAssigned   = "assigned secret" // password = "…"
)

// most is how many characters of a secret may be shown.
const most = 4

// Find finds likely secrets in a file's bytes, whatever its format, and tells
// for each the range it fills, so that whatever holds it can be withheld. Hits are
// in order of their place. A code block makes no difference: unlike an instruction
// a secret does its harm there too, and neither do escapes, character references
// and emphasis inside of a token with a known prefix.
//
// Text that stands for a secret is none: a value that says example, placeholder
// or changeme, a row of one character, a variable, a path, a plain word.
func Find(text []byte) []Hit {
	s := scan{text: text}
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '=' || c == ':':
			i = s.assignment(i)
		case c == '\\':
			i += 2 // an escape, such as the \n before a token in JSON
		case c == '-' && bytes.HasPrefix(text[i:], []byte(keyBegin)):
			i = s.privateKey(i)
		case isTokenByte(c):
			i = s.token(i)
		default:
			i++
		}
	}
	return sorted(s.hits)
}

// sorted orders hits by place and drops those within an earlier one of the same
// kind.
func sorted(hits []Hit) []Hit {
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

// RedactPath is Redact for a slash path. Each element is looked at by itself and
// without its extension, which would make a value look like a file's name.
func RedactPath(name string) string {
	elements := strings.Split(name, "/")
	changed := false
	for i, e := range elements {
		shown := Redact(e)
		if shown == e {
			if ext := path.Ext(e); ext != "" && ext != e {
				shown = Redact(strings.TrimSuffix(e, ext)) + ext
			}
		}
		changed = changed || shown != e
		elements[i] = shown
	}
	if !changed {
		return name
	}
	return strings.Join(elements, "/")
}

// Redact returns text with every likely secret cut to its first characters, for
// messages that quote a user's text.
func Redact(text string) string {
	hits := Find([]byte(text))
	if len(hits) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, h := range hits {
		if h.Start < at {
			at = max(at, h.End)
			continue
		}
		b.WriteString(text[at:h.Start] + h.Shown + "…")
		at = h.End
	}
	b.WriteString(text[at:])
	return b.String()
}

type scan struct {
	text  []byte
	hits  []Hit
	spent int // bytes looked at for tokens that markup breaks
}

func (s *scan) add(kind string, start, end int) {
	first := []rune(string(s.text[start:min(end, start+16)]))
	s.hits = append(s.hits, Hit{Kind: kind, Start: start, End: end, Shown: string(first[:min(len(first), most)])})
}

func isTokenByte(c byte) bool { return isLetter(c) || isDigit(c) || c == '_' }

// isTokenRest reports a byte that may continue a token.
func isTokenRest(c byte) bool { return isTokenByte(c) || c == '-' }

// token looks at a run of token characters, the dashes in it included, and
// returns its end.
func (s *scan) token(i int) int {
	end := i
	for end < len(s.text) && isTokenRest(s.text[end]) {
		end++
	}
	if end < len(s.text) && strings.IndexByte(" \t\n\r.,:;()\"'`/", s.text[end]) < 0 {
		if stop := s.broken(i); stop > end {
			return stop
		}
	}
	word := s.text[i:end]
	if len(word) < len("AKIA")+16 && (len(word) < 3 || word[0] != 'e') {
		return end
	}
	kind := tokenKind(string(word[:min(len(word), 256)]))
	switch {
	case kind == kindJWT:
		return s.webToken(i, end)
	case kind != "" && !isPlaceholderToken(word):
		s.add(kind, i, end)
	}
	return end
}

// tokenKind tells by its prefix and form what a token is; "" for no secret.
func tokenKind(word string) string {
	rest := func(prefix string, least int, fits func(byte) bool) bool {
		tail, ok := strings.CutPrefix(word, prefix)
		return ok && len(tail) >= least && strings.IndexFunc(tail, func(c rune) bool { return !fits(byte(c)) }) < 0
	}
	upper := func(c byte) bool { return c >= 'A' && c <= 'Z' || isDigit(c) }
	plain := func(c byte) bool { return isLetter(c) || isDigit(c) }
	switch {
	case rest("AKIA", 16, upper) && len(word) == 20, rest("ASIA", 16, upper) && len(word) == 20:
		return kindCloudKey
	case rest("ghp_", 20, plain), rest("gho_", 20, plain), rest("ghu_", 20, plain), rest("ghs_", 20, plain), rest("ghr_", 20, plain),
		rest("github_pat_", 22, isTokenByte), rest("glpat-", 20, isTokenRest):
		return kindGitToken
	case strings.HasPrefix(word, "xox") && len(word) > 15 && strings.IndexByte("abeoprs", word[3]) >= 0 && strings.ContainsAny(word, "0123456789") && word[4] == '-':
		return kindChatToken
	case rest("AIza", 35, isTokenRest):
		return kindAPIKey
	case (rest("sk-", 20, isTokenRest) || rest("sk_live_", 16, plain) || rest("rk_live_", 16, plain)) && hasLongPart(word):
		return kindAPIKey
	case strings.HasPrefix(word, "eyJ"):
		return kindJWT
	}
	return ""
}

// hasLongPart reports whether a token holds a part of 16 characters with digits
// among them: "sk-fading-circle-12-of-24" has none.
func hasLongPart(word string) bool {
	for _, part := range strings.FieldsFunc(word, func(c rune) bool { return c == '-' || c == '_' }) {
		if len(part) >= 16 && strings.ContainsAny(part, "0123456789") && strings.Trim(part, "0123456789") != "" {
			return true
		}
	}
	return false
}

// webToken looks at header.payload.signature and returns where to go on.
func (s *scan) webToken(start, end int) int {
	if inLinkPath(s.text, start) {
		return end
	}
	header, err := base64.RawURLEncoding.DecodeString(string(s.text[start:min(end, start+1024)]))
	if err != nil || !bytes.Contains(header, []byte(`"alg"`)) {
		return end
	}
	stop := end
	for part := range 2 {
		if stop >= len(s.text) || s.text[stop] != '.' {
			return end
		}
		from := stop + 1
		for stop = from; stop < len(s.text) && isTokenRest(s.text[stop]); stop++ {
		}
		if least := []int{4, 16}[part]; stop-from < least {
			return end
		}
	}
	s.add(kindJWT, start, stop)
	return stop
}

// maxLink is how far before a token the scheme of its URL may stand, in bytes.
const maxLink = 128

// inLinkPath reports a token that is an element of a URL's path. Links in
// newsletters carry signed web tokens there; they are made to be passed on.
func inLinkPath(text []byte, start int) bool {
	if start == 0 || text[start-1] != '/' {
		return false
	}
	head := text[max(0, start-maxLink):start]
	if i := bytes.LastIndexAny(head, " \t\n"); i >= 0 {
		head = head[i+1:]
	}
	return bytes.Contains(head, []byte("://")) && bytes.IndexByte(head, '?') < 0
}

// isPlaceholderToken reports a token that is made up to be read: the example of
// a vendor, a row of one character.
func isPlaceholderToken(word []byte) bool {
	text := strings.ToLower(string(word[:min(len(word), 256)]))
	for _, say := range []string{"example", "placeholder", "xxxx", "0000000", "aaaaaaa", "redacted", "your_", "your-", "yourtoken", "yourkey", "yourprivate", "keyhere", "goeshere"} {
		if strings.Contains(text, say) {
			return true
		}
	}
	return false
}

// A private key is found by its first line. A header without key material, as a
// manual shows it, is no key.
const (
	keyBegin  = "-----BEGIN "
	keyEnd    = "-----END "
	keyHeader = 64       // longest label, in bytes
	keyMost   = 64 << 10 // longest key, in bytes

	keyLeast       = 40 // characters of key material in a row
	keyLeastClosed = 16 // the same where an end line follows
)

// privateKey looks at a "-----BEGIN" and returns where to go on.
func (s *scan) privateKey(i int) int {
	label := s.text[i+len(keyBegin) : min(len(s.text), i+len(keyBegin)+keyHeader)]
	close := bytes.Index(label, []byte("-----"))
	if close < 0 || !bytes.Contains(label[:close], []byte("PRIVATE KEY")) {
		return i + len(keyBegin)
	}
	at := i + len(keyBegin) + close + 5
	material, end := keyMaterial(s.text[:min(len(s.text), i+keyMost)], at)
	least := keyLeast
	if closed := bytes.HasPrefix(s.text[end:], []byte(keyEnd)); closed {
		least = keyLeastClosed
		tail := s.text[end+len(keyEnd) : min(len(s.text), end+len(keyEnd)+keyHeader)]
		if stop := bytes.Index(tail, []byte("-----")); stop >= 0 {
			end += len(keyEnd) + stop + 5
		}
	}
	if len(material) < least || isPlaceholderToken(material) {
		return at
	}
	s.add(kindPrivateKey, i, end)
	return end
}

// keyMaterial walks over what may stand in a key and returns the longest run of
// base64 and the offset where something else begins.
func keyMaterial(text []byte, at int) (longest []byte, end int) {
	run := at
	keep := func(to int) {
		if to-run > len(longest) {
			longest = text[run:to]
		}
	}
	for end = at; end < len(text); end++ {
		c := text[end]
		if isLetter(c) || isDigit(c) || c == '+' || c == '/' || c == '=' {
			continue
		}
		keep(end)
		run = end + 1
		switch {
		case c == '\\' && end+1 < len(text) && (text[end+1] == 'n' || text[end+1] == 'r'):
			end++
			run = end + 1
		case c == '-' && bytes.HasPrefix(text[end:], []byte("-----")), !isBlank(c) && bytes.IndexByte([]byte("\"'>#|,-:()"), c) < 0:
			return longest, end
		}
	}
	keep(end)
	return longest, end
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isBlank(c byte) bool  { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }
