package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/packgen/packgen/compiler/bytesize"
)

// request is one question: a GET with its redirects.
type request struct {
	op      string // for errors: what is asked
	url     *url.URL
	accept  string
	service *service // whose token may go along, nil for none
	header  http.Header
	missing string // what to do about 404; "" means the usual hint
}

// response is the last answer of an exchange. Its body must be closed.
type response struct {
	status int
	header http.Header
	length int64 // announced bytes of the body, -1 when not announced
	body   *body
	at     *url.URL // that answered, after redirects
}

// The causes for which we end a request ourselves.
var (
	errHeaderTime = errors.New("no answer in time")
	errIdleTime   = errors.New("the bytes come too slowly")
	errTotalTime  = errors.New("the time for all of it is over")
)

// exchange asks once and follows redirects: at most maxRedirects, never twice to
// the same address, never to where allowed refuses. The token goes along only
// until a redirect leaves the host it belongs to, and does not come back.
func (c *Client) exchange(ctx context.Context, r request) (*response, error) {
	if err := c.allowed(r.op, r.url, nil); err != nil {
		return nil, err
	}
	if c.unusable != nil {
		return nil, c.unusable
	}
	if c.options.Offline {
		return nil, &Error{Op: r.op, URL: redacted(r.url), Rule: ruleOffline, What: "not asked, since --offline is set", Hint: "run once without --offline"}
	}
	at, seen, keeper := r.url, map[string]bool{}, r.service
	for hops := 0; ; hops++ {
		seen[at.String()] = true
		header := r.headerFor(at, keeper, c.options.UserAgent)
		asking := ctx
		if hops > 0 && !isOwn(r.url) {
			asking = fromStranger(ctx, at)
		}
		res, err := c.hop(asking, r.op, at, header, keeper)
		if err != nil || !isRedirect(res) {
			return res, err
		}
		res.body.Close()
		next, err := c.next(r.op, at, res.header.Get("Location"))
		if err != nil {
			return nil, err
		}
		fail := func(what string) error {
			return &Error{Op: r.op, URL: redacted(r.url), Status: res.status, Rule: ruleRedirect, What: what, Hint: "check the address: the server may be set up wrongly"}
		}
		if seen[next.String()] {
			return nil, fail("the redirects go round in a circle")
		}
		if hops >= maxRedirects {
			return nil, fail(fmt.Sprintf("more than %d redirects", maxRedirects))
		}
		if origin(next) != origin(at) {
			keeper = nil
		}
		at = next
	}
}

// headerFor is what is sent to one address of the exchange.
func (r request) headerFor(at *url.URL, keeper *service, agent string) http.Header {
	header := http.Header{
		"User-Agent":      {agent},
		"Accept-Encoding": {"identity"}, // so that the bytes counted are the bytes meant
	}
	if r.accept != "" {
		header.Set("Accept", r.accept)
	}
	maps.Copy(header, r.header)
	keeper.authorize(header, at)
	return header
}

func isRedirect(res *response) bool {
	switch res.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return res.header.Get("Location") != ""
	}
	return false
}

// next reads where a redirect leads.
func (c *Client) next(op string, at *url.URL, location string) (*url.URL, error) {
	to, err := at.Parse(location)
	if err != nil {
		return nil, &Error{Op: op, URL: redacted(at), Rule: ruleRedirect, What: "redirects to something that is not an address"}
	}
	to.Fragment, to.RawFragment = "", ""
	return to, c.allowed(op, to, at)
}

// hop sends one request to one address.
func (c *Client) hop(ctx context.Context, op string, at *url.URL, header http.Header, keeper *service) (*response, error) {
	own, cancel := context.WithCancelCause(ctx)
	limit := c.options.Timeouts
	timer := time.AfterFunc(limit.Connect+limit.TLS+limit.Header, func() { cancel(errHeaderTime) })
	req := (&http.Request{Method: http.MethodGet, URL: at, Host: at.Host, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}).WithContext(own)
	send := c.transport.RoundTrip
	if keeper != nil && keeper.send != nil && origin(at) == origin(keeper.base) {
		send = keeper.send
	}
	res, err := send(req)
	timer.Stop()
	if err != nil {
		defer cancel(nil)
		if keeper != nil {
			if e := c.notLoggedIn(keeper, op, at, err); e != nil && own.Err() == nil {
				return nil, e
			}
		}
		return nil, c.broken(own, op, at, err)
	}
	return &response{
		status: res.StatusCode, header: res.Header, length: res.ContentLength, at: at,
		body: watch(own, cancel, res.Body, limit.Idle),
	}, nil
}

