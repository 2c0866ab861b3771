package main

import (
	"io"
	"log"
	"os"
)

func main() {
	// The HTTP client of the standard library logs what servers do wrong; the errors it
	// returns say what matters.
	log.SetOutput(io.Discard)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
