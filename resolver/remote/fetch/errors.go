package fetch

import (
	"fmt"
	"strings"
	"time"
)

// Rules of Error: what went wrong, for programs.
const (
	ruleAddress     = "fetch-address"     // the address itself is refused: scheme, host, path
	ruleOffline     = "fetch-offline"     // Options.Offline
	ruleConnect     = "fetch-connect"     // no connection, or it broke
	ruleTLS         = "fetch-tls"         // the certificate or the handshake
	ruleTimeout     = "fetch-timeout"     // connect, header or idle time is over
	ruleRedirect    = "fetch-redirect"    // too many, a loop, or to where we do not go
	ruleToken       = "fetch-token"       // 401, 403: a token is missing or may not
	RuleNotFound    = "fetch-not-found"   // 404, or nothing fits the reference
	RuleExpired     = "fetch-expired"     // 410, or the artifact's time is over
	ruleRateLimit   = "fetch-rate-limit"  // 429, or 403 that says so
	ruleServer      = "fetch-server"      // any other status
	RuleTooLarge    = "fetch-too-large"   // more bytes than Limits allow
	ruleTruncated   = "fetch-truncated"   // fewer or more bytes than the server announced
	ruleContent     = "fetch-content"     // the answer is not what it should be
	ruleUntrusted   = "fetch-untrusted"   // the run belongs to a fork, failed, or does not match
	ruleWrite       = "fetch-write"       // the local file
	ruleInterrupted = "fetch-interrupted" // the context ended
)

// Error is a failed exchange with a server. It holds no secrets: the URL has
// no user, query or fragment, and no token is in any field.
type Error struct {
	Op     string // what was asked, such as "list artifacts of o/r"
	URL    string // redacted; "" when nothing was asked of a server
	Status int    // HTTP status, 0 when none came
	Rule   string // one of the Rule constants
	What   string // what came back or what is wrong, one line
	Hint   string // what to do, one line; may be ""
	Tries  int    // how often it was tried, 0 for once
	Err    error  // the cause, may be nil; its own text may hold a URL, so it is not printed

	again bool          // another try may help
	wait  time.Duration // that the server asks for before it; 0 when it does not say
}

// Error says what was asked, of which address, what came, and what to do.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.URL != "" {
		b.WriteString(": " + e.URL)
	}
	if e.What != "" {
		b.WriteString(": " + e.What)
	}
	if e.Tries > 1 {
		fmt.Fprintf(&b, ", after %d tries", e.Tries)
	}
	return b.String()
}

// Advice returns what can be done, "" when that is not known.
func (e *Error) Advice() string { return e.Hint }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// MismatchError says that the bytes of an archive are not those that were
// announced. Commands exit 3 on it.
type MismatchError struct {
	URL       string // redacted
	Want, Got string // "sha256:" and hex digits
}

func (e *MismatchError) Error() string {
	return fmt.Sprintf("%s: the bytes are not the announced ones\n  want %s\n  got  %s", e.URL, e.Want, e.Got)
}

// ChooseError says that a site holds several packs and none was named.
type ChooseError struct {
	URL   string   // of the site, redacted
	Names []string // of its packs, sorted
}

func (e *ChooseError) Error() string {
	return fmt.Sprintf("%s holds %d packs: choose one with #NAME: %s", e.URL, len(e.Names), strings.Join(e.Names, ", "))
}