// body is an answer's body that must keep coming: less than minimumBytes in an
// idle time ends it.
type body struct {
	from   io.ReadCloser
	ctx    context.Context
	cancel context.CancelCauseFunc
	idle   time.Duration
	window atomic.Int64 // bytes since the last look

	mu    sync.Mutex
	timer *time.Timer
}

func watch(ctx context.Context, cancel context.CancelCauseFunc, from io.ReadCloser, idle time.Duration) *body {
	b := &body{from: from, ctx: ctx, cancel: cancel, idle: idle}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.timer = time.AfterFunc(idle, b.look)
	return b
}

// look runs at the end of each idle time.
func (b *body) look() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.window.Swap(0) < minimumBytes {
		b.cancel(errIdleTime)
		return
	}
	b.timer.Reset(b.idle)
}

// Read returns the reason when we or the caller ended the request.
func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.window.Add(int64(n))
	if err != nil && err != io.EOF && b.ctx.Err() != nil {
		err = context.Cause(b.ctx)
	}
	return n, err
}

// Close ends the exchange.
func (b *body) Close() error {
	b.mu.Lock()
	b.timer.Stop()
	b.mu.Unlock()
	b.cancel(nil)
	return b.from.Close()
}

// tries calls once until it succeeds, fails for good, or Options.Retries are
// used up. Between two calls it waits: as long as the server asks, when that is
// at most maxWait, otherwise half a second, doubled each time.
func (c *Client) tries(ctx context.Context, once func(context.Context) error) error {
	for n := 0; ; n++ {
		err := once(ctx)
		var e *Error
		if err == nil || !errors.As(err, &e) {
			return err
		}
		e.Tries = n + 1
		if !e.again || n >= c.options.Retries || e.wait > maxWait {
			return err
		}
		wait := e.wait
		if wait == 0 {
			wait = backoff(n)
		}
		if c.options.Sleep(ctx, wait) != nil {
			return c.ended(ctx, e)
		}
	}
}

// bounded gives everything that one call asks for Timeouts.Total together.
func (c *Client) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.options.Timeouts.Total, errTotalTime)
}

// ended is the error of a wait that the context broke off.
func (c *Client) ended(ctx context.Context, last *Error) error {
	e := &Error{Op: last.Op, URL: last.URL, Err: context.Cause(ctx), Tries: last.Tries}
	if !explainOwn(ctx, e, c.options.Timeouts) {
		e.Rule, e.What = ruleInterrupted, "interrupted"
	}
	return e
}

// backoff is the wait after the n-th failed try, counted from 0.
func backoff(n int) time.Duration {
	return min(maxWait, firstWait<<min(n, 16))
}

// nextPage finds the address of the next page of a listing in the Link header
// (RFC 8288), nil when there is none.
func nextPage(header http.Header, at *url.URL) *url.URL {
	for _, value := range header.Values("Link") {
		for _, l := range parseLinks(value) {
			if !strings.EqualFold(l.rel, "next") {
				continue
			}
			if next, err := at.Parse(l.target); err == nil {
				next.Fragment, next.RawFragment = "", ""
				return next
			}
		}
	}
	return nil
}

// link is one entry of a Link header: <target>; rel="relation". An entry with
// several relations is one link for each.
type link struct{ target, rel string }

// parseLinks reads a Link header. What it cannot read ends the list.
func parseLinks(value string) []link {
	var links []link
	rest := value
	for {
		rest = strings.TrimLeft(rest, " \t,")
		if !strings.HasPrefix(rest, "<") {
			return links
		}
		target, after, closed := strings.Cut(rest[1:], ">")
		if !closed {
			return links
		}
		var rels string
		rels, rest = parseParameters(after)
		for rel := range strings.FieldsSeq(rels) {
			links = append(links, link{target, rel})
		}
	}
}

