package server

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/packgen/packgen/compiler/diag"
)

// portsTried is how many ports after the first are tried.
const portsTried = 20

// Listen opens the port, or the next free one if the port is not fixed.
func Listen(host string, first int, fixed bool) (net.Listener, error) {
	if host == "" {
		host = "127.0.0.1"
	}
	for port := first; ; port++ {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		switch {
		case err == nil:
			return l, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return nil, diag.WithHint(fmt.Errorf("listen on %s: %w", net.JoinHostPort(host, strconv.Itoa(port)), err), "name another address with --host and --port")
		case fixed || port >= first+portsTried:
			return nil, diag.WithHint(fmt.Errorf("port %d is taken by another program", port), "name another one with --port N; 0 is any free one")
		}
	}
}
