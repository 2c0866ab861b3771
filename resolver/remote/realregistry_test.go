package remote

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"oras.land/oras-go/v2/content"

	"github.com/packgen/packgen/cmd/packgentest"
	"github.com/packgen/packgen/compiler"
	"github.com/packgen/packgen/compiler/archive"
	"github.com/packgen/packgen/compiler/oktest"
	"github.com/packgen/packgen/resolver/remote/fetch"
	"github.com/packgen/packgen/resolver/remote/registry"
	"github.com/packgen/packgen/resolver/remote/signature"
)

// eachRegistry runs a test with each real registry that is installed: distribution v3
// ("registry serve") and the docker-registry of Debian.
func eachRegistry(t *testing.T, do func(t *testing.T, program string)) {
	t.Helper()
	found := false
	for _, name := range []string{"registry", "docker-registry"} {
		program, err := exec.LookPath(name)
		if err != nil {
			t.Logf("SKIPPED: %s is not installed: nothing is shown about it", name)
			continue
		}
		found = true
		t.Run(name, func(t *testing.T) { do(t, program) })
	}
	if !found {
		packgentest.Lacks(t, "registry", "the stand-in alone was asked")
	}
}

// Real registries do what the stand-in of the tests does.
func TestInstallPacksGoThroughRealRegistries(t *testing.T) {
	eachRegistry(t, func(t *testing.T, program string) {
		kettle, pot := publish(t, "kettle", "It boils."), publish(t, "pot", "It holds.")
		host, o := realRegistry(t, program, ""), options(t)
		ref := "oci://" + host + "/acme/kettle:1"
		done := push(t, o, ref, false, kettle)
		if again := push(t, o, ref, false, kettle); again[0].Digest != done[0].Digest || again[0].Uploaded != 0 {
			t.Errorf("again: %+v", again)
		}
		private, public := keyPair(t)
		signer := signature.Program{Version: compiler.Version, Path: packgentest.Program(t, "packgen-sign")}
		made, err := signer.Ask(t.Context(), signature.Request{Sign: &signature.SignRequest{Statement: statementOf(t, kettle), Key: private}})
		oktest.Check(t, err)
		signed := emptyCache(t, o)
		withSignature := packOf(t, kettle)
		withSignature.Bundle = made.Bundle
		to := mustRef(t, "oci://"+host+"/acme/signed").Registry
		_, err = registry.Push(t.Context(), fetch.New(o.Fetch), to, []registry.Pack{withSignature}, registry.Options{Tags: []string{to.Tag}})
		oktest.Check(t, err)
		signed.Signatures = Signatures{Asker: signer, Policy: &signature.Policy{Rules: []signature.Rule{{Ref: "**", Signers: []signature.Allowed{{KeyFile: "a.pub", Key: public}}}}}}
		if a := mustOpen(t, "oci://"+host+"/acme/signed", signed); a.Entry.Signature == nil || a.Entry.Signature.Key != made.Signer.Key {
			t.Errorf("%+v", a.Entry.Signature)
		}
		push(t, o, "oci://"+host+"/acme/packs", true, kettle, pot)
		for ref, want := range map[string]*sample{
			ref: kettle, "oci://" + host + "/acme/kettle@" + done[0].Digest: kettle,
			"oci://" + host + "/acme/packs#kettle": kettle, "oci://" + host + "/acme/packs#pot": pot,
		} {
			if a := mustOpen(t, ref, emptyCache(t, o)); a.Entry.Tree != want.tree || !a.Fetched {
				t.Errorf("%s: %+v", ref, a.Entry)
			}
		}
	})
}

// Real registries that ask for a login, by name and password or for a token of another
// server, get it; a wrong one is refused, and said nowhere.
func TestInstallRealRegistriesAskForALogin(t *testing.T) {
	eachRegistry(t, func(t *testing.T, program string) {
		for name, auth := range map[string]func(*testing.T) string{"basic": basicAuth, "token": tokenAuth} {
			t.Run(name, func(t *testing.T) {
				s := publish(t, "kettle", "It boils.")
				host, o := realRegistry(t, program, auth(t)), options(t)
				ref := "oci://" + host + "/acme/kettle:1"
				variable := "PACKGEN_TOKEN_" + strings.NewReplacer(".", "_", ":", "_").Replace(host)
				o.Fetch.Getenv = environment(map[string]string{variable: "me:hunter2"})
				o.Fetch.Uploads = o.Cache.Uploads()
				push(t, o, ref, false, s)
				if again := push(t, o, "oci://"+host+"/acme/pot:1", false, s); again[0].Uploaded != 0 {
					t.Errorf("a repository that the login may read was not mounted from: %+v", again)
				}
				if a := mustOpen(t, ref, emptyCache(t, o)); a.Entry.Tree != s.tree {
					t.Errorf("%+v", a.Entry)
				}
				for _, login := range []string{"", "me:wr0ng-password"} {
					o := emptyCache(t, o)
					o.Fetch.Getenv = environment(map[string]string{variable: login})
					var e *fetch.Error
					if _, err := Open(t.Context(), mustRef(t, ref), o); !errors.As(err, &e) || e.Rule != "fetch-token" || strings.Contains(err.Error(), "wr0ng") {
						t.Errorf("pull as %q: %v", login, err)
					}
					_, err := registry.Push(t.Context(), fetch.New(o.Fetch), mustRef(t, ref).Registry, []registry.Pack{packOf(t, publish(t, "kettle", login))}, registry.Options{Tags: []string{"2"}})
					if !errors.As(err, &e) || e.Rule != "fetch-token" || strings.Contains(err.Error(), "wr0ng") {
						t.Errorf("push as %q: %v", login, err)
					}
				}
			})
		}
	})
}

