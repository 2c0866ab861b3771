package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/packgen/packgen/compiler/bytesize"
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

// Advice says how one of them is named.
func (e *ChooseError) Advice() string {
	return "name one after #, such as #" + append(e.Names, "NAME")[0]
}

// broken explains why an exchange ended without a whole answer. err is what
// the transport or the body returned under ctx.
func (c *Client) broken(ctx context.Context, op string, at *url.URL, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	e := &Error{Op: op, URL: redacted(at), Err: err}
	if explainOwn(ctx, e, c.options.Timeouts) || explainTLS(e, at) {
		return e
	}
	e.Rule, e.again = ruleConnect, true
	host := at.Host
	if errors.Is(err, errOwn) {
		e.Rule, e.again = ruleRedirect, false
		e.What, e.Hint = plain(at.Hostname(), maxURL)+" leads to this machine, or to what only it can reach", "ask the owner of the server: it may not lead there"
		return e
	}
	var step *net.OpError
	if errors.As(err, &step) && step.Op == "proxyconnect" { // the server was not asked
		host = "the proxy that HTTPS_PROXY or HTTP_PROXY names"
	}
	var dns *net.DNSError
	var netErr net.Error
	switch {
	case errors.As(err, &dns):
		e.What, e.Hint = "the name "+plain(dns.Name, maxURL)+" was not found", "check the host name and the network"
		e.again = !dns.IsNotFound
	case errors.As(err, &netErr) && netErr.Timeout():
		e.Rule, e.What, e.Hint = ruleTimeout, host+" did not answer in time", "try again later, or check the network and HTTPS_PROXY"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.What, e.Hint = "connection refused by "+host, "check the address; is the server running?"
		e.again = false
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, syscall.EPIPE):
		e.What, e.Hint = host+" closed the connection", "try again later"
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.Rule, e.What, e.Hint = ruleTruncated, "the answer ended early", "try again later"
	default:
		e.What, e.Hint = c.scrub(err.Error()), "check the network and HTTPS_PROXY"
	}
	return e
}

// explainOwn handles the ends that we or the caller made.
func explainOwn(ctx context.Context, e *Error, t Timeouts) bool {
	switch {
	case errors.Is(e.Err, errHeaderTime):
		e.Rule, e.again = ruleTimeout, true
		e.What, e.Hint = fmt.Sprintf("no answer within %s", t.Connect+t.TLS+t.Header), "try again later"
	case errors.Is(e.Err, errIdleTime):
		e.Rule, e.again = ruleTimeout, true
		e.What, e.Hint = fmt.Sprintf("the server is too slow: fewer than %s in %s", bytesize.Text(minimumBytes), t.Idle), "try again later"
	case errors.Is(e.Err, errTotalTime):
		e.Rule = ruleTimeout
		e.What, e.Hint = fmt.Sprintf("not done within %s", t.Total), "try again later"
	case ctx.Err() != nil:
		e.Rule, e.What = ruleInterrupted, "interrupted"
	default:
		return false
	}
	return true
}

// explainTLS handles certificates and handshakes. They are not tried again.
func explainTLS(e *Error, at *url.URL) bool {
	var (
		unknown  x509.UnknownAuthorityError
		hostname x509.HostnameError
		invalid  x509.CertificateInvalidError
		record   tls.RecordHeaderError
		alert    *net.OpError // what the other side says to end a handshake has no type of its own
		verify   *tls.CertificateVerificationError
	)
	e.Rule = ruleTLS
	host := at.Hostname()
	switch {
	case errors.As(e.Err, &unknown):
		e.What = "no known authority has signed the certificate of " + host
		e.Hint = "name the certificate authority of your company, if it has one, with --cacert FILE or SSL_CERT_FILE"
	case errors.As(e.Err, &hostname):
		e.What, e.Hint = "the certificate is for another host than "+host, "check the address"
	case errors.As(e.Err, &invalid) && invalid.Reason == x509.Expired:
		e.What = "the certificate of " + host + " is expired or not yet valid"
		e.Hint = "check this machine's clock, then ask the server's owner"
	case errors.As(e.Err, &invalid), errors.As(e.Err, &verify):
		e.What, e.Hint = "the certificate of "+host+" is not valid", "ask the server's owner to fix it"
	case errors.As(e.Err, &record):
		e.What, e.Hint = host+" does not use TLS on this port", "check the port"
	case errors.As(e.Err, &alert) && alert.Op == "remote error" && strings.HasPrefix(alert.Err.Error(), "tls: "):
		e.What, e.Hint = host+" refused the TLS handshake: "+plain(alert.Err.Error(), maxQuoted), "check whether the server needs another version of TLS, or a client certificate"
	default:
		e.Rule = ""
		return false
	}
	return true
}

// scrub makes an error text of the standard library fit to print: no user, no
// token, one line.
func (c *Client) scrub(text string) string {
	if strings.Contains(text, "//") {
		text = withoutUser(text)
	}
	return plain(c.withoutTokens(text), maxQuoted)
}

// tokenVariables are the variables whose values are never printed.
var tokenVariables = []string{"GITHUB_TOKEN", "GH_TOKEN", "GITLAB_TOKEN", "CI_JOB_TOKEN"}

