package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/packgen/packgen/cmd/packgen-sign/sigstore"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "packgen-sign: %v\n", err)
		if hint := diag.HintOf(err); hint != "" {
			fmt.Fprintf(os.Stderr, "  %s\n", hint)
		}
		os.Exit(2)
	}
}

// serve answers one request: the other end of [signature.Program].
func serve(ctx context.Context, in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(io.LimitReader(in, signature.MaxMessage+1))
	if err != nil {
		return err
	}
	var q signature.Request
	var r signature.Response
	switch err := json.Unmarshal(data, &q); {
	case len(data) > signature.MaxMessage:
		r.Error = "the request is too large"
	case err != nil:
		return diag.WithHint(fmt.Errorf("there is no request on standard input: %w", err), "run packgen pack --sign, packgen push --sign or packgen verify, which run this program")
	case q.Version != compiler.Version: // the caller reads the version and says so
	default:
		r = sigstore.Answer(ctx, q)
	}
	r.Version = compiler.Version
	return json.NewEncoder(out).Encode(r)
}
