package secret

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// token looks at a run of token characters, the dashes in it included, and returns
// where to continue.
func (s *scan) token(i int) int {
	end, parted := i, false
	for end < len(s.text) && isTokenRest(s.text[end]) {
		c := s.text[end]
		parted = parted || c == '-' || c == '_'
		end++
	}
	if end < len(s.text) && mayJoin(s.text[end]) {
		if stop := s.broken(i); stop > end {
			return stop
		}
	}
	if stop := s.form(i, false); stop > 0 {
		return max(stop, end)
	}
	if stop := s.shape(i, end); stop > 0 {
		return max(stop, end)
	}
	if parted && end-i >= leastInner {
		for j := i + 1; j < min(end, i+maxInner); j++ {
			if c := s.text[j-1]; c == '-' || c == '_' {
				if stop := s.form(j, true); stop > 0 {
					return max(stop, end)
				}
			}
		}
	}
	s.word(i, end)
	if end-i >= len("bearer") && end-i <= len("passphrase") {
		return max(end, s.spoken(i, end))
	}
	return end
}

// word looks at a word that is not a token by its form.
func (s *scan) word(i, end int) {
	if isRare(s.text[i:end]) || (s.named >= i-maxBefore || precedesName(s.text, end)) && isMarked(s.text, i, end) {
		s.announced(i)
	}
	if mayName(s.text[i:end]) {
		s.named = end
	}
}

// mayJoin reports a byte with which markup inside of a token may begin.
func mayJoin(c byte) bool { return c >= 0x80 || strings.IndexByte("\\&*<[]`~", c) >= 0 }

// A token inside of a word is looked for in words from leastInner bytes on, and in
// their first maxInner bytes.
const (
	leastInner = 24
	maxInner   = 256
)

// form looks for a token with a prefix that begins at an offset and returns its
// end; 0 where there is none. A token that is made up to be read is skipped.
func (s *scan) form(at int, inner bool) int {
	forms := s.forms.beginning(s.text[at:])
	for i := range forms {
		f := &forms[i]
		if inner && !f.distinct() {
			continue
		}
		if at < s.failed.end && f.prefix == s.failed.prefix {
			continue // within what was looked at
		}
		end, far := f.end(s.text, at)
		if end == 0 {
			if far-at >= maxToken {
				s.failed.prefix, s.failed.end = f.prefix, far
			}
			continue
		}
		s.judge(f.kind, at, at+len(f.prefix), end)
		return end
	}
	return 0
}

// judge records a token whose form is known, unless it is made up to be read. One
// of one or two characters over and over is a guess: no provider gives out such.
func (s *scan) judge(kind string, start, rest, end int) {
	word := string(s.text[rest:min(end, rest+maxToken)])
	if saysPlaceholder(word) || isPublished(s.text[start:end]) {
		return
	}
	s.add(kind, different(word, 3) > 2, start, end)
}

// shape looks at a word for tokens that have a form and no prefix, or one that is
// too short to go by, and returns where to continue; 0 for no token.
func (s *scan) shape(i, end int) int {
	word := s.text[i:end]
	switch {
	case len(word) >= 3 && string(word[:3]) == "eyJ":
		return s.webToken(i, end)
	case len(word) < 14:
		return 0
	case len(word) >= 36 && len(word) <= 37 && only(string(word[:32]), isHex) && string(word[32:35]) == "-us" && only(string(word[35:]), isDigit):
		s.judge("Mailchimp API key", i, i, end)
		return end
	case len(word) == 40 && bytes.HasSuffix(word, []byte("NRAL")) && only(string(word[:36]), isHex):
		s.judge(kindNewRelic, i, i, end)
		return end
	case len(word) == 84 && isAzureKey(string(word)):
		s.judge(kindAzure, i, i, end)
		return end
	case len(word) >= 23 && len(word) <= 28 && strings.IndexByte("MNO", word[0]) >= 0:
		return s.discord(i, end)
	case len(word) == 14 && bytes.HasPrefix(s.text[end:], []byte(".atlasv1.")):
		if stop := run(s.text, end+9, 80, isTokenRest); stop-end-9 >= 60 {
			s.judge("Terraform Cloud token", i, i, stop)
			return stop
		}
	case (len(word) == 15 || len(word) == 18) && bytes.HasPrefix(word, []byte("00D")) && bytes.HasPrefix(s.text[end:], []byte("!")):
		if stop := run(s.text, end+1, 200, isDotted); stop-end-1 >= 80 {
			s.judge("Salesforce session id", i, i, stop)
			return stop
		}
	case bytes.HasPrefix(word, []byte(base64Begin)):
		return s.base64Key(i)
	}
	return 0
}

// isAzureKey reports the keys of 84 characters that Azure gives out, which bear a
// mark at a fixed place.
func isAzureKey(word string) bool {
	return (word[52:57] == "JQQJ9" || word[76:80] == "AZDO") && only(word, isPlain)
}

// discord looks at the three parts of a bot token.
func (s *scan) discord(i, end int) int {
	stop := end
	for part, size := range [2][2]int{{6, 6}, {27, 40}} {
		if stop >= len(s.text) || s.text[stop] != '.' {
			return 0
		}
		from := stop + 1
		stop = run(s.text, from, 64, isTokenRest)
		if stop-from < size[0] || stop-from > size[1] {
			return 0
		}
		if part == 1 && !mixed(string(s.text[from:stop])) {
			return 0
		}
	}
	s.judge("Discord bot token", i, i, stop)
	return stop
}

