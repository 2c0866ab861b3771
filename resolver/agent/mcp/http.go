package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/packgen/packgen/compiler/bytesize"
	"github.com/packgen/packgen/compiler/diag"
)

// Limits on what clients may do to the server over HTTP.
const (
	maxBody       = 4 << 20 // bytes of a request, as of a line
	smallBody     = 16 << 10
	maxHeader     = 64 << 10
	maxAnswering  = 128 // requests that are answered at one time
	maxStreams    = 128 // open streams
	maxLarge      = 16  // bodies beyond smallBody that are in memory
	headerWait    = 10 * time.Second
	bodyWait      = 10 * time.Second // from the head of a request to the end of its body
	answerWait    = 2 * time.Minute
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
	s := &http.Server{
		Handler:           newGuard(streams, append(hostsOf(l.Addr()), hosts...)),
		ReadHeaderTimeout: headerWait, WriteTimeout: writeWait, IdleTimeout: idleWait, MaxHeaderBytes: maxHeader,
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

// places bounds how many do something at one time.
type places chan struct{}

// take takes a place; false when there is none left.
func (p places) take() bool {
	select {
	case p <- struct{}{}:
		return true
	default:
		return false
	}
}

func (p places) leave() { <-p }

// guard looks at requests before the protocol does. A client that sends slowly, or keeps
// a stream open, takes no place from requests that are answered.
type guard struct {
	next  http.Handler
	hosts []string

	bodyWait, answerWait      time.Duration
	large, answering, streams places
}

func newGuard(next http.Handler, hosts []string) *guard {
	return &guard{
		next: next, hosts: hosts, bodyWait: bodyWait, answerWait: answerWait,
		large: make(places, maxLarge), answering: make(places, maxAnswering), streams: make(places, maxStreams),
	}
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case !slices.Contains(g.hosts, hostOf(r.Host)):
		g.refuse(w, http.StatusForbidden, "this host is not served")
		return
	case !g.ownOrigin(r.Header.Values("Origin")):
		g.refuse(w, http.StatusForbidden, "this origin is not served")
		return
	case r.URL.Path != endpoint:
		g.refuse(w, http.StatusNotFound, "only "+endpoint+" is served")
		return
	}
	body, leave, ok := g.body(w, r)
	if !ok {
		return
	}
	defer leave()
	if text := bytes.TrimSpace(body); len(text) > 0 && text[0] == '{' && json.Valid(text) {
		if _, why := decoded(text); why != "" {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(fault(codeInvalid, idOf(text), why))
			return
		}
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	at := g.answering
	if r.Method == http.MethodGet {
		at = g.streams
	} else {
		ctx, cancel := context.WithTimeout(r.Context(), g.answerWait)
		defer cancel()
		r = r.WithContext(ctx)
	}
	if !at.take() {
		g.refuse(w, http.StatusServiceUnavailable, "too many requests at one time")
		return
	}
	defer at.leave()
	g.next.ServeHTTP(&patient{ResponseWriter: w, control: http.NewResponseController(w)}, r)
}

// refuse answers a request whose body is not read.
func (g *guard) refuse(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Connection", "close")
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(g.bodyWait))
	http.Error(w, message, code)
}

// body reads the body of a request in the time that it has, and answers a request for
// which that cannot be done. Leave is called when the body is no longer needed.
func (g *guard) body(w http.ResponseWriter, r *http.Request) (body []byte, leave func(), ok bool) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(g.bodyWait))
	limited := http.MaxBytesReader(w, r.Body, maxBody)
	leave = func() {}
	body, err := io.ReadAll(io.LimitReader(limited, smallBody))
	if err == nil && len(body) == smallBody {
		if !g.large.take() {
			g.refuse(w, http.StatusServiceUnavailable, "too many large requests at one time")
			return nil, nil, false
		}
		leave = g.large.leave
		var rest []byte
		rest, err = io.ReadAll(limited)
		body = append(body, rest...)
	}
	if err == nil {
		_ = control.SetReadDeadline(time.Time{}) // the connection is read again for its end
		return body, leave, true
	}
	leave()
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		g.refuse(w, http.StatusRequestEntityTooLarge, "the message is larger than "+bytesize.Text(maxBody))
	case errors.Is(err, os.ErrDeadlineExceeded):
		g.refuse(w, http.StatusRequestTimeout, "the message does not arrive")
	default:
		g.refuse(w, http.StatusBadRequest, "the message cannot be read")
	}
	return nil, nil, false
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
