package main

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/packgen/packgen/compiler/oktest"
)

// talkative answers every request with 404 and with bytes that nobody has asked
// for, which the HTTP client of the standard library logs.
func talkative(t *testing.T) (address string) {
	t.Helper()
	listener := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for in := bufio.NewReader(conn); ; {
					if _, err := http.ReadRequest(in); err != nil {
						return
					}
					if _, err := conn.Write([]byte("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 Unasked\r\n\r\n")); err != nil {
						return
					}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}

func TestErrorsComeWithoutLogLinesOfLibraries(t *testing.T) {
	t.Parallel()
	for _, ref := range []string{"/site/", "/kettle.tar.gz"} {
		cmd := exec.Command(program(t), "-C", t.TempDir(), "pull", talkative(t)+ref)
		cmd.Env = append(os.Environ(), "PACKGEN_CACHE_DIR="+t.TempDir())
		out, err := cmd.CombinedOutput()
		if err == nil || !bytes.HasPrefix(out, []byte("packgen: error: ")) || bytes.Contains(out, []byte("Unasked")) {
			t.Errorf("%s: %v\n%s", ref, err, out)
		}
	}
}
