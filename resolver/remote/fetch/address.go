package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"syscall"
)

// allowHTTP is the environment variable that allows plain http where a
// reference says so itself.
const allowHTTP = "PACKGEN_ALLOW_HTTP"

// parse reads an absolute address that a user or a configuration wrote.
func (c *Client) parse(op, address string) (*url.URL, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, &Error{Op: op, URL: Redact(address), Rule: ruleAddress, What: "this is not an address", Hint: "write https://HOST/PATH"}
	}
	u.Fragment, u.RawFragment = "", ""
	if err := c.allowed(op, u, nil); err != nil {
		return nil, err
	}
	return u, nil
}

// allowed says whether a request may go to an address. from is the address that
// redirected to it, nil when the reference itself names it.
func (c *Client) allowed(op string, to, from *url.URL) error {
	refuse := func(what, hint string) error {
		e := &Error{Op: op, URL: redacted(to), Rule: ruleAddress, What: what, Hint: hint}
		if from != nil {
			e.Rule, e.URL, e.What = ruleRedirect, redacted(from), "redirects to "+redacted(to)+", where "+what
		}
		return e
	}
	switch {
	case to.Scheme != "https" && to.Scheme != "http":
		return refuse(fmt.Sprintf("the scheme %q is not fetched", plain(to.Scheme, 40)), "packs are fetched over https")
	case to.Host == "" || to.Hostname() == "" || to.Opaque != "":
		return refuse("no host is named", "write https://HOST/PATH")
	case to.User != nil:
		return refuse("the address holds a user or password", "addresses are written to packgen.lock and to logs; leave credentials out")
	case from != nil && isOwn(to) && !isOwn(from):
		return refuse("only this machine itself may ask", "a server elsewhere may not lead to this machine, nor to what only it can reach")
	case to.Scheme == "https", isLoopback(to):
		return nil
	case from != nil && from.Scheme != "http":
		return refuse("nothing protects the bytes on their way", "a redirect from https to http is never followed")
	case c.options.Getenv(allowHTTP) == "1":
		return nil
	}
	return refuse("plain http is refused", "use https, or set "+allowHTTP+"=1 for a network you trust")
}

// isLoopback reports whether an address is this machine's own, by its text. Names
// below localhost do not count: a name server may answer for them.
func isLoopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// metadata are the names and addresses at which clouds give a machine its secrets, as
// far as they are not link-local.
var metadata = []string{"metadata.google.internal", "metadata", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "fd20:ce::254"}

// isOwn reports an address that means another machine to each machine: its own, that of
// its link, and the metadata of its cloud. Only the text is looked at.
func isOwn(u *url.URL) bool {
	if isLoopback(u) {
		return true
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	host, _, _ = strings.Cut(host, "%")
	if ip := net.ParseIP(host); ip != nil {
		return isOwnIP(ip)
	}
	return slices.Contains(metadata, host) || strings.HasSuffix(host, ".localhost")
}

func isOwnIP(ip net.IP) bool {
	if ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast() || ip.IsMulticast() {
		return true
	}
	return slices.ContainsFunc(metadata, func(name string) bool { return ip.Equal(net.ParseIP(name)) })
}

// refuseOwn ends a connection to an address that isOwnIP reports, whatever name led to it.
func refuseOwn(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	host, _, _ = strings.Cut(host, "%")
	if ip := net.ParseIP(host); ip == nil || isOwnIP(ip) {
		return errOwn
	}
	return nil
}

// errOwn is the end of a connection to where a server elsewhere must not lead.
var errOwn = errors.New("the name leads to this machine, or to what only it can reach")

// origin is what a token belongs to: scheme, host and port.
func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "http": "80"}[u.Scheme]
	}
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Redact returns an address as it may be printed: without user, password, query
// and fragment, on one line.
func Redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		address, _, _ = strings.Cut(withoutUser(address), "?")
		address, _, _ = strings.Cut(address, "#")
		return plain(address, maxURL)
	}
	return redacted(u)
}

// redacted is Redact of an address that is already parsed.
func redacted(u *url.URL) string {
	clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath, Opaque: withoutUser(u.Opaque)}
	return plain(clean.String(), maxURL)
}

// withoutUser cuts what may be a user and password out of a text that could not
// be read as an address: all from the first "//", or from the start, to the last
// @. It rather cuts too much.
func withoutUser(text string) string {
	at := strings.LastIndexByte(text, '@')
	if at < 0 {
		return text
	}
	start := 0
	if i := strings.Index(text[:at], "//"); i >= 0 {
		start = i + len("//")
	}
	return text[:start] + text[at+1:]
}

// below appends path segments to an address. Each is escaped whole, so that a
// slash inside one stays part of it.
func below(base *url.URL, segments ...string) *url.URL {
	u := *base
	raw := strings.TrimSuffix(base.EscapedPath(), "/")
	path := strings.TrimSuffix(base.Path, "/")
	for _, s := range segments {
		raw += "/" + url.PathEscape(s)
		path += "/" + s
	}
	u.Path, u.RawPath, u.RawQuery = path, raw, ""
	return &u
}
