package fetch

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"strings"
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
	if s.token != "" {
		header.Set(s.header, s.prefix+s.token)
	}
}

// hint says what to do about a missing or weak token.
func (s *service) hint() string {
	switch {
	case s == nil:
		return "this address needs a login, which packgen does not do"
	case s.token == "":
		return s.missing
	}
	return s.refused + "; the token came from " + s.variable
}
