package lint

import "github.com/packgen/packgen/compiler/secret"

// Hit is a likely secret.
type Hit = secret.Hit

// Secrets finds likely secrets in a file's bytes, whatever its format.
func Secrets(text []byte) []Hit { return secret.Find(text) }

// Redact returns text with every likely secret cut to its first characters, for
// messages that quote a user's text.
func Redact(text string) string { return secret.Redact(text) }
