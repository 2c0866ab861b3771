package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/diag"
)

// Limits on what clients may do to the server over HTTP.
const (
	maxBody       = 4 << 20 // bytes of a request, as of a line
	maxHeader     = 64 << 10
	maxAtOnce     = 128 // requests that are answered at one time, open streams among them
	headerWait    = 10 * time.Second
	idleWait      = 2 * time.Minute
	sessionWait   = 30 * time.Minute // without a request
	writeWait     = 30 * time.Second // for a client that does not read
	shutdownGrace = 2 * time.Second
)

// endpoint is the path of the server.
const endpoint = "/mcp"

// ListenHTTP listens at an address: a port, or a host and a port. Without a host it is
// loopback, which other machines cannot reach.
func ListenHTTP(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		host, port, err = net.SplitHostPort(":" + addr)
	}
	if err != nil || port == "" {
		return nil, diag.WithHint(fmt.Errorf("--http %s is not an address", addr), "write a port such as 8017, or a host and a port")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, diag.WithHint(fmt.Errorf("listen at %s: %w", addr, err), "write another port, or 0 for any that is free")
	}
	return l, nil
}

// Address is where clients find the server of a listener.
func Address(l net.Listener) string { return "http://" + l.Addr().String() + endpoint }

// ServeHTTP answers clients over streamable HTTP until ctx is done. Requests of pages
// from elsewhere and for other hosts are refused: a browser on this machine would send
// both. The hosts are names under which the server is reached beside its address.
func ServeHTTP(ctx context.Context, server *Server, l net.Listener, hosts ...string) error {
	watching, stop := context.WithCancel(ctx)
	defer stop()
	go server.s.watch(watching)
	streams := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server.Server }, &sdk.StreamableHTTPOptions{
		SessionTimeout: sessionWait, MaxRequestBodyBytes: maxBody,
	})
	g := &guard{next: streams, hosts: append(hostsOf(l.Addr()), hosts...)}
	s := &http.Server{
		Handler: g, ReadHeaderTimeout: headerWait, IdleTimeout: idleWait, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	select {
	case err := <-done:
		return fmt.Errorf("serve MCP at %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	// Open streams do not end by themselves.
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownGrace)
	defer cancel()
	if err := s.Shutdown(end); err != nil {
		_ = s.Close()
	}
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve MCP at %s: %w", l.Addr(), err)
	}
	return nil
}

// hostsOf are the names of a listener: its address and, on loopback, localhost.
func hostsOf(addr net.Addr) []string {
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return []string{"localhost", "127.0.0.1", "::1", host}
	}
	return []string{host}
}

// guard looks at requests before the protocol does.
type guard struct {
	next   http.Handler
	hosts  []string
	atOnce atomic.Int64
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !slices.Contains(g.hosts, hostOf(r.Host)):
		http.Error(w, "this host is not served", http.StatusForbidden)
		return
	case !g.ownOrigin(r.Header.Values("Origin")):
		http.Error(w, "this origin is not served", http.StatusForbidden)
		return
	case r.URL.Path != endpoint:
		http.NotFound(w, r)
		return
	}
	defer g.atOnce.Add(-1)
	if g.atOnce.Add(1) > maxAtOnce {
		http.Error(w, "too many requests at one time", http.StatusServiceUnavailable)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	g.next.ServeHTTP(&patient{ResponseWriter: w, control: http.NewResponseController(w)}, r)
}

// hostOf is the name in a Host header, without its port.
func hostOf(text string) string {
	host, _, err := net.SplitHostPort(text)
	if err != nil {
		host = strings.Trim(text, "[]")
	}
	return strings.ToLower(host)
}

// ownOrigin reports whether a request comes from no page, or from one of the server's
// own hosts.
func (g *guard) ownOrigin(origins []string) bool {
	for _, origin := range origins {
		u, err := url.Parse(origin)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || !slices.Contains(g.hosts, strings.ToLower(u.Hostname())) {
			return false
		}
	}
	return true
}

// patient gives a client a time for each piece that it is to read.
type patient struct {
	http.ResponseWriter
	control *http.ResponseController
}

func (p *patient) Write(b []byte) (int, error) {
	_ = p.control.SetWriteDeadline(time.Now().Add(writeWait))
	return p.ResponseWriter.Write(b)
}

func (p *patient) Flush() { _ = p.control.Flush() }

// Unwrap is for http.ResponseController.
func (p *patient) Unwrap() http.ResponseWriter { return p.ResponseWriter }
