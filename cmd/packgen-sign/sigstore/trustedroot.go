package sigstore

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/tuf"
	"github.com/theupdateframework/go-tuf/v2/metadata/fetcher"

	"github.com/packgen/packgen/compiler/atomicfile"
	"github.com/packgen/packgen/compiler/diag"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// rootError is that of a trusted root: no bundle can be verified.
type rootError struct{ err error }

func (e *rootError) Error() string { return e.err.Error() }
func (e *rootError) Unwrap() error { return e.err }

// cacheDays is how long the root of the public Sigstore is used before it is fetched again.
const cacheDays = 1

// trustedRoot is the root that is given, otherwise that of the public Sigstore.
func trustedRoot(ctx context.Context, q *signature.VerifyRequest) (*root.TrustedRoot, error) {
	if q.Root != nil {
		return givenRoot(q.Root)
	}
	options, err := publicSigstore(ctx, q.Cache, q.CA)
	if err != nil {
		return nil, &rootError{err}
	}
	if q.Offline {
		if _, err := os.Stat(filepath.Join(q.Cache, tuf.URLToPath(tuf.DefaultMirror), "targets")); err != nil {
			return nil, &rootError{diag.WithHint(errors.New("the root of trust of the public Sigstore was never fetched here, and nothing is fetched offline"), rootHint)}
		}
		options.ForceCache = true
	}
	trusted, err := root.FetchTrustedRootWithOptions(options)
	if err != nil {
		return nil, &rootError{diag.WithHint(fmt.Errorf("fetch the root of trust of the public Sigstore: %w", err), rootHint)}
	}
	return trusted, nil
}

const rootHint = "check the network and the clock of this machine, or keep a trusted_root.json and name it under trust.root in packgen.yaml"

// givenRoot reads a trusted_root.json.
func givenRoot(data []byte) (*root.TrustedRoot, error) {
	trusted, err := root.NewTrustedRootFromJSON(data)
	if err != nil {
		return nil, &rootError{diag.WithHint(fmt.Errorf("read trust.root: %w", err), "name a trusted_root.json of Sigstore, such as gh attestation trusted-root or cosign trusted-root create writes")}
	}
	return trusted, nil
}

// publicSigstore says how the files of the public Sigstore are fetched and kept. What
// they say is verified from a root that is part of this program.
func publicSigstore(ctx context.Context, cache, ca string) (*tuf.Options, error) {
	transport, err := transportOf(ca)
	if err != nil {
		return nil, err
	}
	from := fetcher.NewDefaultFetcher()
	from.SetHTTPClient(&http.Client{Transport: transport, Timeout: serverTime})
	o := tuf.DefaultOptions()
	o.CachePath, o.CacheValidity, o.Fetcher, o.Context = cache, cacheDays, from, ctx
	return o, nil
}

// maxPEM is the largest file of certificates that is read, in bytes.
const maxPEM = 8 << 20

// serverTime is how long a server may take.
const serverTime = 30 * time.Second

// transportOf asks servers through the proxies of the environment, and also believes the
// authorities in a file.
func transportOf(ca string) (*http.Transport, error) {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: serverTime, ResponseHeaderTimeout: serverTime}
	if ca == "" {
		return t, nil
	}
	data, err := atomicfile.Read(ca, maxPEM)
	if err != nil {
		return nil, fmt.Errorf("use --cacert: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(data) {
		return nil, diag.WithHint(fmt.Errorf("use --cacert %s: it holds no certificate", ca), "name a file of certificates in PEM")
	}
	t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	return t, nil
}