// parseParameters reads the parameters after a target up to the comma that
// ends the entry, and returns the value of the first "rel".
func parseParameters(text string) (rels, rest string) {
	found := false
	for {
		text = strings.TrimLeft(text, " \t")
		if !strings.HasPrefix(text, ";") {
			return rels, text
		}
		text = strings.TrimLeft(text[1:], " \t")
		end := strings.IndexAny(text, "=;,")
		if end < 0 || text[end] != '=' {
			text = text[max(0, end):]
			if end < 0 {
				text = ""
			}
			continue
		}
		name := strings.TrimSpace(text[:end])
		var value string
		value, text = parseValue(strings.TrimLeft(text[end+1:], " \t"))
		if !found && strings.EqualFold(name, "rel") {
			rels, found = value, true
		}
	}
}

// parseValue reads a token or a quoted string.
func parseValue(text string) (value, rest string) {
	if !strings.HasPrefix(text, `"`) {
		end := strings.IndexAny(text, " \t;,")
		if end < 0 {
			return text, ""
		}
		return text[:end], text[end:]
	}
	var b strings.Builder
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '"':
			return b.String(), text[i+1:]
		case text[i] == '\\' && i+1 < len(text):
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), ""
}

// document is a small answer as a whole.
type document struct {
	data   []byte
	header http.Header
	at     *url.URL // that answered, after redirects
}

// document asks for a document of at most limit bytes, trying again where that
// may help.
func (c *Client) document(ctx context.Context, r request, limit int64) (document, error) {
	var d document
	if r.service == nil {
		var err error
		if r.service, err = c.siteAt(r.op, r.url); err != nil {
			return d, err
		}
	}
	err := c.tries(ctx, func(ctx context.Context) error {
		res, err := c.exchange(ctx, r)
		if err != nil {
			return err
		}
		if res.status != http.StatusOK {
			return c.refused(r, res)
		}
		defer res.body.Close()
		d.header, d.at = res.header, res.at
		d.data, err = c.readAll(ctx, r, res, limit)
		return err
	})
	return d, err
}

// readAll reads a body of at most limit bytes. The announced length is
// believed only to refuse.
func (c *Client) readAll(ctx context.Context, r request, res *response, limit int64) ([]byte, error) {
	tooLarge := &Error{Op: r.op, URL: redacted(res.at), Rule: RuleTooLarge, What: fmt.Sprintf("the answer is larger than %s", bytesize.Text(int64(limit))), Hint: "check the address"}
	if res.length > limit {
		return nil, tooLarge
	}
	if encoding := res.header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, &Error{Op: r.op, URL: redacted(res.at), Rule: ruleContent, What: fmt.Sprintf("the answer is encoded as %q, which was not asked for", plain(encoding, 40))}
	}
	data, err := io.ReadAll(io.LimitReader(res.body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, r.op, res.at, err)
	}
	if int64(len(data)) > limit {
		return nil, tooLarge
	}
	return data, nil
}

// ask asks an API for one JSON document.
func ask[T any](ctx context.Context, c *Client, r request) (T, document, error) {
	var value T
	d, err := c.document(ctx, r, c.options.Limits.DocumentBytes)
	if err == nil {
		err = decode(r.op, d, &value)
	}
	return value, d, err
}

// decode reads a JSON document. Unknown keys pass: an API may say more one day.
func decode(op string, d document, into any) error {
	err := json.Unmarshal(d.data, into)
	if err == nil {
		return nil
	}
	e := &Error{Op: op, URL: redacted(d.at), Rule: ruleContent, What: "the answer is not the JSON that was asked for", Hint: "check the address; what is there is damaged, or something else", Err: err}
	if bytes.HasPrefix(bytes.TrimSpace(d.data), []byte("<")) {
		e.What, e.Hint = "a web page came, not JSON", "check the address; a login or proxy page may answer in its place"
	}
	return e
}

// list asks for the pages of a listing, one after another, until there is no
// next one, take wants no more, or Limits.Pages are through.
func list[T any](ctx context.Context, c *Client, r request, take func(T) (more bool, err error)) error {
	seen := map[string]bool{}
	for range c.options.Limits.Pages {
		seen[r.url.String()] = true
		page, d, err := ask[T](ctx, c, r)
		if err != nil {
			return err
		}
		if more, err := take(page); err != nil || !more {
			return err
		}
		next := nextPage(d.header, d.at)
		if next == nil || seen[next.String()] {
			return nil
		}
		if origin(next) != origin(r.service.base) || next.User != nil {
			return &Error{Op: r.op, URL: redacted(d.at), Rule: ruleRedirect, What: "the server names as the next page " + redacted(next), Hint: "check " + r.service.name + "'s address"}
		}
		r.url = next
	}
	return nil
}
