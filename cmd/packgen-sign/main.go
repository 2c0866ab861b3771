package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/remote/sigstore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := signature.Serve(compiler.Version, os.Stdin, os.Stdout, func(q signature.Request) signature.Response {
		return sigstore.Answer(ctx, q)
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "packgen-sign: %v\n", err)
		if hint := diag.HintOf(err); hint != "" {
			fmt.Fprintf(os.Stderr, "  %s\n", hint)
		}
		os.Exit(2)
	}
}
