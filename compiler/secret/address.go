package secret

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"strings"
)

// maxAuthority is how far into an address a password is looked for, in bytes, and
// leastPassword how long it is at least.
const (
	maxAuthority  = 256
	leastPassword = 6
)

// address looks at the "://" of an address for a user with a password, as the
// connection strings of databases have it, and returns where to continue.
func (s *scan) address(at int) int {
	from := at + len("://")
	end := run(s.text, from, maxAuthority, inAuthority)
	sign := bytes.LastIndexByte(s.text[from:end], '@')
	if sign < 0 {
		return from
	}
	user, password, ok := bytes.Cut(s.text[from:from+sign], []byte(":"))
	if !ok {
		return from
	}
	text := string(password)
	if plain, err := url.PathUnescape(text); err == nil {
		text = plain
	}
	if len(text) < leastPassword || isTemplate(text) || isPathLike(text, passwordName) || isStandIn(text, string(user)) {
		return from
	}
	isWord, isExample := isWordy(strings.ToLower(text), false), isExampleHost(s.text[from+sign+1:end])
	if !isWord || !isExample {
		s.add(kindAddress, !isWord && !isExample, from+len(user)+1, from+sign)
	}
	return from
}

// isStandIn reports a password that only shows where one goes: its user's name, fillers, with
// signs among their letters too, and rows.
func isStandIn(text, user string) bool {
	if strings.EqualFold(text, user) || fewCharacters(text) || saysPlaceholder(text) || runsOn(text) || madeOfWords(text) {
		return true
	}
	letters := strings.Map(func(r rune) rune {
		if r < 0x80 && !isLetter(byte(r)) {
			return -1
		}
		return r
	}, text)
	return !hasDigit(text) && madeOfWords(letters)
}

// isExampleHost reports a host that only examples and tests have: this machine, and the
// names that are kept for documentation.
func isExampleHost(host []byte) bool {
	name, _, _ := strings.Cut(strings.ToLower(string(host)), ":")
	switch name {
	case "", "localhost", "127.0.0.1", "0.0.0.0", "host", "hostname", "server", "db", "database":
		return true
	}
	return strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".invalid") || strings.HasSuffix(name, ".localhost") ||
		strings.HasSuffix("."+name, ".example.com") || strings.HasSuffix(name, ".example")
}

// inAuthority reports a byte that may belong to user, password and host. A "#" ends an
// address, but people write passwords as they are.
func inAuthority(c byte) bool {
	return !isBlank(c) && strings.IndexByte("/?\"'`<>\\|", c) < 0 && c > ' '
}

// The schemes of an authorization header whose value is a secret as it is.
var schemes = [...]string{"bearer", "token", "basic", "apikey", "key", "ssws", "bot", "oauth", "geniekey", "splunk"}

// leastBearer is the shortest token of a header that may be a secret, in bytes.
const leastBearer = 16

// header looks at the value after "Authorization:".
func (s *scan) header(from int) {
	at := run(s.text, from, 16, func(c byte) bool { return c == ' ' || c == '\t' || strings.IndexByte("\"'`=>:*", c) >= 0 })
	end := run(s.text, at, 16, isPlain)
	scheme := strings.ToLower(string(s.text[at:end]))
	known := false
	for _, each := range schemes {
		known = known || scheme == each
	}
	if !known || end >= len(s.text) || s.text[end] != ' ' {
		return
	}
	s.credentials(scheme, end+1)
}

// credentials looks at what follows the scheme of a header.
func (s *scan) credentials(scheme string, at int) {
	for at < len(s.text) && s.text[at] == ' ' {
		at++
	}
	end := run(s.text, at, maxPart, func(c byte) bool { return isBase64(c) || strings.IndexByte("-._~", c) >= 0 })
	for end > at && s.text[end-1] == '.' {
		end--
	}
	value := string(s.text[at:end])
	if scheme == "basic" {
		plain, err := base64.StdEncoding.DecodeString(value)
		user, password, ok := strings.Cut(string(plain), ":")
		if err != nil || !ok || len(password) < leastPassword || strings.Contains(password, " ") || password == user || isPlaceholderValue(password, false, passwordName) {
			return
		}
	} else if len(value) < leastBearer || !hasDigit(value) || isPlaceholderValue(value[:min(len(value), maxValue)], false, tokenName) {
		return
	}
	if !isPublished([]byte(value)) && !isCut(s.text[end:]) {
		s.add(kindHeader, false, at, end)
	}
}

// spoken looks at words that a secret follows after a space: "bearer", and the
// "password" of a .netrc file. It returns where to continue.
func (s *scan) spoken(i, end int) int {
	if end >= len(s.text) || s.text[end] != ' ' {
		return end
	}
	switch word := s.text[i:end]; {
	case len(word) == len("bearer") && bytes.EqualFold(word, []byte("bearer")):
		s.credentials("bearer", end+1)
	case string(word) == "password" && afterLogin(s.text[max(0, i-128):i]):
		s.valueAt(end, "password", passwordName, ' ')
	}
	return end
}

// afterLogin reports a text that ends in "login NAME".
func afterLogin(before []byte) bool {
	fields := bytes.Fields(before)
	return len(fields) >= 2 && string(fields[len(fields)-2]) == "login"
}
