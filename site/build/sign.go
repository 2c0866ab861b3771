package build

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"

	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
	"github.com/packgen/packgen/resolver/repo"
)

// SignOptions say whether packs are signed, and with what.
type SignOptions struct {
	Sign   bool   // with Key, otherwise with the identity of the CI job
	Key    string // file of a private key; "" means PACKGEN_SIGN_KEY
	Config string // the signing_config.json of a private Sigstore; "" means PACKGEN_SIGN_CONFIG, otherwise the public one
}

// maxKeyFile is the largest file of a key or of servers that is read, in bytes.
const maxKeyFile = 256 << 10

// signer signs the packs of one run.
type signer struct {
	request signature.SignRequest
	asker   signature.Asker
}

// newSigner reads what is signed with; nil when nothing is signed. A key, and an identity
// token, come from the environment where no flag names them.
func newSigner(w *repo.Repo, o SignOptions) (*signer, error) {
	if !o.Sign && o.Key == "" {
		return nil, nil
	}
	dir, err := repo.CacheDir(w.Getenv)
	if err != nil {
		return nil, err
	}
	s := &signer{asker: signature.Program{Version: compiler.Version}, request: signature.SignRequest{
		Password: cmp.Or(w.Getenv("PACKGEN_SIGN_PASSWORD"), w.Getenv("COSIGN_PASSWORD")),
		Cache:    filepath.Join(dir, "sigstore"), CA: cmp.Or(w.Network.CA, w.Getenv("PACKGEN_CACERT")),
		Token:    w.Getenv("SIGSTORE_ID_TOKEN"),
		TokenURL: w.Getenv("ACTIONS_ID_TOKEN_REQUEST_URL"), TokenBearer: w.Getenv("ACTIONS_ID_TOKEN_REQUEST_TOKEN"),
	}}
	for _, f := range []struct {
		flag, name string
		into       *[]byte
	}{
		{"--sign-key", cmp.Or(o.Key, w.Getenv("PACKGEN_SIGN_KEY")), &s.request.Key},
		{"--sign-config", cmp.Or(o.Config, w.Getenv("PACKGEN_SIGN_CONFIG")), &s.request.Config},
	} {
		if f.name == "" {
			continue
		}
		if *f.into, err = atomicfile.Read(w.Paths.Abs(w.Paths.Given(f.name)), maxKeyFile); err != nil {
			return nil, diag.WithHint(fmt.Errorf("%s: %w", f.flag, err), "name a file; openssl genpkey -algorithm ed25519 -out FILE makes a key")
		}
	}
	return s, nil
}

// sign returns the bundle of a pack and who signed.
func (s *signer) sign(ctx context.Context, p signature.Pack) ([]byte, string, error) {
	statement, err := signature.Statement(p)
	if err != nil {
		return nil, "", err
	}
	q := s.request
	q.Statement = statement
	r, err := s.asker.Ask(ctx, signature.Request{Sign: &q})
	if err != nil {
		return nil, "", fmt.Errorf("sign %s: %w", p.Name, err)
	}
	return r.Bundle, r.Signer.String(), nil
}
