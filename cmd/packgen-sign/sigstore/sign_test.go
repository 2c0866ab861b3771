package sigstore

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/digitorus/timestamp"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/testing/ca"
	"github.com/sigstore/sigstore/pkg/cryptoutils"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/signature"
)

const (
	issuer = "https://ci.example.org"
	robot  = "robot@example.org"
)

// sigstoreServer is a private Sigstore on loopback: a certificate authority, a timestamp
// authority, and the CI system that gives out identity tokens.
type sigstoreServer struct {
	*httptest.Server
	config, root []byte
	token        string
	bearers      []string // that the certificate authority was shown
	refuse       bool     // the certificate authority answers 400, and repeats the token
}

func newSigstore(t *testing.T) *sigstoreServer {
	t.Helper()
	rootCert, rootKey, err := ca.GenerateRootCa()
	check(t, err)
	middle, middleKey, err := ca.GenerateFulcioIntermediate(rootCert, rootKey)
	check(t, err)
	tsaMiddle, tsaMiddleKey, err := ca.GenerateTSAIntermediate(rootCert, rootKey)
	check(t, err)
	tsaKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(t, err)
	tsaLeaf, err := ca.GenerateTSALeafCert(time.Now().Add(-5*time.Minute), tsaKey, tsaMiddle, tsaMiddleKey)
	check(t, err)
	s := &sigstoreServer{token: "e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"email":"`+robot+`","email_verified":true,"iss":"`+issuer+`","sub":"robot"}`)) + ".c2lnbmF0dXJl"}
	mux := http.NewServeMux()
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer of-the-job" || r.URL.Query().Get("audience") != "sigstore" || r.URL.Query().Get("api") != "1" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]string{"value": s.token})
	})
	mux.HandleFunc("/api/v2/signingCert", func(w http.ResponseWriter, r *http.Request) {
		s.bearers = append(s.bearers, r.Header.Get("Authorization"))
		if s.refuse {
			http.Error(w, "this token is expired: "+s.token, http.StatusBadRequest)
			return
		}
		var q struct {
			PublicKeyRequest struct {
				PublicKey struct{ Content string } `json:"publicKey"`
			} `json:"publicKeyRequest"`
		}
		check(t, json.NewDecoder(r.Body).Decode(&q))
		public, err := cryptoutils.UnmarshalPEMToPublicKey([]byte(q.PublicKeyRequest.PublicKey.Content))
		check(t, err)
		leaf, err := ca.GenerateLeafCert(robot, issuer, time.Now().Add(-time.Minute), onlyPublic{public}, middle, middleKey)
		check(t, err)
		list := []string{string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Raw}))}
		_ = json.NewEncoder(w).Encode(map[string]any{"signedCertificateEmbeddedSct": map[string]any{"chain": map[string]any{"certificates": list}}})
	})
	mux.HandleFunc("/time", func(w http.ResponseWriter, r *http.Request) {
		data, err := io.ReadAll(r.Body)
		check(t, err)
		q, err := timestamp.ParseRequest(data)
		check(t, err)
		made := timestamp.Timestamp{HashAlgorithm: q.HashAlgorithm, HashedMessage: q.HashedMessage, Time: time.Now(), Policy: asn1.ObjectIdentifier{1, 2, 3}}
		answer, err := made.CreateResponseWithOpts(tsaLeaf, tsaKey, crypto.SHA256)
		check(t, err)
		_, _ = w.Write(answer)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	service := func(path string) []root.Service {
		return []root.Service{{URL: s.URL + path, MajorAPIVersion: 1, ValidityPeriodStart: time.Now().Add(-time.Hour)}}
	}
	config, err := root.NewSigningConfig(root.SigningConfigMediaType02, service(""), nil, nil, root.ServiceConfiguration{}, service("/time"), root.ServiceConfiguration{Selector: 1})
	check(t, err)
	s.config, err = config.MarshalJSON()
	check(t, err)
	from, to := time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	trusted, err := root.NewTrustedRoot(root.TrustedRootMediaType01,
		[]root.CertificateAuthority{&root.FulcioCertificateAuthority{URI: s.URL, Root: rootCert, Intermediates: []*x509.Certificate{middle}, ValidityPeriodStart: from, ValidityPeriodEnd: to}},
		nil, []root.TimestampingAuthority{&root.SigstoreTimestampingAuthority{URI: s.URL, Root: rootCert, Intermediates: []*x509.Certificate{tsaMiddle}, Leaf: tsaLeaf, ValidityPeriodStart: from, ValidityPeriodEnd: to}}, nil)
	check(t, err)
	s.root, err = trusted.MarshalJSON()
	check(t, err)
	return s
}

// onlyPublic is a key of somebody else: it signs nothing.
type onlyPublic struct{ key crypto.PublicKey }

func (k onlyPublic) Public() crypto.PublicKey { return k.key }
func (k onlyPublic) Sign(io.Reader, []byte, crypto.SignerOpts) ([]byte, error) {
	return nil, io.ErrUnexpectedEOF
}

func check(t *testing.T, err error) {
	t.Helper()
	oktest.Check(t, err)
}

// manifest stands for a pack.json that is signed.
var manifest = sha256.Sum256([]byte("{}"))

func statement(t *testing.T) []byte {
	t.Helper()
	data, err := signature.Statement(signature.Pack{Name: "kettle", Version: "1.0.0", Tree: "h1:x", Manifest: hex.EncodeToString(manifest[:]), Archive: strings.Repeat("0", 64)})
	check(t, err)
	return data
}

func TestAJobSignsWithItsIdentity(t *testing.T) {
	s := newSigstore(t)
	for name, q := range map[string]signature.SignRequest{
		"a token that was given":               {Token: s.token},
		"a token that the CI system gives out": {TokenURL: s.URL + "/token?api=1", TokenBearer: "of-the-job"},
	} {
		t.Run(name, func(t *testing.T) {
			q.Statement, q.Config, q.Root = statement(t), s.config, s.root
			r := Answer(context.Background(), signature.Request{Sign: &q})
			if r.Error != "" || r.Signer != (signature.Signer{Issuer: issuer, Subject: robot}) {
				t.Fatalf("%+v", r)
			}
			verified := Answer(context.Background(), signature.Request{Verify: &signature.VerifyRequest{
				Bundles: [][]byte{r.Bundle, []byte("{}")}, Digests: []string{strings.Repeat("1", 64), hex.EncodeToString(manifest[:])}, Root: s.root, Identities: true,
			}})
			if verified.Error != "" || len(verified.Verified) != 2 {
				t.Fatalf("%+v", verified)
			}
			v := verified.Verified[0]
			if v.Error != "" || v.Signer != r.Signer || v.Pack == nil || v.Pack.Name != "kettle" || v.Digest != hex.EncodeToString(manifest[:]) || v.Time.IsZero() {
				t.Errorf("%+v", v)
			}
			if verified.Verified[1].Error == "" {
				t.Error("an empty object is a signature")
			}
			if bytes.Contains(r.Bundle, []byte(s.token)) {
				t.Error("the token is in the bundle")
			}
		})
	}
	if len(s.bearers) != 2 || s.bearers[0] != "Bearer "+s.token || s.bearers[1] != s.bearers[0] {
		t.Errorf("%q", s.bearers)
	}
}

func TestASignatureThatFailsSaysWhatToDoAndNoSecret(t *testing.T) {
	s := newSigstore(t)
	refusing := newSigstore(t)
	refusing.refuse = true
	for name, tt := range map[string]struct {
		q    signature.SignRequest
		want string
	}{
		"no key and no identity":          {signature.SignRequest{Config: s.config}, "no key and no identity"},
		"a job without the permission":    {signature.SignRequest{Config: s.config, TokenURL: s.URL + "/token", TokenBearer: "secret-bearer"}, "403"},
		"an address that is not one":      {signature.SignRequest{Config: s.config, TokenURL: "::secret-bearer"}, "cannot be read"},
		"an authority that refuses":       {signature.SignRequest{Config: refusing.config, Token: refusing.token}, "expired"},
		"servers that cannot be read":     {signature.SignRequest{Config: []byte("{"), Token: s.token}, "--sign-config"},
		"a key that is not one":           {signature.SignRequest{Key: []byte("secret-bearer")}, "use the key"},
		"an encrypted key, no password":   {signature.SignRequest{Key: encrypted(t)}, "there is no password"},
		"an encrypted key, a wrong one":   {signature.SignRequest{Key: encrypted(t), Password: "secret-bearer"}, "use the key"},
		"a token that holds no identity":  {signature.SignRequest{Config: s.config, Token: "secret-bearer"}, "identity token"},
		"a request that asks for nothing": {signature.SignRequest{}, "no key and no identity"},
	} {
		t.Run(name, func(t *testing.T) {
			tt.q.Statement = statement(t)
			r := Answer(context.Background(), signature.Request{Sign: &tt.q})
			text := r.Error + " " + r.Hint
			if r.Error == "" || r.Hint == "" || r.Bundle != nil || !strings.Contains(text, tt.want) {
				t.Errorf("want %q: %+v", tt.want, r)
			}
			for _, secret := range []string{"secret-bearer", s.token, refusing.token} {
				if strings.Contains(text, secret) {
					t.Errorf("it says the secret: %s", text)
				}
			}
		})
	}
}

// encrypted is a key that needs the password "right".
func encrypted(t *testing.T) []byte {
	t.Helper()
	private, _, err := cryptoutils.GeneratePEMEncodedECDSAKeyPair(elliptic.P256(), func(bool) ([]byte, error) { return []byte("right"), nil })
	check(t, err)
	return private
}

func TestAnEncryptedKeySigns(t *testing.T) {
	r := Answer(context.Background(), signature.Request{Sign: &signature.SignRequest{Statement: statement(t), Key: encrypted(t), Password: "right"}})
	if r.Error != "" || !strings.HasPrefix(r.Signer.Key, "sha256:") {
		t.Errorf("%+v", r)
	}
}

// Without a network and without a root of its own nothing is believed, and nothing is
// fetched.
func TestOfflineTheRootMustBeKnown(t *testing.T) {
	s := newSigstore(t)
	r := Answer(context.Background(), signature.Request{Sign: &signature.SignRequest{Statement: statement(t), Token: s.token, Config: s.config, Root: s.root}})
	got := Answer(context.Background(), signature.Request{Verify: &signature.VerifyRequest{
		Bundles: [][]byte{r.Bundle}, Digests: []string{hex.EncodeToString(manifest[:])}, Identities: true, Offline: true, Cache: t.TempDir(),
	}})
	if !strings.Contains(got.Error, "nothing is fetched offline") || !strings.Contains(got.Hint, "trust.root") {
		t.Errorf("%+v", got)
	}
	if got := Answer(context.Background(), signature.Request{Verify: &signature.VerifyRequest{Bundles: [][]byte{r.Bundle}, Root: []byte("{"), Identities: true}}); !strings.Contains(got.Error, "trust.root") {
		t.Errorf("%+v", got)
	}
	if got := Answer(context.Background(), signature.Request{}); got.Error == "" {
		t.Error("a request that asks for nothing is answered")
	}
}
