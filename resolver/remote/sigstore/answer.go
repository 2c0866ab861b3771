package sigstore

import (
	"context"
	"errors"

	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// Answer answers one request.
func Answer(ctx context.Context, q signature.Request) signature.Response {
	var r signature.Response
	var err error
	switch {
	case q.Verify != nil:
		r.Verified, err = verifyAll(ctx, q.Verify)
	case q.Sign != nil:
		r.Bundle, r.Signer, err = makeBundle(ctx, q.Sign)
	default:
		err = errors.New("the request asks for nothing")
	}
	if err != nil {
		return signature.Response{Error: err.Error(), Hint: diag.HintOf(err)}
	}
	return r
}
