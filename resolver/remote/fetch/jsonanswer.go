package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/packgen/packgen/compiler/bytesize"
)

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
