package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"syscall"

	"github.com/packgen/packgen/compiler/bytesize"
)

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