// botToken looks at the ":" of a Telegram bot token, a number before it, and
// returns where the token ends; 0 for none.
func (s *scan) botToken(at int) int {
	if !bytes.HasPrefix(s.text[at+1:], []byte("AA")) {
		return 0
	}
	start := at
	for start > 0 && at-start < 12 && isDigit(s.text[start-1]) {
		start--
	}
	end := run(s.text, at+1, 64, isTokenRest)
	if n := at - start; n < 8 || n > 10 || end-at-1 != 35 || start > 0 && isLetter(s.text[start-1]) && !escaped(s.text, start) && !bytes.HasSuffix(s.text[:start], []byte("bot")) {
		return 0
	}
	s.judge("Telegram bot token", start, at+1, end)
	return end
}

// escaped reports whether the letter before an offset is that of an escape, such as
// the \n before a token in JSON.
func escaped(text []byte, at int) bool { return at >= 2 && text[at-2] == '\\' }

// tilde looks at the "~" of a client secret of Entra ID, such as abc8Q~…, and returns
// where to continue.
func (s *scan) tilde(at int) int {
	inner := func(c byte) bool { return isDotted(c) || c == '~' }
	if at < 5 || s.text[at-1] != 'Q' || !isDigit(s.text[at-2]) || !inner(s.text[at-3]) || at > 5 && isTokenByte(s.text[at-6]) && !escaped(s.text, at-5) {
		return at + 1
	}
	end := run(s.text, at+1, 64, inner)
	for end > at && s.text[end-1] == '.' {
		end--
	}
	if n := end - at - 1; n < 31 || n > 34 {
		return at + 1
	}
	s.judge("Entra ID client secret", at-5, at-5, end)
	return end
}

// maxPart is how much of a part of a web token is decoded, in bytes.
const maxPart = 4 << 10

// webToken looks at header.payload.signature and returns where to continue; 0 for
// something else. Anybody may issue such a token, and most are valid for minutes,
// so it is a guess except for issuers whose tokens are kept.
func (s *scan) webToken(start, end int) int {
	if inLinkPath(s.text, start) {
		return 0
	}
	header, err := base64.RawURLEncoding.DecodeString(string(s.text[start:min(end, start+1024)]))
	if err != nil || !bytes.Contains(header, []byte(`"alg"`)) {
		return 0
	}
	parts := [2][2]int{}
	stop := end
	for part := range parts {
		if stop >= len(s.text) || s.text[stop] != '.' {
			return 0
		}
		from := stop + 1
		for stop = from; stop < len(s.text) && isTokenRest(s.text[stop]); stop++ {
		}
		if least := []int{4, 16}[part]; stop-from < least {
			return 0
		}
		parts[part] = [2]int{from, stop}
	}
	payload := s.text[parts[0][0]:min(parts[0][1], parts[0][0]+maxPart)]
	claims, err := base64.RawURLEncoding.DecodeString(string(payload))
	if err == nil && isSampleClaims(claims) {
		return stop
	}
	kind, known := issuer(claims)
	if !isPublished(s.text[start:stop]) {
		s.add(kind, known, start, stop)
	}
	return stop
}

// isSampleClaims reports a payload that is made up to be read, as the pages that
// explain web tokens have it.
func isSampleClaims(claims []byte) bool {
	for _, say := range [...]string{"John Doe", "example", `"1234567890"`, `"joe"`} {
		if bytes.Contains(claims, []byte(say)) {
			return true
		}
	}
	return false
}

// issuer returns what a web token is for, and whether it is one that a provider
// gives out as a key.
func issuer(claims []byte) (kind string, known bool) {
	switch {
	case bytes.Contains(claims, []byte(`"service_role"`)) && bytes.Contains(claims, []byte(`"supabase"`)):
		return kindSupabase, true
	case bytes.Contains(claims, []byte(`"kubernetes/serviceaccount"`)):
		return "Kubernetes service account token", true
	}
	return kindJWT, false
}

// maxLink is how far before a token the scheme of its URL may be, in bytes.
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

// A private key is found by its first line. A header without key material, as a
// manual shows it, is not a key.
const (
	keyBegin  = "-----BEGIN "
	keyEnd    = "-----END "
	keyHeader = 64       // longest label, in bytes
	keyMost   = 64 << 10 // longest key, in bytes

	keyLeast       = 40 // characters of key material in a row
	keyLeastClosed = 16 // the same where an end line follows
)

// privateKey looks at a "-----BEGIN" and returns where to continue.
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
	if len(material) < least || saysPlaceholder(string(material[:min(len(material), maxToken)])) || isPublished(s.text[i:end]) {
		return at
	}
	s.add(kindPrivateKey, true, i, end)
	return end
}

// keyMaterial walks over what may be in a key and returns the longest run of
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
		if isBase64(c) {
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

// base64Begin is how "-----BEGIN " starts in base64, as configuration files of
// clusters hold keys.
const base64Begin = "LS0tLS1CRUdJTi"

// base64Key looks at base64 that holds a private key and returns where to continue; 0
// for something else.
func (s *scan) base64Key(i int) int {
	const label = 64 // characters that hold the whole of the first line's label
	end := run(s.text, i, keyMost, isBase64)
	if end-i < 2*label {
		return 0
	}
	head, err := base64.StdEncoding.DecodeString(string(s.text[i : i+label]))
	if err != nil || !bytes.Contains(head, []byte("PRIVATE KEY")) {
		return 0
	}
	s.judge(kindPrivateKey, i, i, end)
	return end
}
