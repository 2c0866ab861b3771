package fetch

import (
	"net"
	"net/http"
)

// Client asks servers. It may be used by several goroutines; downloads beyond
// Options.Jobs wait for a place.
type Client struct {
	options   Options
	transport http.RoundTripper
	places    chan struct{} // one for each download that may run
}

// New returns a client. It opens no connection.
func New(o Options) *Client {
	o = o.withDefaults()
	c := &Client{options: o, places: make(chan struct{}, o.Jobs)}
	if o.HTTP != nil {
		c.transport = o.HTTP.Transport
	}
	if c.transport == nil {
		c.transport = newTransport(o.Timeouts)
	}
	return c
}

// newTransport is a transport with our time bounds. Proxies come from
// HTTPS_PROXY, HTTP_PROXY and NO_PROXY as in net/http.
func newTransport(t Timeouts) *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: t.Connect}).DialContext,
		TLSHandshakeTimeout:    t.TLS,
		ResponseHeaderTimeout:  t.Header,
		MaxResponseHeaderBytes: 64 << 10,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		IdleConnTimeout:        t.Idle,
	}
}
