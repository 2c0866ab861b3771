package fetch

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/packgen/packgen/resolver/remote/login"
)

// service is an API with the token that belongs to it.
type service struct {
	name     string   // as people call it
	base     *url.URL // of the API
	variable string   // that the token came from, "" when there is none
	token    string
	header   string // that carries the token
	prefix   string // before the token in that header
	accept   string
	extra    http.Header // sent with each request to the API
	missing  string      // what to do without a token
	refused  string      // what to do when the token may not

	site  bool                                        // it is a site: it says what it means by 404
	login *login.Login                                // what lets in at a site or registry; nil when nothing was found
	fault error                                       // why nothing was found; nil when nothing is wrong
	send  func(*http.Request) (*http.Response, error) // logs in by itself; nil when the header does
}

// github is the service of gha:// references. GITHUB_API_URL names another host
// than api.github.com; the token is GITHUB_TOKEN, otherwise GH_TOKEN.
func (c *Client) github() (*service, error) {
	s := &service{
		name: "GitHub", header: "Authorization", prefix: "Bearer ",
		accept:  "application/vnd.github+json",
		extra:   http.Header{"X-Github-Api-Version": {"2022-11-28"}},
		missing: "set GITHUB_TOKEN; artifacts need a token even in public repositories",
		refused: "the token needs to read actions of this repository (actions: read)",
	}
	return s, c.equip(s, "GITHUB_API_URL", "https://api.github.com", "GITHUB_TOKEN", "GH_TOKEN")
}

// gitlab is the service of gitlab:// references. CI_API_V4_URL names another
// host than gitlab.com; the token is GITLAB_TOKEN, otherwise CI_JOB_TOKEN.
func (c *Client) gitlab() (*service, error) {
	s := &service{
		name: "GitLab", header: "PRIVATE-TOKEN",
		accept:  "application/json",
		missing: "set GITLAB_TOKEN (or CI_JOB_TOKEN inside a job)",
		refused: "the token needs the scope read_api and a role that may read job artifacts of this project",
	}
	err := c.equip(s, "CI_API_V4_URL", "https://gitlab.com/api/v4", "GITLAB_TOKEN", "CI_JOB_TOKEN")
	if s.variable == "CI_JOB_TOKEN" {
		s.header = "JOB-TOKEN"
		s.refused = "the project must allow this job's token, or set GITLAB_TOKEN"
	}
	return s, err
}

// equip reads the address and the token of a service from the environment.
func (c *Client) equip(s *service, address, standard string, variables ...string) error {
	op := "use " + address
	var err error
	if s.base, err = c.parse(op, cmp.Or(strings.TrimSpace(c.options.Getenv(address)), standard)); err != nil {
		return err
	}
	s.base.RawQuery = ""
	for _, name := range variables {
		token := strings.TrimSpace(c.options.Getenv(name))
		if token == "" {
			continue
		}
		if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
			return &Error{Op: "use " + name, Rule: ruleToken, What: "it holds characters that no token has", Hint: "set it again, without quotes and line breaks"}
		}
		s.variable, s.token = name, token
		return nil
	}
	return nil
}

// authorize adds the token to a request when its address is the token's own.
func (s *service) authorize(header http.Header, to *url.URL) {
	if s == nil || origin(to) != origin(s.base) {
		return
	}
	maps.Copy(header, s.extra)
	if s.send == nil && s.login != nil && (to.Scheme == "https" || isLoopback(to)) {
		header.Set("Authorization", s.login.Header())
	}
	if s.token != "" {
		header.Set(s.header, s.prefix+s.token)
	}
}

// siteAt is the service of the site that an address belongs to, nil when nobody logs in
// there.
func (c *Client) siteAt(op string, at *url.URL) (*service, error) {
	key := origin(at)
	c.mu.Lock()
	have, known := c.sites[key]
	c.mu.Unlock()
	if known {
		return have, nil
	}
	l, err := c.finder().Site(at.Host)
	if err != nil {
		return nil, &Error{Op: op, URL: redacted(at), Rule: ruleToken, What: c.scrub(err.Error())}
	}
	var s *service
	if l != nil {
		c.keep(l)
		s = &service{name: at.Host, base: at, site: true, login: l, refused: "the login may not read this"}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sites[key] = s
	return s, nil
}

// loginOf is the login of a service, as far as one was found by now.
func (c *Client) loginOf(s *service) *login.Login {
	if s == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return s.login
}

// faultOf says why there is no login for a service; "" when nothing is wrong.
func (c *Client) faultOf(s *service) string {
	c.mu.Lock()
	fault := s.fault
	c.mu.Unlock()
	if fault == nil {
		return ""
	}
	return c.scrub(fault.Error())
}

// hint says what to do about a missing or weak token.
func (c *Client) hint(s *service, at *url.URL) string {
	variable, l := login.Variable(at.Host), c.loginOf(s)
	switch {
	case l != nil:
		return s.refused + "; it came from " + l.From
	case s != nil && s.token != "":
		return s.refused + "; the token came from " + s.variable
	case s != nil && s.missing != "":
		return s.missing
	case variable == "":
		return "this address needs a login: add its host to .netrc"
	}
	return "this address needs a login: set " + variable + " to a token or to NAME:PASSWORD, or add the host to .netrc"
}
