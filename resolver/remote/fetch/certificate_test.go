package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// A server that wants to know who asks is shown our certificate; without one its refusal
// says what to do.
func TestAClientCertificateIsShownToAServerThatAsks(t *testing.T) {
	authority, authorityKey := certificate(t, nil, nil)
	ours, key := certificate(t, authority, authorityKey)
	pool := x509.NewCertPool()
	pool.AddCert(authority)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.TLS.PeerCertificates[0].Subject.CommonName)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	dir := t.TempDir()
	name := func(file, kind string, der []byte) string {
		path := filepath.Join(dir, file)
		oktest.Check(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600))
		return path
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	oktest.Check(t, err)
	trust := Trust{CA: name("ca.pem", "CERTIFICATE", server.Certificate().Raw), Cert: name("cert.pem", "CERTIFICATE", ours.Raw), Key: name("key.pem", "PRIVATE KEY", der)}
	c, _ := testClient(nil, func(o *Options) { o.Trust = trust })
	if data, err := c.File(t.Context(), server.URL, "x", 100); err != nil || string(data) != "us" {
		t.Errorf("%q, %v", data, err)
	}
	c, _ = testClient(nil, func(o *Options) { o.Trust = Trust{CA: trust.CA} })
	_, err = c.File(t.Context(), server.URL, "x", 100)
	wantError(t, err, ruleTLS, "client certificate")
}

// certificate makes one, signed by an authority or by itself.
func certificate(t *testing.T, by *x509.Certificate, byKey *ecdsa.PrivateKey) (*x509.Certificate, *ecdsa.PrivateKey) {
	t.Helper()
	key := oktest.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	made := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "us"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		BasicConstraintsValid: true, IsCA: by == nil, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	if by == nil {
		by, byKey, made.KeyUsage = made, key, x509.KeyUsageCertSign
	}
	der := oktest.Value(x509.CreateCertificate(rand.Reader, made, by, &key.PublicKey, byKey))(t)
	parsed := oktest.Value(x509.ParseCertificate(der))(t)
	return parsed, key
}

// What is valid at another time than ours may mean that our clock is wrong.
func TestACertificateOfAnotherTimeAsksAboutTheClock(t *testing.T) {
	good := fetchtest.NewTLSServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	pool := x509.NewCertPool()
	pool.AddCert(good.HTTP.Certificate())
	for _, year := range []int{1961, 2371} {
		clock := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		c, _ := testClient(nil, func(o *Options) {
			o.HTTP = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, Time: func() time.Time { return clock }}}}
		})
		_, err := c.File(t.Context(), good.URL, "x", 10)
		wantError(t, err, ruleTLS, "expired or not yet valid", "clock")
	}
}
