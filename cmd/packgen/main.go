// Command packgen turns a repository of knowledge packs into compiled views, a
// loadout index and a browsable site.
//
// Every verb follows the same rules: data goes to standard output, everything
// else to standard error; --json prints one envelope; the exit code is 0 when
// the work is done, 1 when a pack has findings that need action, 2 for wrong
// use or an environment that does not allow the work.
package main

import (
	"io"
	"log"
	"os"
)

func main() {
	// The HTTP client of the standard library logs what servers do wrong. What
	// matters of it is in the errors that it returns.
	log.SetOutput(io.Discard)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