// A registry of a private authority, asked as the mirror of another place, and one that
// keeps what it is asked for.
func TestInstallRealRegistriesOverTLSAndAsMirrors(t *testing.T) {
	eachRegistry(t, func(t *testing.T, program string) {
		s := publish(t, "kettle", "It boils.")
		certificate, key := serverCertificate(t)
		host, o := realRegistry(t, program, "  tls:\n    certificate: "+certificate+"\n    key: "+key+"\n"), options(t)
		ref := "oci://" + host + "/acme/kettle:1"
		var e *fetch.Error
		if _, err := Open(t.Context(), mustRef(t, ref), o); !errors.As(err, &e) || e.Rule != "fetch-tls" {
			t.Errorf("an unknown authority: %v", err)
		}
		o.Fetch.Trust.CA = certificate
		push(t, o, ref, false, s)
		o.Fetch.Mirrors = []string{"oci://registry.example.org/acme=oci://" + host + "/acme"}
		if a := mustOpen(t, "oci://registry.example.org/acme/kettle:1", emptyCache(t, o)); a.Entry.Tree != s.tree {
			t.Errorf("%+v", a.Entry)
		}
		o = options(t)
		origin := realRegistry(t, program, "")
		push(t, o, "oci://"+origin+"/acme/kettle:1", false, s)
		through := realRegistry(t, program, "proxy:\n  remoteurl: http://"+origin+"\n")
		if a := mustOpen(t, "oci://"+through+"/acme/kettle:1", emptyCache(t, o)); a.Entry.Tree != s.tree {
			t.Errorf("through a registry that keeps what it is asked for: %+v", a.Entry)
		}
	})
}

// A large archive goes in pieces, continues after a break, and is not sent again for
// another repository.
func TestInstallRealRegistriesTakeUploadsInPieces(t *testing.T) {
	eachRegistry(t, func(t *testing.T, program string) {
		data := make([]byte, 9<<20)
		if _, err := rand.Read(data); err != nil {
			t.Fatal(err)
		}
		part := content.NewDescriptorFromBytes("", data)
		host, o := realRegistry(t, program, ""), options(t)
		o.Fetch.Uploads, o.Fetch.Retries = o.Cache.Uploads(), -1
		target := func(name string) *fetch.Target {
			to, err := fetch.New(o.Fetch).Target(t.Context(), fetch.Registry{Host: host, Name: name})
			oktest.Check(t, err)
			return to
		}
		broken := func() (io.ReadCloser, error) {
			return io.NopCloser(io.MultiReader(bytes.NewReader(data[:5<<20]), failing{})), nil
		}
		if _, err := target("acme/kettle").Blob(t.Context(), part, broken); err == nil {
			t.Fatal("a file that cannot be read was sent")
		}
		read := &counting{Reader: bytes.NewReader(data)}
		written, err := target("acme/kettle").Blob(t.Context(), part, func() (io.ReadCloser, error) { return read, nil })
		if err != nil || !written || read.n != 5<<20 { // a piece of 4 MiB is there
			t.Errorf("%v, %v: %d bytes read", written, err, read.n)
		}
		if written, err := target("acme/pot").Blob(t.Context(), part, broken); err != nil || written {
			t.Errorf("another repository: %v, %v", written, err)
		}
	})
}

// failing is a file that cannot be read.
type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("the disk is broken") }

// counting counts what is read of a file.
type counting struct {
	*bytes.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

func (c *counting) Close() error { return nil }

func statementOf(t testing.TB, s *sample) []byte {
	t.Helper()
	data, err := signature.Statement(signature.Pack{Name: s.name, Version: "1.2.0", Tree: s.tree, Manifest: archive.SHA256(s.manifest), Archive: archive.SHA256(s.targz)})
	oktest.Check(t, err)
	return data
}

// keyPair makes a key: the private and the public one, in PEM.
func keyPair(t testing.TB) (private, public []byte) {
	t.Helper()
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	oktest.Check(t, err)
	a, err := x509.MarshalPKCS8PrivateKey(priv)
	oktest.Check(t, err)
	b, err := x509.MarshalPKIXPublicKey(pub)
	oktest.Check(t, err)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: a}), pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: b})
}
