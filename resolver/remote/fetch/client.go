package fetch

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/packgen/packgen/resolver/remote/login"
)

// Client asks servers. It may be used by several goroutines; downloads beyond
// Options.Jobs wait for a place.
type Client struct {
	options   Options
	transport http.RoundTripper
	places    chan struct{} // one for each download that may run
	unusable  error         // why nothing can be asked: the options are wrong

	mu         sync.Mutex
	sites      map[string]*service // by origin; nil for a site without a login
	registries map[string]*service // by origin
	secrets    []string            // what must not be printed
}

// New returns a client. It opens no connection.
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{options: o, places: make(chan struct{}, o.Jobs), sites: map[string]*service{}, registries: map[string]*service{}}
	if o.HTTP != nil {
		c.transport = o.HTTP.Transport
	}
	if c.transport == nil {
		t, err := newTransport(o)
		c.transport, c.unusable = t, err
	}
	if c.unusable == nil {
		c.unusable = checkMirrors(o.Mirrors)
	}
	return c
}

// finder looks for logins in the environment of the client.
func (c *Client) finder() login.Finder { return login.Finder{Getenv: c.options.Getenv} }

// keep makes sure that what a login holds is in no message.
func (c *Client) keep(l *login.Login) {
	if l == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.secrets = append(c.secrets, l.Secrets()...)
}

// newTransport is a transport with our time bounds. Proxies come from
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY as in net/http.
func newTransport(o Options) (*http.Transport, error) {
	t := o.Timeouts
	trusted, err := o.Trust.config(o.Getenv)
	if err != nil {
		return nil, err
	}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer(t),
		TLSClientConfig:        trusted,
		TLSHandshakeTimeout:    t.TLS,
		ResponseHeaderTimeout:  t.Header,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        t.Idle,
	}, nil
}

// strangerKey marks the context of a request to an address that a server elsewhere
// named: its value is the host.
type strangerKey struct{}

// fromStranger marks a request to an address that a server elsewhere named.
func fromStranger(ctx context.Context, to *url.URL) context.Context {
	return context.WithValue(ctx, strangerKey{}, to.Hostname())
}

// dialer connects. A name that a server elsewhere gave us must not lead to this
// machine or to what only this machine can reach.
func dialer(t Timeouts) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		d := net.Dialer{Timeout: t.Connect}
		host, _, _ := net.SplitHostPort(address)
		if named, _ := ctx.Value(strangerKey{}).(string); named != "" && named == host { // a proxy has another name
			d.Control = refuseOwn
		}
		return d.DialContext(ctx, network, address)
	}
}
