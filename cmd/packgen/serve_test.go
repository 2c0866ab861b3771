package main

import (
	"net/http"
	"net/http/httptest"
	"strings"

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
