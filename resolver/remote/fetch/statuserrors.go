package fetch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

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
