package secret

import (
	"bytes"
	"encoding/base64"
)

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
