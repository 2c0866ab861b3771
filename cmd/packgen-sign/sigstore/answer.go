package sigstore

import (
	"context"
	"errors"
	"strings"

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
		return signature.Response{Error: withoutSecrets(err.Error(), q.Sign), Hint: diag.HintOf(err)}
	}
	return r
}

// withoutSecrets takes out of a text what a server may have repeated.
func withoutSecrets(text string, q *signature.SignRequest) string {
	if q == nil {
		return text
	}
	for _, secret := range []string{q.Token, q.TokenBearer, q.Password} {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}
