package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
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
