package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// serve DIR VARIABLE serves a directory until the script ends and puts the address,
// below a path, into a variable of the script.
func serveDir(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: serve DIR VARIABLE")
	}
	const below = "/team/packs/"
	files := http.StripPrefix(strings.TrimSuffix(below, "/"), http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, below) {
			http.NotFound(w, r)
			return
		}
		files.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv(args[1], server.URL+below)
}

// silent VARIABLE puts the address of a server that accepts connections and never
// answers into a variable of the script, until the script ends.
func silentServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: silent VARIABLE")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	var mu sync.Mutex
	var open []net.Conn
	ts.Defer(func() {
		l.Close()
		mu.Lock()
		defer mu.Unlock()
		for _, c := range open {
			c.Close()
		}
	})
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
		}
	}()
	ts.Setenv(args[0], "http://"+l.Addr().String()+"/packs/")
}