// withoutTokens replaces tokens that a server or a library repeats.
func (c *Client) withoutTokens(text string) string {
	for _, name := range tokenVariables {
		if token := strings.TrimSpace(c.options.Getenv(name)); len(token) >= 4 {
			text = strings.ReplaceAll(text, token, "***")
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.secrets {
		if len(s) >= 4 {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}

// refused explains an answer whose status is not the wanted one, and closes it.
func (c *Client) refused(r request, res *response) error {
	defer res.body.Close()
	message := c.message(res)
	e := &Error{Op: r.op, URL: redacted(res.at), Status: res.status, What: fmt.Sprintf("%d %s", res.status, http.StatusText(res.status))}
	if message != "" {
		e.What += fmt.Sprintf(", %q", message)
	}
	wait, limited := c.rateLimit(res, message)
	if r.service != nil && origin(res.at) != origin(r.service.base) {
		r.service = nil // the token's host is not to blame for what another one says
	}
	switch {
	case limited:
		c.limited(e, r.service, wait)
	case res.status == http.StatusUnauthorized:
		e.Rule, e.Hint = ruleToken, c.hint(r.service, res.at)
		if r.service != nil && r.service.token != "" {
			e.Hint = "set " + r.service.variable + " to another token: this one was not accepted, and may have expired"
		}
		if l := c.loginOf(r.service); l != nil {
			e.Hint = "check the login of " + l.From + ": it was not accepted, and may have expired"
		}
	case res.status == http.StatusForbidden:
		e.Rule, e.Hint = ruleToken, c.hint(r.service, res.at)
	case res.status == http.StatusNotFound:
		e.Rule, e.Hint = RuleNotFound, cmp.Or(r.missing, "check the address")
		if r.service != nil && !r.service.site {
			e.Hint = "check the spelling; " + r.service.name + " also says this where a token is missing or may not read: " + c.hint(r.service, res.at)
		}
	case res.status == http.StatusGone:
		e.Rule, e.Hint = RuleExpired, "let CI build it again: it has expired and was deleted"
	case isPassing(res.status):
		e.Rule, e.Hint, e.again, e.wait = ruleServer, "try again later", true, wait
	default:
		e.Rule = ruleServer
	}
	return e
}

// isPassing reports whether a status usually goes away by itself.
func isPassing(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// limited fills in an error for a server that wants fewer requests.
func (c *Client) limited(e *Error, s *service, wait time.Duration) {
	e.Rule, e.again, e.wait = ruleRateLimit, true, wait
	e.Hint = "wait, then try again"
	if wait > 0 {
		e.Hint = fmt.Sprintf("wait %s, as the server asks", wait.Round(time.Second))
	}
	if s != nil && s.token == "" {
		e.Hint += "; with a token the limit is higher: " + s.missing
	}
}

// message is the one in an error's JSON body, plain, or "".
func (c *Client) message(res *response) string {
	data, err := io.ReadAll(io.LimitReader(res.body, 4<<10))
	if err != nil {
		return ""
	}
	return plain(c.withoutTokens(messageIn(data)), maxQuoted)
}

// messageIn finds the sentence for people in an error document of GitHub
// ("message") or GitLab ("message", "error_description", "error").
func messageIn(data []byte) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(data, &fields) != nil {
		return ""
	}
	for _, key := range []string{"message", "error_description", "error"} {
		var text string
		if json.Unmarshal(fields[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// rateLimit reads whether an answer is about too many requests, and how long
// the server asks to wait, 0 when it does not say. GitHub answers 403 or 429,
// with Retry-After or with X-RateLimit-Remaining: 0 and X-RateLimit-Reset in
// Unix seconds, or only says so in words; GitLab answers 429 with Retry-After.
func (c *Client) rateLimit(res *response, message string) (wait time.Duration, limited bool) {
	wait = retryAfter(res.header.Get("Retry-After"), c.options.Now())
	spent := res.header.Get("X-RateLimit-Remaining") == "0"
	if wait == 0 && spent {
		if at, err := strconv.ParseInt(res.header.Get("X-RateLimit-Reset"), 10, 64); err == nil && at > 0 && at < 1<<40 {
			wait = max(time.Second, time.Unix(at, 0).Sub(c.options.Now()))
		}
	}
	switch res.status {
	case http.StatusTooManyRequests:
		return wait, true
	case http.StatusForbidden:
		words := strings.Contains(strings.ToLower(message), "rate limit")
		if words && wait == 0 {
			wait = maxWait
		}
		return wait, words || spent || wait > 0
	}
	return wait, false
}

// retryAfter reads a Retry-After header: seconds or a date. 0 means that it
// says nothing we understand.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// How much of a server's own words is in a message, in bytes.
const (
	maxURL    = 512
	maxQuoted = 200
)

// plain makes a server's text fit for one line of a terminal: valid UTF-8,
// without control, format and separator characters, at most limit bytes and
// then an ellipsis.
func plain(text string, limit int) string {
	if len(text) > 4*limit {
		text = text[:4*limit]
	}
	var b strings.Builder
	space := 0 // bytes of the space that is due
	for _, r := range text {
		if unicode.IsSpace(r) {
			space = min(1, b.Len())
			continue
		}
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			continue
		}
		if b.Len()+space+utf8.RuneLen(r) > limit {
			return b.String() + "…"
		}
		b.WriteString(" "[:space])
		space = 0
		b.WriteRune(r)
	}
	return b.String()
}
