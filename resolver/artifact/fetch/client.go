package fetch

import (
	"context"
	"errors"
	"os"
)

// Client asks servers. It may be used by several goroutines.
type Client struct {
	options Options
}

// New returns a client. It opens no connection.
func New(o Options) *Client { return &Client{options: o} }

var errNotYet = errors.New("not implemented")

// GitHub finds the newest artifact that fits the reference.
func (c *Client) GitHub(ctx context.Context, ref GitHub) (Resolved, error) {
	return Resolved{}, errNotYet
}

// GitLab finds the newest job that fits the reference.
func (c *Client) GitLab(ctx context.Context, ref GitLab) (Resolved, error) {
	return Resolved{}, errNotYet
}

// Site finds a pack on a published site.
func (c *Client) Site(ctx context.Context, base, pack string) (Resolved, error) {
	return Resolved{}, errNotYet
}

// URL takes the address of an archive as it is.
func (c *Client) URL(ctx context.Context, address string) (Resolved, error) {
	return Resolved{}, errNotYet
}

// File returns a small file of a site.
func (c *Client) File(ctx context.Context, base, path string, limit int64) ([]byte, error) {
	return nil, errNotYet
}

// Download writes the archive's bytes to the file.
func (c *Client) Download(ctx context.Context, r Resolved, to *os.File) (sha256 string, size int64, err error) {
	return "", 0, errNotYet
}
