package secret

import (
	"bytes"
	"encoding/base64"
)

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
