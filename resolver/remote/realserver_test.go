package remote

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch/fetchtest"
)

// realRegistry runs a registry until the test ends. More is YAML: what is indented belongs
// to "http".
func realRegistry(t *testing.T, program, more string) (host string) {
	t.Helper()
	free := oktest.Value(net.Listen("tcp", "127.0.0.1:0"))(t)
	host = free.Addr().String()
	free.Close()
	dir := t.TempDir()
	config := fmt.Sprintf("version: 0.1\nlog:\n  level: error\nstorage:\n  filesystem:\n    rootdirectory: %s\nhttp:\n  addr: %s\n%s", filepath.Join(dir, "data"), host, more)
	name := filepath.Join(dir, "config.yml")
	write(t, name, []byte(config))
	cmd := exec.Command(program, "serve", name)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	oktest.Check(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		<-ended
	})
	for {
		conn, err := net.Dial("tcp", host)
		if err == nil {
			conn.Close()
			return host
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("%s ended: %v\n%s", program, err, said.String())
		case <-t.Context().Done():
			t.Fatal("the registry does not answer")
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// basicAuth lets the user "me" in with the password "hunter2".
func basicAuth(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "htpasswd")
	write(t, name, []byte("me:$2b$05$abcdefghijklmnopqrstuuoXuKqgZXLiJqzfmMXDDhSFPIvxV7t8.\n"))
	return "auth:\n  htpasswd:\n    realm: packs\n    path: " + name + "\n"
}

// tokenAuth has a server of tokens for the same user, which vouches for them with a
// certificate that the registry knows.
func tokenAuth(t *testing.T) string {
	key := oktest.Value(rsa.GenerateKey(rand.Reader, 2048))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	certificate := oktest.Value(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	name := filepath.Join(t.TempDir(), "root.crt")
	write(t, name, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate}))
	server := fetchtest.NewServer(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if user, password, _ := q.BasicAuth(); user != "me" || password != "hunter2" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"token":%q}`, signedToken(t, key, certificate, q.URL.Query()["scope"]))
	}))
	return "auth:\n  token:\n    realm: " + server.URL + "/token\n    service: packs\n    issuer: tests\n    rootcertbundle: " + name + "\n"
}

// signedToken is a JSON web token that allows what the scopes ask for.
func signedToken(t *testing.T, key *rsa.PrivateKey, certificate []byte, scopes []string) string {
	access := []map[string]any{}
	for _, scope := range strings.Fields(strings.Join(scopes, " ")) {
		if part := strings.Split(scope, ":"); len(part) == 3 {
			access = append(access, map[string]any{"type": part[0], "name": part[1], "actions": strings.Split(part[2], ",")})
		}
	}
	now := time.Now().Unix()
	segment := func(value any) string {
		data, err := json.Marshal(value)
		if err != nil {
			t.Error(err)
		}
		return base64.RawURLEncoding.EncodeToString(data)
	}
	text := segment(map[string]any{"typ": "JWT", "alg": "RS256", "x5c": []string{base64.StdEncoding.EncodeToString(certificate)}}) + "." +
		segment(map[string]any{"iss": "tests", "sub": "me", "aud": "packs", "exp": now + 600, "nbf": now - 600, "iat": now, "jti": "1", "access": access})
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// serverCertificate writes a certificate for this machine and its key.
func serverCertificate(t *testing.T) (certificate, key string) {
	t.Helper()
	known := fetchtest.NewTLSServer(t, http.NotFoundHandler()).HTTP.TLS.Certificates[0]
	private := oktest.Value(x509.MarshalPKCS8PrivateKey(known.PrivateKey))(t)
	dir := t.TempDir()
	certificate, key = filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key")
	write(t, certificate, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: known.Certificate[0]}))
	write(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
	return certificate, key
}
