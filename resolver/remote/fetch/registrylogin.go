package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"oras.land/oras-go/v2/registry"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/errcode"

	"github.com/packgen/packgen/resolver/remote/login"
)

// Repository returns the address of a repository below /v2/ of its registry, or of the
// mirror of it. It is https, except for a server of this machine, or with
// PACKGEN_ALLOW_HTTP=1, that does not know TLS. Errors are *Error.
func (c *Client) Repository(ctx context.Context, r Registry) (*url.URL, error) {
	const op = "ask the registry"
	if c.unusable != nil {
		return nil, c.unusable
	}
	place := c.mirrored("oci://" + r.Host + "/" + r.Name)
	host, name, _ := strings.Cut(strings.TrimPrefix(place, "oci://"), "/")
	ref := registry.Reference{Registry: host, Repository: name}
	if err := ref.Validate(); err != nil {
		return nil, &Error{Op: op, Rule: ruleAddress, What: fmt.Sprintf("%q is not a repository of a registry", Redact(place)), Hint: "write oci://HOST/NAME"}
	}
	base, err := c.parse(op, "https://"+ref.Host()+"/v2/"+name)
	if err != nil {
		return nil, err
	}
	if !isLoopback(base) && c.options.Getenv(allowHTTP) != "1" {
		return base, nil
	}
	res, err := c.exchange(ctx, request{op: op, url: below(base, "tags", "list")})
	var answered tls.RecordHeaderError
	switch {
	case err == nil:
		res.body.Close() // that it speaks TLS was the question
	case errors.As(err, &answered) && string(answered.RecordHeader[:]) == "HTTP/":
		base.Scheme = "http"
	}
	return base, nil
}

// registryAt is the service of the registry that an address belongs to.
func (c *Client) registryAt(at *url.URL) *service {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := origin(at)
	if s := c.registries[key]; s != nil {
		return s
	}
	s := &service{name: "the registry", base: at, refused: "the login may not read this repository"}
	s.missing = "log in with docker login " + at.Host
	if name := login.Variable(at.Host); name != "" {
		s.missing += ", or set " + name + " to NAME:PASSWORD"
	}
	s.send = c.loggedIn(s, at, refuseRedirects).Do
	c.registries[key] = s
	return s
}

// refuseRedirects hands a redirect to exchange, which follows it without the login.
func refuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// loggedIn is a client that logs in at one registry when it is asked to: by name and
// password, or for a token of the server that the registry names.
func (c *Client) loggedIn(s *service, at *url.URL, redirect func(*http.Request, []*http.Request) error) *auth.Client {
	return &auth.Client{
		Client: &http.Client{Transport: guarded{c, at}, CheckRedirect: redirect},
		Header: http.Header{"User-Agent": {c.options.UserAgent}},
		Cache:  auth.NewCache(), ClientID: c.options.UserAgent,
		Credential: func(ctx context.Context, host string) (auth.Credential, error) {
			if !strings.EqualFold(host, at.Host) || at.Scheme != "https" && !isLoopback(at) {
				return auth.EmptyCredential, nil
			}
			l, err := c.finder().Registry(ctx, at.Host)
			if ctx.Err() != nil {
				return auth.EmptyCredential, ctx.Err()
			}
			c.mu.Lock()
			defer c.mu.Unlock()
			s.login, s.fault = l, err
			if l == nil { // what anybody may read needs no login, whatever is wrong with those of the user
				return auth.EmptyCredential, nil
			}
			c.secrets = append(c.secrets, l.Secrets()...)
			return auth.Credential{Username: l.User, Password: l.Password, AccessToken: l.Token, RefreshToken: l.Renewal}, nil
		},
	}
}

// guarded sends requests to a registry and to where it leads.
type guarded struct {
	client   *Client
	registry *url.URL
}

// RoundTrip sends a request where it may go.
func (g guarded) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != origin(g.registry) {
		if err := g.client.allowed("ask the registry", req.URL, g.registry); err != nil {
			return nil, err
		}
		if !isOwn(g.registry) {
			req = req.WithContext(fromStranger(req.Context(), req.URL))
		}
	}
	return g.client.transport.RoundTrip(req)
}

// notLoggedIn explains what the library makes of the answers of a registry, most of all
// why it did not let us in; nil when the connection is to blame.
func (c *Client) notLoggedIn(s *service, op string, at *url.URL, err error) error {
	if s.send == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		known.Op = op
		return known
	}
	if errors.Is(err, auth.ErrBasicCredentialNotFound) {
		e := &Error{Op: op, URL: redacted(at), Status: http.StatusUnauthorized, Rule: ruleToken, What: "the registry wants a login", Hint: s.missing}
		if fault := c.faultOf(s); fault != "" {
			e.What, e.Hint = e.What+": "+fault, "correct it, or "+s.missing
		}
		return e
	}
	var answer *errcode.ErrorResponse
	if errors.As(err, &answer) {
		return c.refusedBy(s, op, at, answer)
	}
	var network *url.Error
	if errors.As(err, &network) {
		return nil
	}
	return &Error{Op: op, URL: redacted(at), Rule: ruleContent, What: "the answer of the registry cannot be used: " + c.scrub(err.Error()), Hint: "ask its owner"}
}

// refusedBy explains an answer of a registry, or of the server that it names for tokens.
func (c *Client) refusedBy(s *service, op string, at *url.URL, answer *errcode.ErrorResponse) error {
	e := &Error{Op: op, URL: redacted(at), Status: answer.StatusCode, Rule: ruleServer, What: fmt.Sprintf("%d %s", answer.StatusCode, http.StatusText(answer.StatusCode))}
	if len(answer.Errors) > 0 {
		e.What += fmt.Sprintf(", %q", c.scrub(answer.Errors[0].Message))
	}
	l := c.loginOf(s)
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		e.Rule, e.Hint = ruleToken, s.missing
		if fault := c.faultOf(s); l == nil && fault != "" {
			e.What, e.Hint = e.What+": "+fault, "correct it, or "+s.missing
		} else if l != nil {
			e.Hint = "check the login of " + l.From + ": it was not accepted, or may not do this"
		}
	case http.StatusTooManyRequests:
		e.Rule, e.Hint, e.again = ruleRateLimit, "wait, then try again", true
	case http.StatusNotFound:
		e.Rule, e.Hint = RuleNotFound, "check the name of the repository"
	default:
		e.again = isPassing(answer.StatusCode)
	}
	return e
}
