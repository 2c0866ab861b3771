package secret

import (
	"bytes"
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
