package lint

import "github.com/packgen/packgen/compiler/secret"

// Secrets finds likely secrets in a file's bytes, whatever its format. They are
// never weak.
func Secrets(text []byte) []Hit {
	var hits []Hit
	for _, h := range secret.Find(text) {
		hits = append(hits, Hit{Kind: h.Kind, Start: h.Start, End: h.End, Shown: h.Shown})
	}
	return hits
}

// Redact returns text with every likely secret cut to its first characters, for
// messages that quote a user's text.
func Redact(text string) string { return secret.Redact(text) }
