package client_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/compiler/store/remote"
	"github.com/packgen/packgen/compiler/store/remote/client"
	"github.com/packgen/packgen/compiler/store/remote/remotetest"
)

// authority makes certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func (a *authority) issue(t *testing.T, of *x509.Certificate) (certPEM, keyPEM []byte, key *ecdsa.PrivateKey) {
	t.Helper()
	key = oktest.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	of.SerialNumber, of.NotBefore, of.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := of, key
	if a.cert != nil {
		parent, signer = a.cert, a.key
	}
	der := oktest.Value(x509.CreateCertificate(rand.Reader, of, parent, &key.PublicKey, signer))(t)
	private := oktest.Value(x509.MarshalPKCS8PrivateKey(key))(t)
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), key
}

func TestAClientCertificateLetsTheClientIn(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		oktest.Check(t, os.WriteFile(name, data, 0o600))
		return name
	}
	root := &x509.Certificate{Subject: pkix.Name{CommonName: "root"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a := &authority{}
	rootPEM, _, key := a.issue(t, root)
	block, _ := pem.Decode(rootPEM)
	var err error
	if a.cert, err = x509.ParseCertificate(block.Bytes); err != nil {
		t.Fatal(err)
	}
	a.key = key
	serverCert, serverKey, _ := a.issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	clientCert, clientKey, _ := a.issue(t, &x509.Certificate{Subject: pkix.Name{CommonName: "client"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	pair := oktest.Value(tls.X509KeyPair(serverCert, serverKey))(t)
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	server := remotetest.New(t, grpc.Creds(credentials.NewTLS(&tls.Config{Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool})))
	address := strings.Replace(server.Address, "grpc://", "grpcs://", 1)
	good := remote.Options{
		Cache: address, CA: file("ca.pem", rootPEM), Cert: file("cert.pem", clientCert), Key: file("key.pem", clientKey),
		Headers: map[string]string{"x-team": "docs"},
	}
	dial(t, good)
	if got := server.Header("x-team"); len(got) == 0 {
		t.Error("the header did not come")
	}
	for name, change := range map[string]func(o *remote.Options){
		"no client certificate":  func(o *remote.Options) { o.Cert, o.Key = "", "" },
		"a certificate alone":    func(o *remote.Options) { o.Key = "" },
		"no authority":           func(o *remote.Options) { o.CA = "" },
		"an authority of text":   func(o *remote.Options) { o.CA = file("text", []byte("hello")) },
		"without encryption":     func(o *remote.Options) { o.Cache = server.Address },
		"a key of somebody else": func(o *remote.Options) { o.Key = file("other.pem", serverKey) },
	} {
		o := good
		o.Quiet = 2 * time.Second
		change(&o)
		if c, err := client.Dial(context.Background(), o); err == nil {
			c.Close()
			t.Errorf("%s: it lets the client in", name)
		} else if reason := client.Reason(err); name == "no authority" && !strings.Contains(reason, "(certificate signed by unknown authority)") {
			t.Errorf("%s: %s", name, reason)
		}
	}
}
