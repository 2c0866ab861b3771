package fetch

import (
	"context"
	"errors"
	"time"
)

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
